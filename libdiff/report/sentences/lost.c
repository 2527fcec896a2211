/*
 * What is lost, in a sentence of the first screen.
 */
#include "report/model/lost_rows.h"
#include "report/sentences/process.h"
#include "report/text/text.h"
#include "report/words/number.h"

/* Of its growth, what one site has, where that is worth a clause: half of it. */
static void print_place(hsd_screen *screen, int64_t growth)
{
    const hsd_lost *lost = &screen->diff->lost;
    hsd_buffer raw = {0};
    hsd_out *out = &screen->out;
    if (lost->row_count == 0 || hsd_lost_frame(&lost->rows[0]) == NULL) return;
    const int64_t most = hsd_lost_growth(&lost->rows[0]);
    if (most < growth - most) return;
    const unsigned percent = most >= growth ? 100 : (unsigned)((double)most * 100.0 / (double)growth);
    if (percent == 100)
        hsd_out_text(out, "; it was allocated at ");
    else
        hsd_out_format(out, "; %u%% of it was allocated at ", percent);
    if (out->status == HSD_OK) out->status = hsd_lost_place_append(&raw, &lost->rows[0], out->err);
    hsd_out_said(out, screen->form, (hsd_text){(const char *)raw.data, raw.size});
    hsd_buffer_clear(&raw);
    if (out->status == HSD_OK) out->status = hsd_lost_asker_append(&raw, &lost->rows[0], out->err);
    if (raw.size > 0) hsd_out_text(out, ", for ");
    hsd_out_said(out, screen->form, (hsd_text){(const char *)raw.data, raw.size});
    hsd_buffer_release(&raw);
}

void hsd_screen_lost_answer(hsd_screen *screen)
{
    const hsd_change total = hsd_lost_total(screen->diff);
    char size[HSD_NUMBER_CHARS], count[HSD_NUMBER_CHARS];
    if (!hsd_lost_matters(screen->diff, screen->noise_bytes)) return;
    const int64_t growth = hsd_change_bytes(&total), objects = hsd_change_objects(&total);
    hsd_out_begin_paragraph(&screen->out);
    hsd_out_format(&screen->out, "%s more is lost, in %s object%s: no pointer to it is left",
                   hsd_screen_size(screen, size, hsd_magnitude(growth)),
                   hsd_format_count(count, hsd_magnitude(objects)), objects == 1 ? "" : "s");
    print_place(screen, growth);
    hsd_out_text(&screen->out, ".");
    hsd_out_end_paragraph(&screen->out, 0);
}

static bool is_collector_off(const hsd_side *side)
{
    uint64_t is_off = 0;
    return hsd_process_measured(side, "python.gc_disabled", "count", &is_off) && is_off > 0;
}

void hsd_screen_uncollected_answer(hsd_screen *screen)
{
    const hsd_change total = hsd_lost_total(screen->diff);
    const hsd_diff *diff = screen->diff;
    char size[HSD_NUMBER_CHARS], count[HSD_NUMBER_CHARS];
    if (!hsd_uncollected_matters(diff, screen->noise_bytes)) return;
    if (!is_collector_off(&diff->before) || !is_collector_off(&diff->after)) return;
    const int64_t objects = hsd_change_objects(&total);
    hsd_out_begin_paragraph(&screen->out);
    hsd_out_format(&screen->out, "%s more, in %s object%s, waits to be collected",
                   hsd_screen_size(screen, size, hsd_magnitude(hsd_change_bytes(&total))),
                   hsd_format_count(count, hsd_magnitude(objects)), objects == 1 ? "" : "s");
    hsd_out_text(&screen->out,
                 ", and the program has its collector off (gc.disable()): cycles stay until it collects by itself.");
    hsd_out_end_paragraph(&screen->out, 0);
}
