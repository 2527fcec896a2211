/* Names of places. See places.h. */
#include "import/places.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"

enum { BUILD_ID_BYTES = 80 };

hsd_bytes hsd_import_file_name(hsd_bytes path)
{
    for (size_t from = path.size; from > 0; from--)
        if (path.data[from - 1] == '/') return (hsd_bytes){path.data + from, path.size - from};
    return path;
}

/* The name of a file without what is a mark of such names. */
static size_t put_module(char *out, size_t size, hsd_bytes name)
{
    size_t used = 0;
    for (size_t i = 0; i < name.size && used + 1 < size; i++)
        out[used++] = name.data[i] == '+' || name.data[i] == '{' ? '_' : (char)name.data[i];
    out[used] = '\0';
    return used;
}

/* Lower-case hexadecimal, or nothing. */
static void put_build_id(char *out, size_t size, hsd_bytes id)
{
    size_t used = 0;
    for (size_t i = 0; i < id.size; i++) {
        const uint8_t c = id.data[i], low = c >= 'A' && c <= 'F' ? c | 0x20 : c;
        const bool is_hex = (low >= '0' && low <= '9') || (low >= 'a' && low <= 'f');
        if (!is_hex || used + 1 == size) {
            used = 0;
            break;
        }
        out[used++] = (char)low;
    }
    out[used] = '\0';
}

size_t hsd_import_name_address(char out[HSD_UNRESOLVED_BYTES], hsd_bytes path, uint64_t offset, hsd_bytes build_id)
{
    char module[HSD_MODULE_NAME_BYTES], id[BUILD_ID_BYTES];
    if (put_module(module, sizeof module, hsd_import_file_name(path)) == 0) return 0;
    put_build_id(id, sizeof id, build_id);
    return (size_t)snprintf(out, HSD_UNRESOLVED_BYTES, "%s+0x%" PRIx64 "{%s}", module, offset, id);
}

bool hsd_import_allocates(hsd_bytes function)
{
    static const char *const prefixes[] = {
        "runtime.",       "malloc",       "calloc",  "realloc",     "reallocarray", "aligned_alloc",
        "posix_memalign", "memalign",     "valloc",  "strdup",      "strndup",      "__libc_",
        "__interceptor_", "operator new", "std::",   "__gnu_cxx::", "alloc::",      "<alloc::",
        "core::",         "<core::",      "__rust_", "__rdl_",      "__rg_",        "je_",
        "_rjem_",         "tcmalloc::",   "tc_",     "scudo",       "__scudo"};
    for (size_t i = 0; i < HSD_ARRAY_LEN(prefixes); i++) {
        const size_t size = strlen(prefixes[i]);
        if (function.size >= size && memcmp(function.data, prefixes[i], size) == 0) return true;
    }
    return false;
}
