/*
 * Sentences about findings: who it is, what holds it, how steadily it grew, why it is accepted.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/sentences/check_words.h"
#include "report/sentences/held.h"
#include "report/sentences/place.h"

static hsd_status put_check_sentence(hsd_buffer *out, const char *text, hsd_error *err)
{
    return hsd_buffer_append(out, text, strlen(text), err);
}

static hsd_status put_text(hsd_buffer *out, hsd_text text, hsd_error *err)
{
    return hsd_buffer_append(out, text.data, text.size, err);
}

/* ---- who ---- */

hsd_status hsd_finding_append_place(hsd_buffer *out, const hsd_finding *finding, hsd_error *err)
{
    const hsd_spot spot = {finding->root, finding->path, finding->path_count, 0};
    return finding->root.size > 0 || finding->path_count > 0 ? hsd_place_append(out, &spot, err) : HSD_OK;
}

static hsd_holder holder_of(const hsd_finding *finding)
{
    if (finding->holder) return *finding->holder;
    return (hsd_holder){.type =
                            finding->path_count > 0 ? finding->path[finding->path_count - 1].type : (hsd_text){"", 0},
                        .root = finding->root,
                        .path = finding->path,
                        .path_count = finding->path_count};
}

hsd_status hsd_finding_append_holder(hsd_buffer *out, const hsd_finding *finding, hsd_error *err)
{
    const hsd_held held = {finding->held, finding->held_count, finding->growth};
    if (finding->held_count > 0) return hsd_held_append(out, &held, " (", ")", err);
    if (!finding->holder || finding->holder->by_count == 0) return hsd_finding_append_place(out, finding, err);
    return hsd_holder_append(out, finding->holder, " (", ")", err);
}

static bool is_shared(hsd_text root)
{
    static const char shared[] = "(shared)";
    return root.size == sizeof shared - 1 && memcmp(root.data, shared, root.size) == 0;
}

/* What roots are called may say it already: "held by C" of Python. */
static void say_held_by_once(hsd_buffer *out, size_t from)
{
    static const char words[] = "held by ";
    const size_t size = sizeof words - 1;
    if (out->size < from + size || memcmp(out->data + from, words, size) != 0) return;
    memmove(out->data + from, out->data + from + size, out->size - from - size);
    out->size -= size;
}

static hsd_status put_held_by(hsd_buffer *out, const hsd_finding *finding, hsd_error *err)
{
    const hsd_holder holder = holder_of(finding);
    if (finding->root.size == 0 && finding->path_count == 0) return HSD_OK;
    if (hsd_holder_is_nobody(&holder)) return put_check_sentence(out, ", held by no one object", err);
    if (holder.path_count == 0 && holder.by_count == 0 && is_shared(holder.root))
        return put_check_sentence(out, ", reached from several roots", err);
    HSD_TRY(put_check_sentence(out, ", held by ", err));
    const size_t from = out->size;
    HSD_TRY(hsd_holder_append(out, &holder, " (", ")", err));
    say_held_by_once(out, from);
    return hsd_cut_name(out, from, err);
}

static hsd_status put_cycle(hsd_buffer *out, hsd_text cycle, hsd_error *err)
{
    HSD_TRY(put_check_sentence(out, "cycle: ", err));
    return put_text(out, cycle, err);
}

static hsd_held held_of(const hsd_check_row *row, const hsd_finding *finding)
{
    return (hsd_held){finding->held, finding->held_count, row->is_bytes ? finding->growth : 0};
}

/* A line has no room for more than one, but for those that are needed. */
static bool is_one(const hsd_check_row *row, const hsd_finding *finding)
{
    const hsd_held held = held_of(row, finding);
    return finding->held_count == 0 || hsd_held_is_one(&held);
}

static hsd_status put_name(hsd_buffer *out, const hsd_check_row *row, const hsd_finding *finding, hsd_error *err)
{
    const hsd_holder holder = holder_of(finding);
    const hsd_held held = held_of(row, finding);
    const size_t from = out->size;
    if (finding->held_count > 0) return hsd_held_append(out, &held, ": ", "", err);
    if (row->rule->subject == HSD_SUBJECT_HOLDER)
        HSD_TRY(hsd_holder_append(out, &holder, ": ", "", err));
    else if (finding->cycle.size > 0)
        HSD_TRY(put_cycle(out, finding->cycle, err));
    else
        HSD_TRY(finding->name.size > 0 ? put_text(out, finding->name, err) : put_check_sentence(out, "(no name)", err));
    return hsd_cut_name(out, from, err);
}

