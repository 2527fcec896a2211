/*
 * What a diff says in few words: how much, what is lost, what holds most of it, of which captures.
 */
#include "report/sentences/brief.h"

#include <string.h>

#include "report/model/holder_rows.h"
#include "report/model/lost_rows.h"
#include "report/model/say.h"
#include "report/sentences/churn.h"
#include "report/sentences/native.h"
#include "report/words/number.h"

#define MOST_PERCENT 50 /* of the growth, from which on one place is the answer */

static void tell_new_and_freed(hsd_out *out, const hsd_model *model)
{
    const hsd_diff *diff = model->result;
    const hsd_change *total = &diff->total;
    char fresh[HSD_NUMBER_CHARS], freed[HSD_NUMBER_CHARS];
    if (!hsd_new_is_known(diff) || !hsd_freed_is_known(diff) || !hsd_churn_is_told(diff)) return;
    hsd_out_format(out, ": %s new, %s freed", hsd_said_size(model, fresh, hsd_change_sure(total, total->new_).bytes),
                   hsd_said_size(model, freed, hsd_change_sure(total, total->freed).bytes));
    if (total->undecided.bytes > 0)
        hsd_out_format(out, ", %s replaced or only written to", hsd_said_size(model, fresh, total->undecided.bytes));
}

void hsd_tell_diff_answer(hsd_out *out, const hsd_model *model, hsd_escape_form form)
{
    const hsd_diff *diff = model->result;
    const int64_t growth = hsd_change_bytes(&diff->total);
    const bool all_counts = diff->is_summary || !diff->before.has_roots || !diff->after.has_roots;
    const char *subject = all_counts ? "Heap" : "Live heap";
    char size[HSD_NUMBER_CHARS], percent[HSD_NUMBER_CHARS];
    (void)form;
    if (diff->is_partial) {
        hsd_out_text(out, "A part of a capture is missing: the figures count what was read.");
        return;
    }
    if (growth == 0)
        hsd_out_format(out, "%s kept its size", subject);
    else
        hsd_out_format(out, "%s %s %s (%s)", subject, growth > 0 ? "grew" : "shrank",
                       hsd_said_size(model, size, hsd_magnitude(growth)),
                       hsd_format_percent(percent, diff->total.before.bytes, diff->total.after.bytes));
    tell_new_and_freed(out, model);
    hsd_out_text(out, ".");
}

static void tell_capture(hsd_out *out, const hsd_model *model, hsd_escape_form form, const hsd_side *side)
{
    char size[HSD_NUMBER_CHARS], count[HSD_NUMBER_CHARS];
    const char *path = side->info.path ? side->info.path : "";
    hsd_out_name(out, form, (hsd_text){path, strlen(path)});
    hsd_out_format(out, " %s in %s object%s", hsd_said_size(model, size, side->live.bytes),
                   hsd_format_count(count, side->live.objects), side->live.objects == 1 ? "" : "s");
    if (!side->info.is_complete) hsd_out_text(out, ", incomplete");
}

/* ", for `handshake (ssl.c:5)`": who asked the library that allocated. */
static void tell_asker(hsd_out *out, hsd_escape_form form, const hsd_lost_row *row)
{
    hsd_buffer raw = {0};
    if (out->status == HSD_OK) out->status = hsd_lost_asker_append(&raw, row, out->err);
    if (raw.size > 0) {
        hsd_out_text(out, ", for ");
        hsd_out_name(out, form, (hsd_text){(const char *)raw.data, raw.size});
    }
    hsd_buffer_release(&raw);
}

/* As the first screen says it: with who allocated most of it. */
void hsd_tell_diff_lost(hsd_out *out, const hsd_model *model, hsd_escape_form form)
{
    const hsd_diff *diff = model->result;
    const hsd_change total = hsd_lost_total(diff);
    const int64_t growth = hsd_change_bytes(&total);
    const hsd_lost_row *row = diff->lost.row_count > 0 ? &diff->lost.rows[0] : NULL;
    char size[HSD_NUMBER_CHARS], count[HSD_NUMBER_CHARS];
    if (!hsd_lost_matters(diff, hsd_model_noise(model))) return;
    hsd_out_format(out, "**%s more is lost, in %s object%s: no pointer to it is left.**",
                   hsd_said_size(model, size, hsd_magnitude(growth)),
                   hsd_format_count(count, hsd_magnitude(hsd_change_objects(&total))),
                   hsd_change_objects(&total) == 1 ? "" : "s");
    const unsigned percent = row != NULL && hsd_lost_growth(row) > 0 ? hsd_percent_of(hsd_lost_growth(row), growth) : 0;
    if (percent >= MOST_PERCENT && row->place.size > 0) {
        if (percent >= 100)
            hsd_out_text(out, " It was allocated at ");
        else
            hsd_out_format(out, " %u%% of it was allocated at ", percent);
        hsd_out_name(out, form, row->place);
        tell_asker(out, form, row);
        hsd_out_text(out, ".");
    }
}

/* The place that holds most of the growth, where there is one. */
void hsd_tell_diff_holder(hsd_out *out, const hsd_model *model, hsd_escape_form form)
{
    const hsd_diff *diff = model->result;
    const int64_t growth = hsd_change_bytes(&diff->total);
    const hsd_holder *holder = diff->has_holders && diff->holder_count > 0 ? &diff->holders[0] : NULL;
    hsd_buffer raw = {0};
    if (diff->is_partial || holder == NULL || hsd_holder_is_nobody(holder) || growth < (int64_t)hsd_model_noise(model))
        return;
    const int64_t of_place = hsd_holder_said_growth(diff, holder);
    const unsigned percent = of_place > 0 ? hsd_percent_of(of_place, growth) : 0;
    if (percent < MOST_PERCENT || hsd_growth_is_room(diff, hsd_model_noise(model))) return;
    if (out->status == HSD_OK) out->status = hsd_holder_append_said(&raw, diff, holder, ": ", "", out->err);
    const bool is_one_of_many = holder->is_reached_elsewhere;
    if (percent >= 100)
        hsd_out_text(out, "All");
    else
        hsd_out_format(out, "%u%%", percent);
    hsd_out_text(out, is_one_of_many ? " of the growth hangs from " : " of the growth hangs from one place: ");
    hsd_out_name(out, form, (hsd_text){(const char *)raw.data, raw.size});
    hsd_out_text(out, is_one_of_many ? ", and is reached from elsewhere, too." : ".");
    hsd_buffer_release(&raw);
}

void hsd_tell_diff_captures(hsd_out *out, const hsd_model *model, hsd_escape_form form)
{
    const hsd_diff *diff = model->result;
    tell_capture(out, model, form, &diff->before);
    hsd_out_text(out, " → ");
    tell_capture(out, model, form, &diff->after);
    hsd_out_text(out, ".");
}

void hsd_tell_diff_why_no_holders(hsd_out *out, const hsd_model *model, hsd_escape_form form)
{
    const hsd_diff *diff = model->result;
    if (diff->why_no_holders.size == 0) return;
    hsd_out_text(out, "Holders are not known: ");
    hsd_out_escaped(out, form == HSD_ESCAPE_MARKDOWN ? HSD_ESCAPE_MARKDOWN_PROSE : form, diff->why_no_holders);
    hsd_out_text(out, ".");
}
