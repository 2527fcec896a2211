/*
 * Options of callers that were compiled against another version of a header. Every option struct of the public headers
 * begins with its size (HSD_OPTIONS_INIT, hsdiff/status.h); who takes one makes it one of its own first:
 *
 *      hsd_diff_options own;
 *      HSD_TRY(HSD_TAKE_OPTIONS(hsd_diff_options, matched_context, &own, options, err));
 *
 * The second word is the last member of the struct's first version, and never changes. Members are added at the end,
 * none of them into the padding of a version before, and 0 means what was done without the member. An option struct
 * never stands in another by value, since it would shift what follows it.
 */
#ifndef HSD_BASE_OPTIONS_H
#define HSD_BASE_OPTIONS_H

#include <stddef.h>

#include <hsdiff/status.h>

/* No option struct is larger: a size beyond is none. */
#define HSD_OPTIONS_MOST_BYTES ((size_t)4096)

/*
 * Fills `own` from the options of a caller: of an older one the members that it does not know are 0; `given` NULL: all
 * are. HSD_E_MISUSE: a newer one sets a member that is not known here, or its size is none.
 */
hsd_status hsd_options_take(void *own, size_t own_bytes, size_t first_bytes, const void *given, const char *name,
                            hsd_error *err);

#define HSD_TAKE_OPTIONS(type, last, own, given, err)                                                                  \
    hsd_options_take((own), sizeof(type), offsetof(type, last) + sizeof((own)->last), (given), #type, (err))

#endif
