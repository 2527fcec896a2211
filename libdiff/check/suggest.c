/*
 * A first configuration: limits a tenth above what grew, and some more for noise, for the whole heap and the five
 * holders that grew most (types, where captures know no holders). Of a series they are per round, so that they hold for
 * any number of captures.
 *
 * Noise is a share of the heap, so that a small heap has small limits: a hundredth of it, as the built-in rules have
 * for the whole heap of a series; of what a holder of a series gets per round, as much as they ask for with so many
 * rounds. More than 64 KiB it never is. What grew by less has no rule of its own: the first limit that somebody would
 * raise.
 *
 * A limit above what leaks would bless the leak. So of a series the rule that nothing grows in every round is written
 * too, and what grew so has its limit commented out, with the reason. Two captures cannot tell a leak from a cache that
 * fills.
 *
 * Names are foreign: they stand in double quotes with every byte that is not printable ASCII escaped; bytes that are no
 * UTF-8 become ?, which matches them. A limit is never less than what the worst row has that its pattern matches, so
 * what is written passes but for what grew in every round.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "check/allow.h"
#include "check/amount.h"
#include "check/grown.h"

#define ROWS_MOST   5u
#define NAME_BYTES  500u /* of a pattern; what is longer ends in * */
#define SLACK_MOST  (UINT64_C(64) << 10)
#define SLACK_LEAST (UINT64_C(4) << 10)
#define HEAP_SHARE  UINT64_C(10000) /* millionths: 1 %, the built-in limit of a whole heap per round */

typedef struct writer {
    hsd_facts facts;
    hsd_write_fn write;
    void *context;
    hsd_buffer patterns[ROWS_MOST];
    size_t count;
    size_t left_out;
    hsd_buffer name, scratch;
    bool is_comment; /* of a rule that is left out: each line of it */
    hsd_error *err;
} writer;

static hsd_status put_suggestion(writer *w, const char *text)
{
    return w->write(w->context, text, strlen(text), w->err);
}

__attribute__((format(printf, 2, 3))) static hsd_status put_format(writer *w, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return put_suggestion(w, text);
}

/* The beginning of a line inside `rules:`. */
static hsd_status put_line(writer *w, const char *text)
{
    HSD_TRY(put_suggestion(w, w->is_comment ? "  # " : "  "));
    return put_suggestion(w, text);
}

/* ---- names ---- */

static uint32_t code_of(const char *at, size_t size)
{
    const uint8_t *byte = (const uint8_t *)at;
    uint32_t code = size == 1 ? byte[0] : byte[0] & (0xffu >> (size + 1));
    for (size_t i = 1; i < size; i++)
        code = code << 6 | (byte[i] & 0x3fu);
    return code;
}

static hsd_status put_character(writer *w, const char *at, size_t size)
{
    const uint32_t code = code_of(at, size);
    if (code == '"' || code == '\\') return put_format(w, "\\%c", (int)code);
    if (code >= 0x20 && code < 0x7f) return put_format(w, "%c", (int)code);
    if (code < 0x100) return put_format(w, "\\x%02" PRIx32, code);
    return put_format(w, code < 0x10000 ? "\\u%04" PRIx32 : "\\U%08" PRIx32, code);
}

static hsd_status put_quoted(writer *w, const hsd_buffer *text)
{
    HSD_TRY(put_suggestion(w, "\""));
    for (size_t at = 0; at < text->size;) {
        const char *data = (const char *)text->data + at;
        const size_t size = hsd_check_character(data, text->size - at);
        HSD_TRY(put_character(w, data, size));
        at += size;
    }
    return put_suggestion(w, "\"");
}

/* A glob that matches `name`. */
static hsd_status make_glob(hsd_buffer *out, hsd_text name, hsd_error *err)
{
    hsd_buffer_clear(out);
    for (size_t at = 0; at < name.size;) {
        const size_t size = hsd_check_character(name.data + at, name.size - at);
        if (at + size > NAME_BYTES) return hsd_buffer_append(out, "*", 1, err);
        const bool is_no_character = size == 1 && (uint8_t)name.data[at] >= 0x80;
        const bool is_slash = at == 0 && name.data[0] == '/'; /* /…/ would be a regular expression */
        HSD_TRY(hsd_buffer_append(out, is_no_character || is_slash ? "?" : name.data + at, size, err));
        at += size;
    }
    return HSD_OK;
}

