/*
 * Scripts and their source maps on any bytes: no crash, no stall, and a fault that says what it is. The input is a
 * script, a byte 0, and a map; asked for are the brackets of the script as functions, and words of one letter as
 * variables.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "import/sourcemap/files.h"
#include "import/sourcemap/map.h"
#include "import/sourcemap/script.h"

enum { MOST_FUNCTIONS = 64, MOST_PLACES = 2 * MOST_FUNCTIONS };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t find_functions(hsd_bytes text, hsd_script_function *out)
{
    size_t count = 0;
    uint32_t line = 0, column = 0;
    for (size_t i = 0; i < text.size && count < MOST_FUNCTIONS; i++) {
        const bool is_one =
            text.data[i] == '(' || (text.data[i] == 'c' && i + 1 < text.size && text.data[i + 1] == 'l');
        if (is_one) out[count++] = (hsd_script_function){.at = {line, column}, .name = {text.data + i / 2, i % 3}};
        column++;
        if (text.data[i] != '\n') continue;
        line++;
        column = 0;
    }
    return count;
}

static void look_at_blocks(const hsd_script *script, const hsd_names *wanted)
{
    for (uint32_t block = 0; block < script->block_count; block++)
        for (uint32_t name = 0; name < wanted->count; name++)
            (void)hsd_script_find(script, block, name);
    for (size_t i = 0; i < script->function_count; i++)
        if (script->functions[i].block >= script->block_count) abort();
}

static int compare_places(const void *left, const void *right)
{
    const hsd_sourcemap_place *a = left, *b = right;
    if (a->line != b->line) return a->line < b->line ? -1 : 1;
    return (a->column > b->column) - (a->column < b->column);
}

static void read_map(hsd_bytes text, const hsd_script *script)
{
    hsd_sourcemap_place places[MOST_PLACES];
    hsd_sourcemap map = {.places = places, .is_misfit = hsd_script_is_misfit, .context = script};
    char path[HSD_SOURCEMAP_PATH_BYTES];
    hsd_source source;
    hsd_error err;
    hsd_error_init(&err);
    for (size_t i = 0; i < script->function_count; i++) {
        const hsd_script_function *f = &script->functions[i];
        places[map.place_count++] = (hsd_sourcemap_place){.line = f->at.line, .column = f->at.column};
        if (f->has_name)
            places[map.place_count++] = (hsd_sourcemap_place){.line = f->named.line, .column = f->named.column};
    }
    qsort(places, map.place_count, sizeof *places, compare_places);
    if (hsd_source_open_memory(&source, text, "fuzz", &err) != HSD_OK) abort();
    const hsd_status status = hsd_sourcemap_read(&map, &source, &err);
    if (status < 0 && err.text[0] == '\0') abort();
    for (size_t i = 0; i < map.place_count && status == HSD_OK; i++) {
        (void)hsd_sourcemap_name(&map, places[i].name);
        (void)hsd_sourcemap_resolve(path, "/srv/dist/a.js", hsd_sourcemap_source(&map, places[i].source));
    }
    hsd_source_close(&source);
    hsd_sourcemap_release(&map);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hsd_script_function functions[MOST_FUNCTIONS];
    const uint8_t *end = size == 0 ? NULL : memchr(data, 0, size);
    const size_t of_script = end == NULL ? size : (size_t)(end - data);
    const hsd_bytes text = {data, of_script};
    hsd_names wanted = {0};
    hsd_error err;
    hsd_error_init(&err);
    for (char letter = 'a'; letter < 'h'; letter++) {
        uint32_t number;
        if (hsd_names_put(&wanted, (hsd_bytes){(const uint8_t *)&letter, 1}, &number, &err) != HSD_OK) abort();
    }
    hsd_script script = {.functions = functions, .function_count = find_functions(text, functions), .wanted = &wanted};
    const hsd_status status = hsd_script_read(&script, text, &err);
    if (status != HSD_OK && err.text[0] == '\0') abort();
    if (status == HSD_OK) {
        look_at_blocks(&script, &wanted);
        if (end != NULL) read_map((hsd_bytes){end + 1, size - of_script - 1}, &script);
    }
    (void)hsd_sourcemap_url(text);
    hsd_script_release(&script);
    hsd_names_release(&wanted);
    return 0;
}
