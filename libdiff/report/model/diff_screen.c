/*
 * On a screen, from the most important down: what must be known before any number is believed; the two captures; the
 * answer in a sentence; the tables that prove it; what was left out; what to type next. What is not known is not
 * printed. In Markdown what answers comes first, since what is last is left out first.
 */
#include "report/model/diff_screen.h"

#include "report/model/columns.h"
#include "report/sentences/brief.h"
#include "report/text/text.h"

/* ---- lines of the first screen ---- */

static hsd_screen screen_of(const hsd_out *out, const hsd_diff *diff, const hsd_model *model, hsd_escape_form form)
{
    return (hsd_screen){.out = *out,
                        .diff = diff,
                        .options = model->options,
                        .form = form,
                        .noise_bytes = hsd_model_noise_of(model, diff)};
}

static hsd_screen begin_screen(const hsd_out *out, const hsd_model *model, hsd_escape_form form)
{
    return screen_of(out, model->result, model, form);
}

void hsd_diff_tell_answer(hsd_out *out, const hsd_diff *diff, const hsd_model *model, hsd_escape_form form)
{
    hsd_screen screen = screen_of(out, diff, model, form);
    hsd_screen_answer(&screen);
    *out = screen.out;
}

#define TELLS(name, what)                                                                                              \
    static void tell_##name(hsd_out *out, const hsd_model *model, hsd_escape_form form)                                \
    {                                                                                                                  \
        hsd_screen screen = begin_screen(out, model, form);                                                            \
        what;                                                                                                          \
        *out = screen.out;                                                                                             \
    }
TELLS(captures, hsd_screen_captures(&screen))
TELLS(answer, hsd_screen_answer(&screen))
TELLS(tree, hsd_screen_tree(&screen))
TELLS(foot, hsd_screen_foot(&screen, model->has_folded))

static void add_lines(hsd_model *model, void (*what)(hsd_out *, const hsd_model *, hsd_escape_form))
{
    hsd_model_add(model, (hsd_part){.kind = HSD_PART_LINES, .in = HSD_IN_TEXT, .tell = what, .is_close = true});
}

hsd_status hsd_diff_add_screen(hsd_model *model, hsd_diff_people *people, const hsd_model_request *request)
{
    const hsd_diff *diff = model->result;
    const bool leads = hsd_lost_leads(diff, hsd_model_noise(model));
    bool *folded = &model->has_folded;
    hsd_model_add(model, hsd_warnings_part(diff->warnings, diff->warning_count));
    add_lines(model, tell_captures);
    add_lines(model, tell_answer);
    if (leads) HSD_TRY(hsd_growth_add_lost(model, &people->lost, request, folded));
    HSD_TRY(hsd_growth_add_ranking(model, &people->types, request, HSD_TABLE_TYPES, folded));
    HSD_TRY(hsd_growth_add_ranking(model, &people->roots, request, HSD_TABLE_ROOTS, folded));
    HSD_TRY(hsd_growth_add_sites(model, &people->sites, request, folded));
    if (!leads) HSD_TRY(hsd_growth_add_lost(model, &people->lost, request, folded));
    HSD_TRY(hsd_holder_lines_add(model, &people->holders, request));
    if (request->options->tree) add_lines(model, tell_tree);
    HSD_TRY(hsd_growth_add_uncollected(model, &people->uncollected, request, folded));
    add_lines(model, tell_foot);
    return HSD_OK;
}

/* ---- Markdown ---- */

static void add_sentence(hsd_model *model, hsd_part_kind kind,
                         void (*what)(hsd_out *, const hsd_model *, hsd_escape_form))
{
    hsd_model_add(model, (hsd_part){.kind = kind, .in = HSD_IN_PEOPLE, .tell = what});
}

static void add_head(hsd_model *model, const hsd_diff *diff, bool leads)
{
    if (leads) add_sentence(model, HSD_PART_SENTENCE, hsd_tell_diff_lost);
    add_sentence(model, HSD_PART_ANSWER, hsd_tell_diff_answer);
    add_sentence(model, HSD_PART_SENTENCE, hsd_tell_diff_holder);
    if (!leads) add_sentence(model, HSD_PART_SENTENCE, hsd_tell_diff_lost);
    add_sentence(model, HSD_PART_RELATION, hsd_tell_diff_captures);
    hsd_model_add(model, hsd_warnings_part(diff->warnings, diff->warning_count));
}

/* What is lost where that is more than what is live; what keeps the growth alive (where that is not known: roots), the
 * places that allocated it, and the types that grew most; what is not collected yet at the end. */
hsd_status hsd_diff_add_markdown(hsd_model *model, hsd_diff_people *people, const hsd_model_request *request)
{
    const hsd_diff *diff = model->result;
    const bool leads = hsd_lost_leads(diff, hsd_model_noise(model)),
               sites_first = diff->has_sites && !diff->has_holders; /* then they are the answer */
    add_head(model, diff, leads);
    if (leads) HSD_TRY(hsd_growth_add_lost(model, &people->lost, request, NULL));
    if (sites_first) HSD_TRY(hsd_growth_add_sites(model, &people->sites, request, NULL));
    if (diff->has_holders) {
        HSD_TRY(hsd_holder_lines_add(model, &people->holders, request));
    } else {
        add_sentence(model, HSD_PART_SENTENCE, hsd_tell_diff_why_no_holders);
        HSD_TRY(hsd_growth_add_ranking(model, &people->roots, request, HSD_TABLE_ROOTS, NULL));
    }
    if (!leads) HSD_TRY(hsd_growth_add_lost(model, &people->lost, request, NULL));
    if (diff->has_sites && !sites_first) HSD_TRY(hsd_growth_add_sites(model, &people->sites, request, NULL));
    HSD_TRY(hsd_growth_add_ranking(model, &people->types, request, HSD_TABLE_TYPES, NULL));
    return hsd_growth_add_uncollected(model, &people->uncollected, request, NULL);
}

/* ---- HTML ---- */

hsd_status hsd_diff_add_page(hsd_model *model, hsd_diff_people *people, const hsd_model_request *request)
{
    const hsd_diff *diff = model->result;
    HSD_TRY(hsd_growth_add_lost(model, &people->lost, request, NULL));
    if (diff->has_sites) HSD_TRY(hsd_growth_add_sites(model, &people->sites, request, NULL));
    HSD_TRY(hsd_growth_add_ranking(model, &people->types, request, HSD_TABLE_TYPES, NULL));
    HSD_TRY(hsd_growth_add_ranking(model, &people->roots, request, HSD_TABLE_ROOTS, NULL));
    return hsd_growth_add_uncollected(model, &people->uncollected, request, NULL);
}

void hsd_diff_people_release(hsd_diff_people *people)
{
    hsd_growth_release(&people->types);
    hsd_growth_release(&people->roots);
    hsd_growth_release(&people->sites);
    hsd_growth_release(&people->lost);
    hsd_growth_release(&people->uncollected);
    hsd_holder_lines_release(&people->holders);
}