static hsd_status put_holder_of(hsd_buffer *out, const hsd_check_row *row, const hsd_finding *finding, hsd_error *err)
{
    return hsd_row_is_of_places(row) ? HSD_OK : put_held_by(out, finding, err);
}

hsd_status hsd_finding_append_subject(hsd_buffer *out, const hsd_check_row *row, const hsd_finding *finding,
                                      hsd_error *err)
{
    HSD_TRY(put_name(out, row, finding, err));
    return put_holder_of(out, row, finding, err);
}

static hsd_held held_of_row(const hsd_check *check, const hsd_check_row *row)
{
    const hsd_diff *diff = check->series ? check->series->pair : check->diff;
    return (hsd_held){row->held, row->held_count, diff ? hsd_change_bytes(&diff->total) : 0};
}

hsd_status hsd_row_append_held(hsd_buffer *out, const hsd_check *check, const hsd_check_row *row, bool is_exact,
                               hsd_error *err)
{
    const hsd_held held = held_of_row(check, row);
    if (row->held_count == 0) return HSD_OK;
    HSD_TRY(put_check_sentence(out, "held by ", err));
    const size_t from = out->size;
    HSD_TRY(hsd_held_append_sizes(out, &held, is_exact, err));
    say_held_by_once(out, from);
    return HSD_OK;
}

hsd_status hsd_row_append_who(hsd_buffer *out, const hsd_check *check, const hsd_check_row *row, hsd_error *err)
{
    const hsd_held held = held_of_row(check, row);
    const hsd_finding *first = row->finding_count > 0 ? &row->findings[0] : NULL;
    if (row->outcome != HSD_CHECK_FAIL && row->outcome != HSD_CHECK_WARN) return HSD_OK;
    if (row->held_count == 0) return first ? hsd_finding_append_subject(out, row, first, err) : HSD_OK;
    HSD_TRY(put_check_sentence(out, "held by ", err));
    const size_t from = out->size;
    HSD_TRY(hsd_held_append(out, &held, " (", ")", err));
    say_held_by_once(out, from);
    return HSD_OK;
}

/* Each of those who hold it with its part. */
static hsd_status put_each(hsd_buffer *out, const hsd_check_row *row, const hsd_finding *finding, bool is_exact,
                           hsd_error *err)
{
    const hsd_held held = held_of(row, finding);
    return hsd_held_append_sizes(out, &held, is_exact, err);
}

/* ---- how ---- */

static hsd_status put_rounds(hsd_buffer *out, const hsd_check_row *row, const hsd_finding *finding, bool is_exact,
                             hsd_error *err)
{
    char text[HSD_VALUE_CHARS + 64], value[HSD_VALUE_CHARS];
    (void)hsd_row_value(value, row, finding->per_round, is_exact);
    if (finding->round_count == 0)
        snprintf(text, sizeof text, ", %s per round", value);
    else
        snprintf(text, sizeof text, ", grew in %" PRIu32 " of %" PRIu32 " round%s, %s per round", finding->up_count,
                 finding->round_count, finding->round_count == 1 ? "" : "s", value);
    return put_check_sentence(out, text, err);
}

hsd_status hsd_finding_append_excuse(hsd_buffer *out, const hsd_finding *finding, hsd_error *err)
{
    if (finding->allowed) {
        HSD_TRY(put_check_sentence(out, finding->allowed->reason.size > 0 ? "allowed: " : "allowed", err));
        return put_text(out, finding->allowed->reason, err);
    }
    return finding->is_levelled ? put_check_sentence(out, "has levelled off, which is accepted", err) : HSD_OK;
}

hsd_status hsd_finding_append(hsd_buffer *out, const hsd_check *check, const hsd_check_row *row,
                              const hsd_finding *finding, bool is_exact, hsd_error *err)
{
    char value[HSD_VALUE_CHARS];
    const bool is_split = !is_one(row, finding);
    if (is_split)
        HSD_TRY(put_each(out, row, finding, is_exact, err));
    else
        HSD_TRY(put_name(out, row, finding, err));
    if (is_split || finding->growth != row->found || row->is_per_round) {
        HSD_TRY(put_check_sentence(out, is_split ? ": " : " ", err));
        HSD_TRY(put_check_sentence(out, hsd_row_value(value, row, finding->growth, is_exact), err));
        if (is_split) HSD_TRY(put_check_sentence(out, " in all", err));
    }
    HSD_TRY(put_holder_of(out, row, finding, err));
    if (check->series) HSD_TRY(put_rounds(out, row, finding, is_exact, err));
    if (finding->allowed || finding->is_levelled) HSD_TRY(put_check_sentence(out, "; ", err));
    return hsd_finding_append_excuse(out, finding, err);
}

