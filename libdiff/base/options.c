/* Options of a caller, copied into those that this library has. */
#include "base/options.h"

#include <string.h>

static hsd_status check_size(size_t bytes, size_t first_bytes, const char *name, hsd_error *err)
{
    if (bytes >= first_bytes && bytes <= HSD_OPTIONS_MOST_BYTES) return HSD_OK;
    hsd_fail(err, HSD_E_MISUSE, "the options of a call have no valid size: struct_bytes of %s is %zu", name, bytes);
    hsd_error_set_hint(err, "begin with %s options = HSD_OPTIONS_INIT(%s);", name, name);
    return HSD_E_MISUSE;
}

/* Members that this library does not know must be 0. */
static hsd_status check_rest(const unsigned char *given, size_t bytes, size_t own_bytes, const char *name,
                             hsd_error *err)
{
    for (size_t i = own_bytes; i < bytes; i++) {
        if (given[i] == 0) continue;
        hsd_fail(err, HSD_E_MISUSE,
                 "the caller is newer than this library and sets an option that it does not know: %s has %zu bytes "
                 "here and %zu there",
                 name, own_bytes, bytes);
        hsd_error_set_hint(err, "install the libhsdiff that the program was compiled against");
        return HSD_E_MISUSE;
    }
    return HSD_OK;
}

hsd_status hsd_options_take(void *own, size_t own_bytes, size_t first_bytes, const void *given, const char *name,
                            hsd_error *err)
{
    size_t bytes = 0;
    memset(own, 0, own_bytes);
    if (given != NULL) {
        memcpy(&bytes, given, sizeof bytes);
        if (bytes == 0) bytes = first_bytes;
        HSD_TRY(check_size(bytes, first_bytes, name, err));
        HSD_TRY(check_rest(given, bytes, own_bytes, name, err));
        memcpy(own, given, bytes < own_bytes ? bytes : own_bytes);
    }
    memcpy(own, &own_bytes, sizeof own_bytes);
    return HSD_OK;
}
