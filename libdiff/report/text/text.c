/*
 * Sizes on the first screen of a diff.
 */
#include "report/text/text.h"

#include "report/model/growth_rows.h"
#include "report/words/number.h"

char *hsd_screen_size(const hsd_screen *screen, char out[HSD_NUMBER_CHARS], uint64_t bytes)
{
    return screen->options->exact_bytes ? hsd_format_exact(out, bytes) : hsd_format_bytes(out, bytes);
}

char *hsd_screen_growth_size(const hsd_screen *screen, char out[HSD_NUMBER_CHARS], int64_t bytes)
{
    return screen->options->exact_bytes ? hsd_format_exact_signed(out, bytes) : hsd_format_bytes_signed(out, bytes);
}

bool hsd_screen_proves_growth(const hsd_screen *screen) { return hsd_growth_is_proven(screen->diff); }