/* " objects", " type"; nothing for sizes and for what the capture measured. */
static const char *noun_of(const hsd_check_row *row)
{
    const bool is_one = row->found == 1 || row->found == -1;
    if (row->is_bytes || row->rule->measure == HSD_MEASURE_CAPTURE) return "";
    if (row->rule->measure == HSD_MEASURE_NEW_TYPES) return is_one ? " type" : " types";
    return is_one ? " object" : " objects";
}

hsd_status hsd_row_append_verdict(hsd_buffer *out, const hsd_check_row *row, bool is_exact, hsd_error *err)
{
    char found[HSD_VALUE_CHARS], limit[HSD_VALUE_CHARS], over[HSD_VALUE_CHARS], text[3 * HSD_VALUE_CHARS + 64];
    if (row->outcome == HSD_CHECK_UNKNOWN || row->outcome == HSD_CHECK_OFF) {
        HSD_TRY(put_check_sentence(out, row->outcome == HSD_CHECK_OFF ? "not asked" : "cannot be judged", err));
        HSD_TRY(put_check_sentence(out, row->why_unknown.size > 0 ? ": " : "", err));
        return put_text(out, row->why_unknown, err);
    }
    hsd_row_value(found, row, row->found, is_exact);
    hsd_row_value(limit, row, row->limit, is_exact);
    hsd_row_value(over, row, row->over, is_exact);
    snprintf(text, sizeof text, "%s%s%s, the limit is %s%s%s", found, noun_of(row),
             row->is_per_round ? " per round" : "", limit, row->over > 0 ? ", over by " : "",
             row->over > 0 ? over : "");
    return put_check_sentence(out, text, err);
}

/* ---- where it was allocated ---- */

hsd_status hsd_finding_append_site(hsd_buffer *out, const hsd_finding *finding, hsd_error *err)
{
    char line[16];
    const hsd_site_frame *frame = hsd_finding_frame(finding);
    if (!frame) return HSD_OK;
    snprintf(line, sizeof line, ":%" PRIu32, frame->line);
    HSD_TRY(put_check_sentence(out, "allocated at ", err));
    HSD_TRY(put_text(out, frame->function, err));
    HSD_TRY(put_check_sentence(out, frame->function.size > 0 ? " (" : "", err));
    HSD_TRY(put_text(out, frame->file, err));
    HSD_TRY(put_check_sentence(out, line, err));
    return put_check_sentence(out, frame->function.size > 0 ? ")" : "", err);
}

/* ---- the head ---- */

static hsd_status put_path(hsd_buffer *out, const hsd_side *side, hsd_error *err)
{
    const char *path = side->info.path ? side->info.path : "";
    return put_check_sentence(out, strcmp(path, "-") == 0 ? "standard input" : path, err);
}

static hsd_status put_series(hsd_buffer *out, const hsd_series *series, hsd_error *err)
{
    char count[HSD_NUMBER_CHARS], text[HSD_NUMBER_CHARS + 64];
    if (series->point_count == 0) return HSD_OK;
    snprintf(text, sizeof text, "%s captures, ", hsd_format_count(count, series->point_count));
    HSD_TRY(put_check_sentence(out, text, err));
    HSD_TRY(put_text(out, series->points[0].label, err));
    HSD_TRY(put_check_sentence(out, " -> ", err));
    HSD_TRY(put_text(out, series->points[series->point_count - 1].label, err));
    if (series->warmup == 0) return HSD_OK;
    if (series->warmup == 1) return put_check_sentence(out, ", the first left out as warm-up", err);
    snprintf(text, sizeof text, ", the first %s left out as warm-up", hsd_format_count(count, series->warmup));
    return put_check_sentence(out, text, err);
}

hsd_status hsd_check_append_head(hsd_buffer *out, const hsd_check *check, hsd_error *err)
{
    char count[HSD_NUMBER_CHARS], text[HSD_NUMBER_CHARS + 16];
    const hsd_check_config *config = check->config;
    HSD_TRY(put_text(out, config->name, err));
    snprintf(text, sizeof text, ", %s rule%s, ", hsd_format_count(count, check->row_count),
             check->row_count == 1 ? "" : "s");
    HSD_TRY(put_check_sentence(out, text, err));
    if (check->series) return put_series(out, check->series, err);
    if (!check->diff) return HSD_OK;
    HSD_TRY(put_path(out, &check->diff->before, err));
    HSD_TRY(put_check_sentence(out, " -> ", err));
    return put_path(out, &check->diff->after, err);
}