/* ---- limits ---- */

/* What lies between a limit and what was found, for noise. */
static uint64_t slack_of(const writer *w, bool is_whole_heap)
{
    const hsd_diff *diff = w->facts.diff;
    const hsd_series *series = w->facts.series;
    const uint64_t heap = diff != NULL ? diff->total.before.bytes : series->total.values[series->warmup].bytes;
    const uint64_t share =
        diff != NULL || is_whole_heap ? HEAP_SHARE : hsd_grown_auto_millionths(series->total.trend.step_count);
    const uint64_t slack = (uint64_t)hsd_amount_share(heap, share);
    return slack > SLACK_MOST ? SLACK_MOST : slack < SLACK_LEAST ? SLACK_LEAST : slack;
}

/* Up to this a change is noise. Over rounds the limits see to that. */
static uint64_t least_of(const writer *w) { return w->facts.diff != NULL ? slack_of(w, true) : SLACK_LEAST; }

static hsd_status put_limit(writer *w, int64_t found, bool is_whole_heap)
{
    const uint64_t grown = found > 0 ? (uint64_t)found : 0;
    const uint64_t limit = hsd_add_saturating(hsd_add_saturating(grown, grown / 10), slack_of(w, is_whole_heap));
    const char *per_round = w->facts.series != NULL ? " per round" : "";
    char size[32];
    if (limit > INT64_MAX / 2)
        snprintf(size, sizeof size, "%" PRId64 " B", INT64_MAX);
    else
        hsd_amount_write_size(size, limit);
    HSD_TRY(put_line(w, "  max_growth: "));
    HSD_TRY(put_format(w, "%s%s", size, per_round));
    if (grown == 0) return put_suggestion(w, "  # found: no growth\n");
    hsd_amount_write_size(size, grown);
    return put_format(w, "  # found: %s%s\n", size, per_round);
}

/* What a rule of the kind written here finds in a row. */
static int64_t found_in(writer *w, hsd_fact_table table, size_t row)
{
    hsd_fact fact;
    hsd_amount values[2];
    if (w->facts.series != NULL) {
        const hsd_series_table *rows = table == HSD_FACTS_HOLDERS ? &w->facts.series->holders : &w->facts.series->types;
        return rows->rows[row].trend.per_step;
    }
    hsd_facts_diff_get(w->facts.diff, table, row, HSD_MEASURE_BYTES, &fact, values);
    return hsd_int64_minus(hsd_int64_of(values[1].bytes), hsd_int64_of(values[0].bytes));
}

static hsd_status find_worst(writer *w, hsd_fact_table table, hsd_subject subject, const hsd_buffer *glob,
                             int64_t *worst)
{
    hsd_pattern pattern;
    hsd_status status = HSD_OK;
    *worst = 0;
    HSD_TRY(hsd_pattern_make(&pattern, (hsd_text){(const char *)glob->data, glob->size}, false, w->err));
    for (size_t row = 0; row < hsd_facts_rows(&w->facts, table) && status == HSD_OK; row++) {
        hsd_fact fact;
        bool is_match = false;
        hsd_facts_name(&w->facts, table, row, &fact);
        status = hsd_fact_matches(&fact, subject, &pattern, &w->name, &w->scratch, &is_match, w->err);
        const int64_t found = found_in(w, table, row);
        if (is_match && found > *worst) *worst = found;
    }
    hsd_pattern_release(&pattern);
    return status;
}

/* ---- what leaks ---- */

/* True if a row grew in every round, by more than so many millionths of the heap. */
static bool is_leak(const writer *w, const hsd_series_row *row, uint64_t millionths)
{
    const hsd_series *series = w->facts.series;
    const int64_t most = hsd_amount_share(series->total.values[series->warmup].bytes, millionths);
    return !row->is_code && row->trend.verdict == HSD_VERDICT_EACH_STEP && row->trend.least_step > most;
}

