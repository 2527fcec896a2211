/*
 * How sure the matching is: by what objects were recognised and how many by each rung, what cannot be decided, and
 * addresses that hold another object by now.
 */
#include "report/sentences/match.h"

#include "report/text/text.h"
#include "report/words/number.h"

/* For programs; and for people, behind "by". */
#define WORDS_OF(rung, name, words, strength) [HSD_MATCH_##rung] = {name, words},
static const struct {
    const char *name, *words;
} rungs[HSD_MATCH_RUNG_COUNT] = {HSD_MATCH_RUNGS(WORDS_OF)};

const char *hsd_rung_name(hsd_match_rung rung) { return rungs[rung].name; }

const char *hsd_basis_name(const hsd_diff *diff)
{
    if (!diff->identity_is_known) return "counts";
    if (diff->is_by_structure) return "structure";
    return diff->before.info.identity == HSD_IDENTITY_EXACT ? "exact" : "address";
}

/* ---- by what ---- */

static void print_part(hsd_screen *screen, const char **separator, const char *name, uint64_t count)
{
    char text[HSD_NUMBER_CHARS];
    if (count == 0) return;
    hsd_out_format(&screen->out, "%s%s %s", *separator, name, hsd_format_count(text, count));
    *separator = ", ";
}

static void print_sums(hsd_screen *screen)
{
    const hsd_match *match = &screen->diff->match;
    const char *separator = "Objects matched by ";
    print_part(screen, &separator, screen->diff->is_by_structure ? "identity hash" : "exact id", match->exact);
    print_part(screen, &separator, "address and type", match->address);
    print_part(screen, &separator, "structure", match->structure);
    if (separator[0] == 'O') {
        hsd_out_text(&screen->out, "No object is in both captures");
        separator = ": ";
    } else {
        separator = "; ";
    }
    print_part(screen, &separator, "only before", match->unmatched_before);
    print_part(screen, &separator, "only after", match->unmatched_after);
    hsd_out_text(&screen->out, ".");
}

static void print_weak(hsd_screen *screen)
{
    const hsd_match *match = &screen->diff->match;
    const bool has_changed = match->rungs[HSD_MATCH_CHANGED].objects > 0,
               has_twins = match->rungs[HSD_MATCH_TWINS].objects > 0;
    char share[HSD_NUMBER_CHARS];
    if (match->weak.objects == 0 || (!has_changed && !has_twins)) return;
    hsd_out_format(&screen->out, "; %s hold %s of the bytes after",
                   has_changed && has_twins ? "the changed and the twins"
                   : has_changed            ? "the changed"
                                            : "the twins",
                   hsd_format_share(share, match->weak.bytes, screen->diff->total.after.bytes));
}

/* The rungs of the structure. Where ids decide there is one, whose sum has said it. */
static void print_rungs(hsd_screen *screen)
{
    const hsd_match *match = &screen->diff->match;
    const char *separator = " Live in both: by ";
    if (!screen->diff->is_by_structure || match->structure == 0) return;
    for (int rung = 0; rung < HSD_MATCH_RUNG_COUNT; rung++)
        print_part(screen, &separator, rung == HSD_MATCH_EXACT ? "identity hash" : rungs[rung].words,
                   match->rungs[rung].objects);
    if (separator[0] == ' ') return;
    print_weak(screen);
    hsd_out_text(&screen->out, ".");
}

/* ---- what is not certain ---- */

static void print_ambiguous(hsd_screen *screen)
{
    const uint64_t count = screen->diff->match.ambiguous;
    char text[HSD_NUMBER_CHARS];
    if (count == 0) return;
    hsd_out_begin_paragraph(&screen->out);
    if (count == 1)
        hsd_out_text(&screen->out, "1 object has an equal that came or went: the number is right, "
                                   "which of them it is is not known.");
    else
        hsd_out_format(&screen->out,
                       "%s objects have an equal that came or went: their number is right, which "
                       "ones is not known.",
                       hsd_format_count(text, count));
    hsd_out_end_paragraph(&screen->out, 0);
}

static void print_reused(hsd_screen *screen)
{
    const uint64_t reused = screen->diff->match.reused, estimate = screen->diff->match.reuse_estimate;
    char a[HSD_NUMBER_CHARS], b[HSD_NUMBER_CHARS];
    if (reused == 0 && estimate == 0) return;
    hsd_out_begin_paragraph(&screen->out);
    if (reused > 0)
        hsd_out_format(&screen->out, "%s address%s used again for another object", hsd_format_count(a, reused),
                       reused == 1 ? " was" : "es were");
    if (reused > 0 && estimate > 0)
        hsd_out_format(&screen->out, "; some %s more may hold another that looks alike", hsd_format_count(b, estimate));
    else if (estimate > 0)
        hsd_out_format(&screen->out, "Some %s address%s may hold another object that looks alike",
                       hsd_format_count(b, estimate), estimate == 1 ? "" : "es");
    hsd_out_text(&screen->out, ".");
    hsd_out_end_paragraph(&screen->out, 0);
}

bool hsd_screen_match(hsd_screen *screen)
{
    if (!screen->diff->identity_is_known) return false;
    hsd_out_begin_paragraph(&screen->out);
    print_sums(screen);
    print_rungs(screen);
    hsd_out_end_paragraph(&screen->out, 0);
    print_ambiguous(screen);
    print_reused(screen);
    return true;
}
