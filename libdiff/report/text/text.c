/*
 * The text report: one screen for a person, from the most important down. What must be known before
 * any number is believed; the two captures; the answer in a sentence; the tables that prove it; what
 * was left out; what to type next. What is not known is not printed.
 */
#include "report/text/text.h"
#include "report/write/plain.h"

#include "report/formats.h"
#include "report/model/lost_rows.h"
#include "report/words/number.h"

#define TYPES_SHOWN 20
#define ROOTS_SHOWN 10

char *hsd_screen_size(const hsd_screen *screen, char out[HSD_NUMBER_CHARS], uint64_t bytes)
{
    return screen->options->exact_bytes ? hsd_format_exact(out, bytes) : hsd_format_bytes(out, bytes);
}

char *hsd_screen_growth_size(const hsd_screen *screen, char out[HSD_NUMBER_CHARS], int64_t bytes)
{
    return screen->options->exact_bytes ? hsd_format_exact_signed(out, bytes) : hsd_format_bytes_signed(out, bytes);
}

bool hsd_screen_proves_growth(const hsd_screen *screen)
{
    const hsd_side *before = &screen->diff->before, *after = &screen->diff->after;
    if (!screen->diff->is_partial) return true;
    return before->info.is_complete && before->has_roots == after->has_roots &&
           before->has_references == after->has_references;
}

static uint64_t noise_of(const hsd_diff *diff, const hsd_report_options *options)
{
    return options->noise_bytes > 0 ? options->noise_bytes : hsd_noise_of(diff->total.before.bytes);
}

static void print(hsd_screen *screen)
{
    const size_t top = screen->options->top;
    bool folded = false;
    const bool leads = hsd_lost_leads(screen->diff, screen->noise_bytes);
    hsd_screen_warnings(screen);
    hsd_screen_captures(screen);
    hsd_screen_answer(screen);
    if (leads) hsd_screen_lost(screen, &folded);
    hsd_screen_growth(screen, HSD_TABLE_TYPES, top ? top : TYPES_SHOWN, &folded);
    hsd_screen_growth(screen, HSD_TABLE_ROOTS, top ? top : ROOTS_SHOWN, &folded);
    hsd_screen_sites(screen, &folded);
    if (!leads) hsd_screen_lost(screen, &folded);
    hsd_screen_holders(screen);
    if (screen->options->tree) hsd_screen_tree(screen);
    hsd_screen_uncollected(screen, &folded);
    hsd_screen_foot(screen, folded);
}

hsd_status hsd_text_diff(const hsd_diff *diff, const hsd_report_options *options, hsd_write_fn write, void *context,
                         hsd_error *err)
{
    hsd_screen screen = {.diff = diff,
                         .options = options,
                         .noise_bytes = noise_of(diff, options),
                         .form = options->use_utf8 ? HSD_ESCAPE_TERMINAL : HSD_ESCAPE_ASCII};
    if (options->plain) return hsd_plain_write(&(hsd_reported){.diff = diff}, options, write, context, err);
    hsd_out_init(&screen.out, write, context, err);
    print(&screen);
    return hsd_out_finish(&screen.out);
}