static bool is_leaking_row(const writer *w, hsd_fact_table table, size_t row)
{
    const hsd_series *series = w->facts.series;
    if (series == NULL) return false;
    const hsd_series_row *rows = (table == HSD_FACTS_HOLDERS ? &series->holders : &series->types)->rows;
    return is_leak(w, &rows[row], hsd_grown_auto_millionths(series->total.trend.step_count));
}

static hsd_status put_reason(writer *w, bool is_left_out)
{
    w->is_comment = is_left_out;
    if (!is_left_out) return HSD_OK;
    w->left_out++;
    return put_format(w,
                      "  # Left out: it grew in each of %" PRIu32
                      " rounds, as leaks do. Mend it, or accept it under `allow:`.\n",
                      w->facts.series->total.trend.step_count);
}

static hsd_status put_rule_against_leaks(writer *w, bool has_holders)
{
    if (w->facts.series == NULL) return HSD_OK;
    HSD_TRY(put_suggestion(w, has_holders
                                  ? "\n  - name: no holder grows in every round\n    holder: \"*\"\n"
                                  : "\n  - name: no type grows in every round\n    type: \"*\"\n    each: true\n"));
    return put_suggestion(w, "    max_growth: auto\n");
}

/* ---- rules ---- */

static bool suggestion_is_there(const writer *w, const hsd_buffer *glob)
{
    for (size_t i = 0; i < w->count; i++) {
        const hsd_buffer *other = &w->patterns[i];
        if (other->size == glob->size && memcmp(other->data, glob->data, glob->size) == 0) return true;
    }
    return false;
}

static hsd_status put_place(writer *w, const char *before, hsd_text root, const hsd_step *path, size_t path_count)
{
    const hsd_fact place = {.root = root, .path = path, .path_count = path_count};
    hsd_text text;
    HSD_TRY(hsd_fact_text(&place, HSD_SUBJECT_HOLDER, &w->name, &text, w->err));
    HSD_TRY(put_suggestion(w, before));
    return put_quoted(w, &w->name);
}

/* "(roots)" says nothing: who it is, by the names that `allow:` takes too. */
static hsd_status put_held_suggestion(writer *w, const hsd_fact *fact)
{
    for (size_t i = 0; i < fact->held_count; i++) {
        const hsd_holder *holder = fact->held[i];
        HSD_TRY(put_suggestion(w, "  # Held by "));
        if (holder->by_count == 0) HSD_TRY(put_place(w, "", holder->root, holder->path, holder->path_count));
        for (size_t k = 0; k < holder->by_count; k++)
            HSD_TRY(put_place(w, k > 0 ? " and " : "", holder->by[k].root, holder->by[k].path,
                              holder->by[k].path_count));
        HSD_TRY(put_suggestion(w, holder->by_count > 1 ? ", together.\n" : ".\n"));
    }
    return HSD_OK;
}

static hsd_status put_row(writer *w, hsd_fact_table table, hsd_subject subject, size_t row)
{
    hsd_buffer *glob = &w->patterns[w->count];
    hsd_fact fact;
    hsd_text text;
    int64_t worst;
    hsd_facts_name(&w->facts, table, row, &fact);
    HSD_TRY(hsd_fact_text(&fact, subject, &w->name, &text, w->err));
    HSD_TRY(make_glob(glob, text, w->err));
    if (glob->size == 0 || suggestion_is_there(w, glob)) return HSD_OK;
    HSD_TRY(find_worst(w, table, subject, glob, &worst));
    HSD_TRY(put_suggestion(w, "\n"));
    HSD_TRY(put_held_suggestion(w, &fact));
    HSD_TRY(put_reason(w, is_leaking_row(w, table, row)));
    HSD_TRY(put_line(w, subject == HSD_SUBJECT_HOLDER ? "- holder: " : "- type: "));
    HSD_TRY(put_quoted(w, glob));
    HSD_TRY(put_suggestion(w, "\n"));
    if (subject != HSD_SUBJECT_HOLDER) HSD_TRY(put_line(w, "  each: true\n"));
    HSD_TRY(put_limit(w, worst, false));
    w->is_comment = false;
    w->count++;
    return HSD_OK;
}

