/*
 * The answer in two sentences: how much, and what holds it (where.c). Each says only what the result proves: a
 * partial capture proves what is there and not what is gone, a moving heap proves counts and not
 * which object is which.
 */
#include "report/model/lost_rows.h"
#include "report/sentences/churn.h"
#include "report/sentences/process.h"
#include "report/text/text.h"
#include "report/words/number.h"

static void print_growth(hsd_screen *screen, const char *subject)
{
    const hsd_change *total = &screen->diff->total;
    const int64_t growth = hsd_change_bytes(total);
    char size[HSD_NUMBER_CHARS], percent[HSD_NUMBER_CHARS];
    if (growth == 0) {
        hsd_out_format(&screen->out, "%s kept its size", subject);
        return;
    }
    hsd_out_format(&screen->out, "%s %s %s", subject, growth > 0 ? "grew" : "shrank",
                   hsd_screen_size(screen, size, hsd_magnitude(growth)));
    if (total->before.bytes > 0 && total->after.bytes > 0)
        hsd_out_format(&screen->out, " (%s)", hsd_format_percent(percent, total->before.bytes, total->after.bytes));
}

/* Everything that was there is still there, as it was. */
static bool print_nothing_changed(hsd_screen *screen)
{
    const hsd_diff *diff = screen->diff;
    char count[HSD_NUMBER_CHARS];
    if (hsd_change_bytes(&diff->total) != 0 || hsd_change_objects(&diff->total) != 0 || diff->total.new_.objects > 0 ||
        diff->total.freed.objects > 0 || diff->total.resized_objects > 0)
        return false;
    hsd_out_format(&screen->out, "Nothing changed: the same %s live objects, of the same sizes.\n\n",
                   hsd_format_count(count, diff->total.after.objects));
    return true;
}

static void print_new_and_freed(hsd_screen *screen)
{
    const hsd_change *total = &screen->diff->total;
    char fresh[HSD_NUMBER_CHARS], freed[HSD_NUMBER_CHARS], resized[HSD_NUMBER_CHARS];
    hsd_out_format(&screen->out, ": %s new, %s freed",
                   hsd_screen_size(screen, fresh, hsd_change_sure(total, total->new_).bytes),
                   hsd_screen_size(screen, freed, hsd_change_sure(total, total->freed).bytes));
    if (total->undecided.bytes > 0)
        hsd_out_format(&screen->out, ", %s replaced or only written to",
                       hsd_screen_size(screen, fresh, total->undecided.bytes));
    if (total->resized_bytes != 0)
        hsd_out_format(&screen->out, ", %s by kept objects that %s",
                       hsd_screen_growth_size(screen, resized, total->resized_bytes),
                       total->resized_bytes > 0 ? "grew" : "shrank");
    hsd_out_text(&screen->out, ".");
}

/* What is missing after may be there all the same; what is missing before may only look new. */
static void print_partial(hsd_screen *screen)
{
    const hsd_diff *diff = screen->diff;
    char size[HSD_NUMBER_CHARS], count[HSD_NUMBER_CHARS];
    if (!hsd_screen_proves_growth(screen)) {
        hsd_out_text(&screen->out, "Growth is not known, because a part of the ");
        hsd_out_text(&screen->out, diff->before.info.is_complete
                                       ? "capture after is missing, the one that says what is live. "
                                       : "capture before is missing: what is only found after may have "
                                         "been there. ");
        hsd_out_text(&screen->out, "The figures below count what was read.");
        return;
    }
    if (diff->identity_is_known)
        hsd_out_format(&screen->out, "At least %s is new, in %s objects. ",
                       hsd_screen_size(screen, size, diff->total.new_.bytes),
                       hsd_format_count(count, diff->total.new_.objects));
    hsd_out_text(&screen->out, "A part of the capture after is missing: growth below is what is "
                               "proven at least, and ? where "
                               "nothing is, because what was not found may only be lost.");
}

/* Of totals, though both captures have objects. How many are walked is known where they were compared. */
static bool has_too_many(const hsd_diff *diff)
{
    return diff->is_of_totals && diff->before.info.objects > 0 && diff->after.info.objects > 0;
}

/* Why there is no more to say, unless a warning has said it. */
static const char *limits_of(const hsd_diff *diff)
{
    if (has_too_many(diff)) return NULL;
    if (diff->is_of_totals)
        return diff->has_sites ? "The captures hold sums by type and allocation site and no objects: what keeps them "
                                 "alive is not known."
                               : "The captures hold sums by type and no objects: what keeps them alive is not known.";
    if (diff->is_summary)
        return diff->before.info.has_parts || diff->after.info.has_parts
                   ? "From the totals of the captures alone: garbage is included, roots are not "
                     "looked at, and parts of "
                     "objects, such as the backing store of an array, count by themselves."
                   : "From the totals of the captures alone: garbage is included, and roots are "
                     "not looked at.";
    if (diff->identity_is_known || diff->is_partial || diff->warning_count > 0) return NULL;
    const bool moves =
        diff->before.info.identity == HSD_IDENTITY_MOVING || diff->after.info.identity == HSD_IDENTITY_MOVING;
    return moves ? "Objects move in this heap, so single objects cannot be recognised: growth is "
                   "exact, and how much of it "
                   "is new and how much was freed is not known."
                 : "Single objects cannot be recognised between these captures: growth is exact, "
                   "and how much of it is "
                   "new and how much was freed is not known.";
}

void hsd_screen_answer(hsd_screen *screen)
{
    const hsd_diff *diff = screen->diff;
    const bool all_counts = diff->is_summary || !diff->before.has_roots || !diff->after.has_roots;
    const char *limits = limits_of(diff);
    const bool leads = hsd_lost_leads(diff, screen->noise_bytes);
    if (leads) hsd_screen_lost_answer(screen);
    hsd_screen_uncollected_answer(screen);
    if (!diff->is_partial && diff->identity_is_known && !diff->is_summary && print_nothing_changed(screen)) {
        hsd_screen_process(screen);
        if (hsd_process_unseen(diff) > 0) hsd_out_text(&screen->out, "\n");
        return;
    }
    hsd_out_begin_paragraph(&screen->out);
    if (diff->is_partial) {
        print_partial(screen);
    } else {
        print_growth(screen, all_counts ? "Heap" : "Live heap");
        if (diff->identity_is_known && hsd_churn_is_told(diff))
            print_new_and_freed(screen);
        else
            hsd_out_text(&screen->out, ".");
    }
    hsd_out_end_paragraph(&screen->out, 0);
    hsd_screen_where(screen);
    if (!leads) hsd_screen_lost_answer(screen);
    hsd_screen_external(screen);
    hsd_screen_process(screen);
    if (limits) {
        hsd_out_begin_paragraph(&screen->out);
        hsd_out_text(&screen->out, limits);
        hsd_out_end_paragraph(&screen->out, 0);
    }
    hsd_out_text(&screen->out, "\n");
}
