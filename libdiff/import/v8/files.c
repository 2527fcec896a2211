/*
 * The names of files.h. A name depends on the path and on the paths of the same last parts, so that it stays the same
 * from one snapshot of a program to the next unless a script of the same name is loaded in between.
 */
#include "import/v8/files.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/check.h"
#include "base/fail.h"

#define PATH_BYTES ((size_t)1024)
#define NAME_BYTES ((size_t)120)
#define MOST_PARTS 8u

static hsd_status make_room_for_v8_file(hsd_v8_files *files, hsd_error *err)
{
    return HSD_ARRAY_GROW(files->files, files->capacity, files->count + 1, 256, "names of scripts", err);
}

hsd_status hsd_v8_files_put(hsd_v8_files *files, hsd_v8_names *names, uint32_t string, uint32_t *out, hsd_error *err)
{
    uint32_t entry;
    *out = hsd_id_map_get(&files->numbers, string);
    if (*out != HSD_ID_NONE) return HSD_OK;
    *out = HSD_V8_NO_FILE;
    if (files->count == HSD_V8_MOST_FILES) return HSD_OK;
    HSD_TRY(hsd_v8_names_add(names, HSD_V8_WAIT_SCRIPT, files->count, string, 0, &entry, err));
    if (entry == HSD_V8_NO_ENTRY) return HSD_OK;
    HSD_TRY(make_room_for_v8_file(files, err));
    HSD_TRY(hsd_id_map_put(&files->numbers, string, files->count, err));
    files->files[files->count] = (hsd_v8_file){.path = {(const uint8_t *)"", 0}, .is_runtime = true};
    *out = files->count++;
    return HSD_OK;
}

/* ---- a path ---- */

static bool is_slash(uint8_t c) { return c == '/' || c == '\\'; }

static bool v8_file_begins(hsd_bytes text, const char *prefix)
{
    return text.size >= strlen(prefix) && memcmp(text.data, prefix, strlen(prefix)) == 0;
}

static bool take_prefix(hsd_bytes *text, const char *prefix)
{
    if (!v8_file_begins(*text, prefix)) return false;
    text->data += strlen(prefix);
    text->size -= strlen(prefix);
    return true;
}

/* What has no folder is node's own ("internal/timers.js", since 14 "node:internal/timers") or Deno's
 * ("ext:core/01_core.js"); but "[eval]" and "evalmachine.<anonymous>" are the program's. */
static bool is_runtime(hsd_bytes text)
{
    if (v8_file_begins(text, "node:") || v8_file_begins(text, "ext:") || text.size == 0) return true;
    const bool is_absolute = is_slash(text.data[0]) || memchr(text.data, ':', text.size) != NULL;
    const bool is_evaluated = v8_file_begins(text, "[") && !v8_file_begins(text, "[eval]-");
    return !is_absolute && !is_evaluated && memchr(text.data, '<', text.size) == NULL;
}

hsd_status hsd_v8_files_text(hsd_v8_files *files, uint32_t number, hsd_bytes text, hsd_error *err)
{
    hsd_v8_file *file = &files->files[number];
    /* since V8 14 a script is called by its class and its name */
    (void)take_prefix(&text, "system / Script / ");
    /* the rest is the program itself */
    if (v8_file_begins(text, "data:")) text = (hsd_bytes){(const uint8_t *)"(data URL)", 10};
    const uint8_t *query = text.size == 0 ? NULL : memchr(text.data, '?', text.size);
    if (query != NULL) text.size = (size_t)(query - text.data);
    file->is_runtime = is_runtime(text);
    (void)take_prefix(&text, "file://");
    if (text.size > PATH_BYTES) { /* its end tells more */
        text.data += text.size - PATH_BYTES;
        text.size = PATH_BYTES;
    }
    const char *copy = hsd_arena_copy(&files->arena, text.data, text.size);
    if (copy == NULL) return hsd_fail_nomem(err, "names of scripts");
    file->path = (hsd_bytes){(const uint8_t *)copy, text.size};
    return HSD_OK;
}

hsd_status hsd_v8_files_add(hsd_v8_files *files, hsd_bytes path, uint32_t *out, hsd_error *err)
{
    *out = HSD_V8_NO_FILE;
    if (files->count == HSD_V8_MOST_FILES || path.size == 0 || path.size > PATH_BYTES) return HSD_OK;
    HSD_TRY(make_room_for_v8_file(files, err));
    const char *copy = hsd_arena_copy(&files->arena, path.data, path.size);
    if (copy == NULL) return hsd_fail_nomem(err, "names of scripts");
    files->files[files->count] = (hsd_v8_file){.path = {(const uint8_t *)copy, path.size}};
    *out = files->count++;
    return HSD_OK;
}