/* What is lost is never meant: the built-in limit, whatever was found. */
static hsd_status put_lost_suggestion(writer *w)
{
    if (!hsd_facts_tell_lost(&w->facts)) return HSD_OK;
    return put_suggestion(w, "\n  - name: nothing is lost\n    metric: lost.bytes\n    max_growth: 64 KiB\n");
}

/* The rows that grew most; both sources sort them so. */
static hsd_status put_rows(writer *w)
{
    const bool has_holders = w->facts.diff != NULL ? w->facts.diff->has_holders : w->facts.series->holders.is_known;
    const hsd_fact_table table = has_holders ? HSD_FACTS_HOLDERS : HSD_FACTS_TYPES;
    HSD_TRY(put_rule_against_leaks(w, has_holders));
    for (size_t row = 0; row < hsd_facts_rows(&w->facts, table) && w->count < ROWS_MOST; row++) {
        if (found_in(w, table, row) > (int64_t)least_of(w))
            HSD_TRY(put_row(w, table, has_holders ? HSD_SUBJECT_HOLDER : HSD_SUBJECT_TYPE, row));
    }
    return put_lost_suggestion(w);
}

static hsd_status put_whole_heap(writer *w)
{
    const hsd_diff *diff = w->facts.diff;
    const hsd_series *series = w->facts.series;
    const bool is_left_out = series != NULL && is_leak(w, &series->total, HEAP_SHARE);
    HSD_TRY(put_reason(w, is_left_out));
    HSD_TRY(put_line(w, "- name: whole heap\n"));
    HSD_TRY(put_line(w, "  metric: total.bytes\n"));
    HSD_TRY(put_limit(w, diff != NULL ? hsd_change_bytes(&diff->total) : series->total.trend.per_step, true));
    w->is_comment = false;
    if (!is_left_out) return HSD_OK;
    return put_suggestion(
        w, "\n  - name: whole heap does not grow in every round\n    metric: total.bytes\n    max_growth: 1 % "
           "per round\n");
}

static hsd_status put_whole_suggestion(writer *w)
{
    const hsd_series *series = w->facts.series;
    char least[32];
    hsd_amount_write_size(least, least_of(w));
    HSD_TRY(put_suggestion(
        w, "# First rules for hsdiff check. Limits lie a tenth above what was found, and a little for noise; raise\n"
           "# one only for a reason. Growth that is meant goes under `allow:`, where the reason stands beside it.\n"
           "check:\n"));
    HSD_TRY(put_format(w, "  min: %s  # up to this a change is noise\n", least));
    if (series != NULL)
        HSD_TRY(put_format(w, "  warmup: %" PRIu32 "  # captures at the start that are left out\n", series->warmup));
    HSD_TRY(put_suggestion(w, "\nrules:\n"));
    HSD_TRY(put_whole_heap(w));
    HSD_TRY(put_rows(w));
    return put_suggestion(w, "\n# allow:\n"
                             "#   - type: CacheEntry  # or root:, holder:; * is any characters\n"
                             "#     reason: filled on the first request, never evicted\n"
                             "#     up_to: 2 MiB\n"
                             "#     until: 2027-03-31\n");
}

hsd_status hsd_check_config_suggest(const hsd_diff *diff, const hsd_series *series, hsd_write_fn write, void *context,
                                    size_t *left_out, hsd_error *err)
{
    writer w = {.facts = {.diff = diff, .series = series}, .write = write, .context = context, .err = err};
    if ((diff == NULL) == (series == NULL))
        return hsd_fail(err, HSD_E_MISUSE, "a configuration is made from a diff or a series");
    const hsd_status status = put_whole_suggestion(&w);
    if (left_out != NULL) *left_out = w.left_out;
    for (size_t i = 0; i < ROWS_MOST; i++)
        hsd_buffer_release(&w.patterns[i]);
    hsd_buffer_release(&w.name);
    hsd_buffer_release(&w.scratch);
    return status;
}
