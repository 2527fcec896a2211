/*
 * The text report of a series: what it is of, the answer, the tables that prove it, how old what is there is, and
 * where it leads. With --survivors ages come first.
 */
#include "report/formats.h"
#include "report/text/series_screen.h"
#include "report/write/plain.h"

#define TYPES_SHOWN 20
#define ROOTS_SHOWN 5

void hsd_series_print_words(hsd_series_screen *screen, void (*say)(hsd_series_words *words), bool is_part)
{
    hsd_out *out = &screen->page.out;
    hsd_series_words words;
    if (out->status != HSD_OK) return;
    hsd_series_words_begin(&words, screen->series, screen->options, screen->page.form, out->err);
    say(&words);
    out->status = hsd_series_words_end(&words);
    if (out->status == HSD_OK && words.text.size > 0) {
        if (is_part) hsd_page_part(&screen->page);
        hsd_out_begin_paragraph(out);
        hsd_out_bytes(out, words.text.data, words.text.size);
        hsd_out_end_paragraph(out, 0);
    }
    hsd_series_words_release(&words);
}

static void print_tables(hsd_series_screen *screen)
{
    const size_t top = screen->options->top;
    const bool moving = top != HSD_TOP_ALL;
    for (int table = HSD_TABLE_TYPES; table <= HSD_TABLE_HOLDERS; table++) {
        const size_t most = top ? top : table == HSD_TABLE_TYPES ? TYPES_SHOWN : ROOTS_SHOWN;
        if (!hsd_series_table_of(screen->series, (hsd_report_table)table)->is_known) continue;
        if (screen->series->before_count > 0)
            hsd_series_print_contrast(screen, (hsd_report_table)table, most, moving);
        else
            hsd_series_print_table(screen, (hsd_report_table)table, most, moving);
    }
}

static void print(hsd_series_screen *screen)
{
    const hsd_series *series = screen->series;
    const bool has_ages = series->before_count == 0, ages_first = has_ages && screen->options->survivors;
    const bool lost_first = hsd_series_lost_leads(series);
    hsd_out_warnings(&screen->page.out, screen->page.form, series->warnings, series->warning_count);
    hsd_series_print_words(screen, hsd_series_say_captures, true);
    if (ages_first) hsd_series_print_survival(screen);
    if (lost_first) hsd_series_print_words(screen, hsd_series_say_unreached, true);
    hsd_series_print_words(screen, hsd_series_say_answer, true);
    print_tables(screen);
    hsd_series_print_words(screen, hsd_series_say_why_not, true);
    if (has_ages && !ages_first) hsd_series_print_survival(screen);
    if (!lost_first) hsd_series_print_words(screen, hsd_series_say_unreached, true);
    hsd_series_print_words(screen, hsd_series_say_end, true);
}

hsd_status hsd_text_series(const hsd_series *series, const hsd_report_options *options, hsd_write_fn write,
                           void *context, hsd_error *err)
{
    hsd_series_screen screen = {.series = series, .options = options, .look = *options};
    if (options->plain) return hsd_plain_write(&(hsd_reported){.series = series}, options, write, context, err);
    screen.look.before_command = NULL; /* no lines about what to type next */
    hsd_page_init(&screen.page, &screen.look, write, context, err);
    print(&screen);
    return hsd_out_finish(&screen.page.out);
}