/* ---- a name ---- */

/* Where the last `parts` parts of a path begin. */
static size_t last_parts(hsd_bytes path, unsigned parts)
{
    for (size_t at = path.size; at > 0; at--)
        if (is_slash(path.data[at - 1]) && at < path.size && --parts == 0) return at;
    return path.size > 0 && is_slash(path.data[0]) ? 1 : 0;
}

/* How many parts stand behind the last "node_modules"; 0 = there is none. */
static unsigned parts_of_package(hsd_bytes path)
{
    static const char folder[] = "node_modules";
    unsigned parts = 1;
    for (size_t at = path.size; at > 0; at--) {
        if (!is_slash(path.data[at - 1])) continue;
        const size_t size = sizeof folder - 1;
        if (at > size && memcmp(path.data + at - 1 - size, folder, size) == 0) return parts;
        parts++;
    }
    return 0;
}

static unsigned first_parts(hsd_bytes path)
{
    const unsigned of_package = parts_of_package(path);
    const size_t base = last_parts(path, 1);
    if (of_package > 0) return of_package < UINT8_MAX ? of_package : UINT8_MAX;
    return v8_file_begins((hsd_bytes){path.data + base, path.size - base}, "index.") ? 2 : 1;
}

static void call_v8_file(hsd_v8_file *file)
{
    const size_t from = file->is_runtime ? 0 : last_parts(file->path, file->parts);
    file->name = (hsd_bytes){file->path.data + from, hsd_min_u64(file->path.size - from, NAME_BYTES)};
}

static int compare_bytes(hsd_bytes a, hsd_bytes b)
{
    const size_t common = a.size < b.size ? a.size : b.size;
    const int order = common == 0 ? 0 : memcmp(a.data, b.data, common);
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

typedef struct place { /* of a file in an order */
    const hsd_v8_file *file;
    uint32_t number;
} place;

/* By name, path, number. */
static int compare_places(const void *left, const void *right)
{
    const place *a = left, *b = right;
    int order = compare_bytes(a->file->name, b->file->name);
    if (order == 0) order = compare_bytes(a->file->path, b->file->path);
    return order != 0 ? order : (a->number > b->number) - (a->number < b->number);
}

/* Two of one name and other paths get one part more. True if some did. */
static bool part(hsd_v8_files *files, place *order)
{
    bool is_changed = false;
    qsort(order, files->count, sizeof *order, compare_places);
    for (uint32_t begin = 0, end; begin < files->count; begin = end) {
        bool differ = false;
        for (end = begin + 1; end < files->count && compare_bytes(order[begin].file->name, order[end].file->name) == 0;
             end++)
            differ |= compare_bytes(order[begin].file->path, order[end].file->path) != 0;
        for (uint32_t i = begin; differ && i < end; i++) {
            hsd_v8_file *file = &files->files[order[i].number];
            if (file->is_runtime || file->parts >= MOST_PARTS) continue;
            file->parts++;
            is_changed = true;
        }
    }
    for (uint32_t i = 0; i < files->count; i++)
        call_v8_file(&files->files[i]);
    return is_changed;
}

static void find_same(hsd_v8_files *files, const place *order)
{
    for (uint32_t i = 0; i < files->count; i++) {
        const bool is_same = i > 0 && compare_bytes(order[i - 1].file->path, order[i].file->path) == 0;
        files->files[order[i].number].same = is_same ? files->files[order[i - 1].number].same : order[i].number;
    }
}

hsd_status hsd_v8_files_settle(hsd_v8_files *files, hsd_error *err)
{
    place *order = malloc(((size_t)files->count + 1) * sizeof *order);
    if (order == NULL) return hsd_fail_nomem(err, "names of scripts");
    for (uint32_t i = 0; i < files->count; i++) {
        hsd_v8_file *file = &files->files[i];
        order[i] = (place){file, i};
        file->parts = (uint8_t)first_parts(file->path);
        call_v8_file(file);
    }
    while (part(files, order))
        continue;
    find_same(files, order);
    free(order);
    return HSD_OK;
}

void hsd_v8_files_release(hsd_v8_files *files)
{
    free(files->files);
    hsd_id_map_release(&files->numbers);
    hsd_arena_release(&files->arena);
    *files = (hsd_v8_files){0};
}
