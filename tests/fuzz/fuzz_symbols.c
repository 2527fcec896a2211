/*
 * Texts that may hold unresolved names, and captures that are rewritten with them. What comes out of a copy is a
 * capture of which a copy that changes nothing is the same, byte for byte.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/allocators.h"
#include "format/rewrite.h"
#include "support/memfile.h"
#include "support/reseal.h"
#include "symbols/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_inside(hsd_text part, hsd_text text)
{
    return part.size == 0 || (part.data >= text.data && part.data + part.size <= text.data + text.size);
}

static void check_text(hsd_text text)
{
    hsd_unresolved name;
    hsd_marked marked;
    size_t at = 0;
    while (hsd_unresolved_find(text, at, &name)) {
        hsd_unresolved again;
        if (!is_inside(name.whole, text) || !is_inside(name.module, name.whole) ||
            !is_inside(name.build_id, name.whole))
            abort();
        if (!hsd_unresolved_parse(name.whole, &again) || again.offset != name.offset) abort();
        at = (size_t)(name.whole.data - text.data) + name.whole.size;
    }
    hsd_marked_parse(text, &marked);
    if (!is_inside(marked.place, text) || !is_inside(marked.type, text)) abort();
    if (!is_inside(marked.name, text) || !is_inside(marked.size, text) || !is_inside(marked.type_name, text)) abort();
    for (size_t i = 0; i < marked.name_count; i++)
        if (!is_inside(marked.names[i], text)) abort();
}

static void check_texts(const uint8_t *data, size_t size)
{
    char function[256];
    const hsd_text text = {(const char *)data, size};
    const size_t length = size < sizeof function - 1 ? size : sizeof function - 1;
    memcpy(function, data, length);
    function[length] = '\0';
    hsd_function_allocates(function);
    check_text(text);
}

/* Some texts longer, some shorter, some as they are. */
static hsd_status change(void *context, uint8_t type, uint32_t key, hsd_text text, hsd_text *out, hsd_error *err)
{
    static char changed[65536];
    (void)context, (void)type, (void)err;
    check_text(text);
    if (key % 3 == 0 || text.size > sizeof changed - 300) return HSD_OK;
    memset(changed, 'x', sizeof changed);
    if (text.size > 0) memcpy(changed + 300, text.data, text.size);
    *out = key % 3 == 1 ? (hsd_text){changed, text.size + 300} : (hsd_text){changed, text.size / 2};
    return HSD_OK;
}

static hsd_status keep(void *context, uint8_t type, uint32_t key, hsd_text text, hsd_text *out, hsd_error *err)
{
    (void)context, (void)type, (void)key, (void)text, (void)out, (void)err;
    return HSD_OK;
}

/* The copy, to be freed; NULL where there is none. */
static uint8_t *copy(const uint8_t *data, size_t size, hsd_rewrite_fn replace, size_t *copied)
{
    hsd_error err;
    uint8_t *bytes = NULL;
    memfile in = memfile_of(data, size), out = memfile_of("", 0);
    const int fd = open(out.path, O_WRONLY | O_CLOEXEC);
    hsd_error_init(&err);
    if (hsd_rewrite(in.fd, fd, replace, NULL, NULL, NULL, &err) == HSD_OK) {
        bytes = memfile_read_all(out.path, copied);
    } else if (err.text[0] == '\0') {
        abort();
    }
    close(fd);
    memfile_close(&in);
    memfile_close(&out);
    return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t first_size, second_size;
    if (size < 8) return 0;
    uint8_t *bytes = malloc(size);
    if (bytes == NULL) return 0;
    memcpy(bytes, data, size);
    check_texts(bytes, size < 4096 ? size : 4096);
    if (data[size / 2] % 2 != 0) reseal(bytes, size);
    uint8_t *first = copy(bytes, size, change, &first_size);
    if (first != NULL) {
        uint8_t *second = copy(first, first_size, keep, &second_size);
        if (second == NULL || second_size != first_size || memcmp(first, second, first_size) != 0) abort();
        free(second);
    }
    free(first);
    free(bytes);
    return 0;
}
