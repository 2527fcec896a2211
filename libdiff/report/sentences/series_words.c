/*
 * The sentences of a series: what it is of, the answer, and where it leads.
 */
#include "report/sentences/series_words.h"

#include <string.h>

#include "report/sentences/held.h"
#include "report/words/number.h"
#include "report/words/utf8.h"

static hsd_status gather_series_word(void *buffer, const void *data, size_t size, hsd_error *err)
{
    return hsd_buffer_append(buffer, data, size, err);
}

void hsd_series_words_begin(hsd_series_words *words, const hsd_series *series, const hsd_report_options *options,
                            hsd_escape_form form, hsd_error *err)
{
    *words = (hsd_series_words){.series = series, .options = options, .form = form};
    hsd_out_init(&words->out, gather_series_word, &words->text, err);
}

hsd_status hsd_series_words_end(hsd_series_words *words) { return hsd_out_finish(&words->out); }

void hsd_series_words_release(hsd_series_words *words) { hsd_buffer_release(&words->text); }

static char *size_of(const hsd_series_words *words, char out[HSD_NUMBER_CHARS], uint64_t bytes)
{
    return words->options->exact_bytes ? hsd_format_exact(out, bytes) : hsd_format_bytes(out, bytes);
}

static const char *plural(uint64_t count) { return count == 1 ? "" : "s"; }

/* ---- names, which a sentence has little room for ---- */

#define NAME_CHARACTERS 48 /* of a longer name so many are shown, the half of them from its end */

static size_t characters_of(hsd_text text)
{
    size_t count = 0;
    uint32_t code;
    for (size_t at = 0; at < text.size; count++)
        at += hsd_utf8_next(text.data + at, text.size - at, &code);
    return count;
}

static size_t skip_characters(hsd_text text, size_t count)
{
    size_t at = 0;
    uint32_t code;
    for (; at < text.size && count > 0; count--)
        at += hsd_utf8_next(text.data + at, text.size - at, &code);
    return at;
}

static hsd_status append_cut(hsd_buffer *out, hsd_text name, size_t count, hsd_error *err)
{
    const size_t head = skip_characters(name, NAME_CHARACTERS / 2),
                 tail = skip_characters(name, count - NAME_CHARACTERS / 2);
    HSD_TRY(hsd_buffer_append(out, name.data, head, err));
    HSD_TRY(hsd_buffer_append(out, "...", 3, err));
    return hsd_buffer_append(out, name.data + tail, name.size - tail, err);
}

static void say_name(hsd_series_words *words, hsd_text name)
{
    const size_t count = characters_of(name);
    hsd_buffer cut = {0};
    if (words->options->width == 0 || count <= NAME_CHARACTERS) {
        hsd_out_said(&words->out, words->form, name);
        return;
    }
    if (words->out.status == HSD_OK) words->out.status = append_cut(&cut, name, count, words->out.err);
    hsd_out_said(&words->out, words->form, (hsd_text){(const char *)cut.data, cut.size});
    hsd_buffer_release(&cut);
}

void hsd_series_say_clause(hsd_series_words *words, hsd_text clause)
{
    hsd_out_escaped(&words->out, words->form == HSD_ESCAPE_MARKDOWN ? HSD_ESCAPE_MARKDOWN_PROSE : words->form, clause);
}

static void say_row(hsd_series_words *words, const hsd_series_row *row, bool is_holder)
{
    hsd_buffer place = {0};
    if (words->out.status == HSD_OK && is_holder)
        words->out.status = row->held_count > 0 ? hsd_series_append_holder(&place, row, words->out.err)
                                                : hsd_series_append_place(&place, row, words->out.err);
    say_name(words, is_holder ? (hsd_text){(const char *)place.data, place.size} : row->name);
    hsd_buffer_release(&place);
}

/* ---- the captures ---- */

static const char *process_words(const hsd_series *series)
{
    if (series->is_one_process) return "same process";
    for (size_t i = 1; i < series->point_count; i++)
        if (hsd_capture_processes(&series->points[i - 1].side.info, &series->points[i].side.info) == HSD_PROCESSES_TWO)
            return "different processes";
    return "not known if the same process";
}

/* What all captures say alike. */
static const char *common_name(const hsd_series *series)
{
    const char *name = series->points[0].side.info.process_name;
    for (size_t i = 0; i < series->point_count; i++) {
        const char *other = series->points[i].side.info.process_name;
        if (!name || !name[0] || !other || strcmp(name, other) != 0) return NULL;
    }
    return name;
}

static uint64_t common_pid(const hsd_series *series)
{
    for (size_t i = 1; i < series->point_count; i++)
        if (series->points[i].side.info.pid != series->points[0].side.info.pid) return 0;
    return series->points[0].side.info.pid;
}

static void say_process(hsd_series_words *words)
{
    const char *name = common_name(words->series);
    const uint64_t pid = common_pid(words->series);
    hsd_out_format(&words->out, ", %s", process_words(words->series));
    if (!name && pid == 0) return;
    hsd_out_text(&words->out, " (");
    if (name) say_name(words, (hsd_text){name, strlen(name)});
    if (pid > 0) hsd_out_format(&words->out, "%spid %llu", name ? ", " : "", (unsigned long long)pid);
    hsd_out_text(&words->out, ")");
}

/* ", 2 of them baselines, 1 incomplete": what is not the usual. */
static void say_kinds(hsd_series_words *words)
{
    const hsd_series *series = words->series;
    size_t baselines = 0, summaries = 0, incomplete = 0;
    for (size_t i = 0; i < series->point_count; i++) {
        baselines += series->points[i].is_baseline;
        summaries += series->points[i].is_summary;
        incomplete += !series->points[i].side.info.is_complete;
    }
    if (baselines > 0) hsd_out_format(&words->out, ", %zu baseline%s", baselines, plural(baselines));
    if (summaries > 0) hsd_out_format(&words->out, ", %zu with type totals alone, which count garbage", summaries);
    if (incomplete > 0) hsd_out_format(&words->out, ", %zu incomplete", incomplete);
}

void hsd_series_say_captures(hsd_series_words *words)
{
    const hsd_series *series = words->series;
    const size_t last = series->point_count - 1;
    char text[HSD_SPAN_CHARS], time[HSD_NUMBER_CHARS];
    if (series->before_count > 0)
        hsd_out_format(&words->out, "%zu capture%s before, %zu after", series->before_count,
                       plural(series->before_count), series->point_count - series->before_count);
    else
        hsd_out_format(&words->out, "%s captures", hsd_format_count(time, series->point_count));
    if (series->has_times && series->before_count == 0)
        hsd_out_format(&words->out, ", %s (%s)", hsd_series_long_span(text, series),
                       hsd_format_duration(time, series->points[last].side.info.taken_unix_ns -
                                                     series->points[0].side.info.taken_unix_ns));
    say_process(words);
    if (series->warmup > 0)
        hsd_out_format(&words->out, ", %lu left out at the start as warm-up", (unsigned long)series->warmup);
    say_kinds(words);
}

/* ---- the answer ---- */

/* "in each step since capture 4": how it grew, as the verdict of the row has it. */
static void say_how(hsd_series_words *words, const hsd_series_row *row)
{
    char moment[HSD_MOMENT_CHARS];
    const size_t since = hsd_series_grows_since(words->series, row);
    hsd_out_text(&words->out,
                 row->trend.verdict == HSD_VERDICT_EACH_STEP || since > 0 ? "in each step" : "on the whole");
    if (since > 0) hsd_out_format(&words->out, " since %s", hsd_series_moment(moment, words->series, since));
}

/* A type that grew by more, and does no longer. */
static bool has_larger(const hsd_series *series, const hsd_series_row *row)
{
    for (size_t i = 0; i < series->types.row_count; i++)
        if (series->types.rows[i].trend.growth > row->trend.growth) return true;
    return false;
}

/* A holder of half of the growth that looks like a buffer: it stands still, and fills. */
static bool say_enlarged(hsd_series_words *words)
{
    const hsd_series *series = words->series;
    const hsd_series_table *holders = &series->holders;
    char size[HSD_NUMBER_CHARS];
    for (size_t i = 0; series->before_count == 0 && i < holders->row_count; i++) {
        const hsd_series_row *row = &holders->rows[i];
        if (row->is_code || row->enlarged == 0 || row->trend.growth <= (int64_t)series->noise_bytes ||
            row->trend.growth < series->total.trend.growth / 2)
            continue;
        hsd_out_text(&words->out, ". ");
        say_row(words, row, true);
        hsd_out_format(&words->out,
                       " was enlarged %lu times, by %s: it may be a buffer that something is always appended to.",
                       (unsigned long)row->enlarged, size_of(words, size, (uint64_t)row->trend.growth));
        return true;
    }
    return false;
}

/* ". 96% of it hangs from svc.feed._events: Object, which grew in each step since capture 4." What has more than the
 * heap grew, as other things shrank, and types, have their own growth. */
static void say_leader(hsd_series_words *words)
{
    const hsd_series *series = words->series;
    const int64_t growth = series->total.trend.growth;
    hsd_report_table table;
    const hsd_series_row *row = hsd_series_leader(series, &table);
    char size[HSD_NUMBER_CHARS];
    if (hsd_series_is_code(series)) {
        hsd_out_format(&words->out, ". Most of the growth is %s.",
                       hsd_code_clause(&series->points[series->point_count - 1].side));
        return;
    }
    if (!row && say_enlarged(words)) return;
    if (!row) {
        hsd_out_text(&words->out, series->total.trend.verdict == HSD_VERDICT_EACH_STEP
                                      ? ", in each step; no one type or holder does."
                                      : "; nothing in it goes on growing.");
        return;
    }
    const bool is_type = table == HSD_TABLE_TYPES, is_part = !is_type && row->trend.growth <= growth + growth / 50;
    hsd_out_text(&words->out, is_type && has_larger(series, row) ? ". Of what goes on growing " : ". ");
    if (is_part)
        hsd_out_format(&words->out, "%s of the growth hangs from ",
                       hsd_format_share(size, (uint64_t)(row->trend.growth < growth ? row->trend.growth : growth),
                                        (uint64_t)growth));
    else if (!is_type)
        hsd_out_text(&words->out, "What hangs from ");
    say_row(words, row, table == HSD_TABLE_HOLDERS);
    if (is_part)
        hsd_out_text(&words->out, ", which grew ");
    else
        hsd_out_format(&words->out, " grew %s%s, ", is_type ? "most, by " : "",
                       size_of(words, size, (uint64_t)row->trend.growth));
    say_how(words, row);
    hsd_out_text(&words->out, ".");
}

static void say_steps(hsd_series_words *words)
{
    const size_t steps = words->series->point_count - 1 - words->series->warmup;
    if (steps > 1) hsd_out_format(&words->out, " over %zu steps", steps);
}

static void say_growth(hsd_series_words *words)
{
    const hsd_series *series = words->series;
    const int64_t growth = hsd_series_growth(series, &series->total);
    const uint64_t first = hsd_series_first(series, series->total.values).bytes,
                   last = hsd_series_last(series, series->total.values).bytes;
    char size[HSD_NUMBER_CHARS], percent[HSD_NUMBER_CHARS];
    if (growth == 0) {
        hsd_out_text(&words->out, "The heap kept its size");
    } else {
        hsd_out_format(&words->out, "The heap %s %s", growth > 0 ? "grew" : "shrank",
                       size_of(words, size, hsd_magnitude(growth)));
        if (first > 0 && last > 0) hsd_out_format(&words->out, " (%s)", hsd_format_percent(percent, first, last));
    }
}

static void say_noise(hsd_series_words *words)
{
    const int64_t growth = hsd_series_growth(words->series, &words->series->total);
    char size[HSD_NUMBER_CHARS];
    if (growth != 0 && hsd_magnitude(growth) < words->series->noise_bytes)
        hsd_out_format(&words->out, ", less than the noise (%s)", size_of(words, size, words->series->noise_bytes));
}

/* Of repeated captures. */
static void say_contrast(hsd_series_words *words)
{
    const hsd_contrast *total = &words->series->total.contrast;
    const int64_t growth = hsd_series_growth(words->series, &words->series->total);
    char size[HSD_NUMBER_CHARS], percent[HSD_NUMBER_CHARS], p[HSD_NUMBER_CHARS];
    if (growth == 0)
        hsd_out_text(&words->out, "The heap kept its median size");
    else
        hsd_out_format(&words->out, "The heap %s %s (%s)", growth > 0 ? "grew" : "shrank",
                       size_of(words, size, hsd_magnitude(growth)),
                       hsd_format_percent(percent, total->median_before, total->median_after));
    hsd_out_format(&words->out, ", which %s (p = %s).", total->is_significant ? "is significant" : "chance explains",
                   hsd_format_p(p, total->p_millionths));
}

static bool has_held_rows(const hsd_series *series)
{
    for (size_t i = 0; i < series->holders.row_count; i++)
        if (series->holders.rows[i].held_count > 0) return true;
    return false;
}

/* Where no row could be told of it: " From run-1.hs to run-5.hs the growth is held by app.queue: Queue, +1.20 MiB." */
static void say_held(hsd_series_words *words)
{
    const hsd_series *series = words->series;
    const hsd_holder *holders[HSD_MOST_HELD];
    hsd_buffer text = {0};
    if (!series->pair || series->is_pair_said || has_held_rows(series) ||
        series->total.trend.growth <= (int64_t)series->noise_bytes)
        return;
    const int64_t growth = hsd_change_bytes(&series->pair->total);
    const hsd_held held = {holders, hsd_diff_most_held(series->pair, growth, holders), growth};
    if (held.count == 0) return;
    hsd_out_text(&words->out, " From ");
    say_name(words, series->points[series->pair_from].label);
    hsd_out_text(&words->out, " to ");
    say_name(words, series->points[series->pair_to].label);
    hsd_out_text(&words->out, " the growth is held by ");
    if (words->out.status == HSD_OK)
        words->out.status = hsd_held_append_sizes(&text, &held, words->options->exact_bytes, words->out.err);
    hsd_out_said(&words->out, words->form, (hsd_text){(const char *)text.data, text.size});
    hsd_out_text(&words->out, ".");
    hsd_buffer_release(&text);
}

void hsd_series_say_answer(hsd_series_words *words)
{
    if (words->series->before_count > 0) {
        say_contrast(words);
        return;
    }
    say_growth(words);
    say_steps(words);
    say_noise(words);
    if (hsd_series_has_trend(words->series))
        say_leader(words);
    else
        hsd_out_text(&words->out, ".");
    say_held(words);
}

/* ---- where it leads ---- */

#define HOURS_MOST 1000 /* of a forecast that anybody cares for */

static void say_time(hsd_series_words *words, uint64_t bytes, uint64_t per_hour)
{
    const uint64_t tenths = (bytes * 10 + per_hour / 2) / per_hour, minutes = (bytes * 60 + per_hour / 2) / per_hour;
    const uint64_t tenths_of_days = (tenths + 12) / 24;
    if (tenths >= 1000)
        hsd_out_format(&words->out, "%llu.%llu days", (unsigned long long)(tenths_of_days / 10),
                       (unsigned long long)(tenths_of_days % 10));
    else if (tenths >= 10)
        hsd_out_format(&words->out, "%llu.%llu h", (unsigned long long)(tenths / 10),
                       (unsigned long long)(tenths % 10));
    else
        hsd_out_format(&words->out, minutes > 0 ? "%llu min" : "less than a minute", (unsigned long long)minutes);
}

static void say_forecast(hsd_series_words *words, const hsd_series_row *row, bool is_holder)
{
    const uint64_t rate = (uint64_t)hsd_series_rate(words->series, &row->trend);
    uint64_t bytes = UINT64_C(1) << 30;
    if (bytes / rate >= HOURS_MOST) bytes >>= 10;
    if (bytes / rate >= HOURS_MOST) return;
    hsd_out_text(&words->out, " At this rate ");
    say_row(words, row, is_holder);
    hsd_out_format(&words->out, " alone adds %s in ", bytes >> 30 ? "1 GiB" : "1 MiB");
    const uint64_t steps = bytes / rate + (bytes % rate > 0);
    if (hsd_series_is_hourly(words->series))
        say_time(words, bytes, rate);
    else
        hsd_out_format(&words->out, "%llu step%s", (unsigned long long)steps, plural(steps));
    hsd_out_text(&words->out, ".");
}

/* "in 13h 36m, at 2026-11-01 23:02Z"; "in 178 days, on 2027-05-26". */
static void say_when(hsd_series_words *words, uint64_t full_ns)
{
    const uint64_t left = full_ns - words->series->points[words->series->point_count - 1].side.info.taken_unix_ns,
                   days = left / 86400000000000u;
    char span[HSD_NUMBER_CHARS], time[HSD_NUMBER_CHARS];
    hsd_format_time(time, full_ns);
    if (days >= 2)
        hsd_out_format(&words->out, "in %llu days, on %.10s", (unsigned long long)days, time);
    else
        hsd_out_format(&words->out, "in %s, at %.16sZ", hsd_format_duration(span, left), time);
}

static const char *whose_limit(const hsd_forecast *full)
{
    const bool is_heap = full->used_name.size == 0;
    if (full->limit_name.size == 0) return "--limit";
    return is_heap ? "heap.limit" : "its container";
}

/* "At 2.90 MiB an hour the 512 MiB of --limit are full in 3 days, on 2026-12-02: the resident memory is at 300 MiB." Of
 * a limit that nobody asked for nothing is said where there is nothing to say. */
static void say_full(hsd_series_words *words)
{
    const hsd_forecast *full = &words->series->forecast;
    const bool is_asked = full->limit_name.size == 0, is_heap = full->used_name.size == 0;
    char limit[HSD_NUMBER_CHARS], used[HSD_NUMBER_CHARS], rate[HSD_NUMBER_CHARS];
    if (full->limit_bytes == 0 || (full->full_unix_ns == 0 && !is_asked)) return;
    const char *const space = words->out.buffer.size > 0 ? " " : "", *const name = whose_limit(full),
                      *const what = is_heap ? "the heap" : "the resident memory";
    size_of(words, limit, full->limit_bytes);
    size_of(words, used, full->used_bytes);
    if (full->full_unix_ns == 0) {
        hsd_out_format(&words->out, "%sWhen the %s of %s are full is not known: ", space, limit, name);
        hsd_series_say_clause(words, full->why_not);
        hsd_out_format(&words->out, "; %s is at %s.", what, used);
        return;
    }
    hsd_out_format(&words->out, "%sAt %s an hour the %s of %s are full ", space,
                   size_of(words, rate, (uint64_t)full->per_hour), limit, name);
    say_when(words, full->full_unix_ns);
    hsd_out_format(&words->out, ": %s is at %s", what, used);
    hsd_out_text(&words->out, is_asked && is_heap ? ", and what else the process takes comes on top." : ".");
}

/* What the answer names, if it grows in each step by now; else the type that grows fastest in every step, else the
 * holder. NULL = none. */
static const hsd_series_row *whose_rate_counts(const hsd_series *series, bool *is_holder)
{
    hsd_report_table table;
    const hsd_series_row *row = hsd_series_leader(series, &table);
    const bool leads = row &&
                       (row->trend.verdict == HSD_VERDICT_EACH_STEP || hsd_series_grows_since(series, row) > 0) &&
                       hsd_series_rate(series, &row->trend) > 0;
    *is_holder = leads && table == HSD_TABLE_HOLDERS;
    if (leads || hsd_series_is_code(series)) return row;
    row = hsd_series_fastest(series, &series->types);
    if (row) return row;
    *is_holder = true;
    return hsd_series_fastest(series, &series->holders);
}

static void say_verdicts(hsd_series_words *words, const char *lead, hsd_verdict verdict)
{
    const hsd_series_table *types = &words->series->types;
    const bool has_types = hsd_series_count(types, verdict) > 0;
    const size_t count = hsd_series_count(has_types ? types : &words->series->holders, verdict);
    if (count > 0)
        hsd_out_format(&words->out, "%s: %zu %s%s.", lead, count, has_types ? "type" : "holder", plural(count));
}

/* Ways to pick `before` of all captures; no more than 1,000 are told apart. */
static unsigned ways_to_pick(size_t before, size_t all)
{
    uint64_t ways = 1;
    for (size_t i = 0; i < before && ways <= 1000; i++)
        ways = ways * (all - i) / (i + 1);
    return ways > 1000 ? 1000 : (unsigned)ways;
}

#define ENOUGH_EACH 4 /* of 4 and 4 captures p can be 0.029 */

/* What ~ stands for, and whether so few captures can show anything at all. */
static void say_significance(hsd_series_words *words)
{
    char p[HSD_NUMBER_CHARS];
    const size_t before = words->series->before_count, all = words->series->point_count;
    const unsigned least = 2000000 / ways_to_pick(before < all - before ? before : all - before, all);
    hsd_out_text(&words->out, "~ is what chance explains: p is 0.05 or more (Mann-Whitney U).");
    if (least < 50000) return;
    hsd_out_format(&words->out, " With %zu and %zu captures p is never below ", before, all - before);
    hsd_out_format(&words->out, "%s: take %u of each side or more.",
                   hsd_format_p(p, before == 1 || all - before == 1 || least > 1000000 ? 1000000 : least), ENOUGH_EACH);
}

void hsd_series_say_end(hsd_series_words *words)
{
    const hsd_series *series = words->series;
    if (series->before_count > 0) {
        say_significance(words);
        return;
    }
    if (!hsd_series_has_trend(series)) {
        hsd_out_text(&words->out, "Three captures and more show whether it goes on growing.");
        say_full(words);
        return;
    }
    bool is_holder;
    const hsd_series_row *row = whose_rate_counts(series, &is_holder);
    say_verdicts(words, "Growing in every step", HSD_VERDICT_EACH_STEP);
    if (row) say_forecast(words, row, is_holder);
    const bool is_next = words->out.buffer.size > 0;
    say_verdicts(words, is_next ? " Growing on the whole" : "Growing on the whole", HSD_VERDICT_GROWING);
    say_full(words);
}

void hsd_series_say_why_not(hsd_series_words *words)
{
    static const char *const names[] = {"Types", "Roots", "Holders"};
    const char *separator = "";
    for (size_t i = 0; i < 3; i++) {
        const hsd_series_table *table = hsd_series_table_of(words->series, (hsd_report_table)i);
        if (table->is_known || table->why_not.size == 0) continue;
        hsd_out_format(&words->out, "%s%s are not known: ", separator, names[i]);
        hsd_series_say_clause(words, table->why_not);
        hsd_out_text(&words->out, ".");
        separator = " ";
    }
}

/* "Lost: 1.00 MiB -> 3.00 MiB, no pointer to it is left; most by Parser::field (lost.cpp:5), +2.00 MiB, each step." */
static void say_lost(hsd_series_words *words, hsd_amount first, hsd_amount last)
{
    const hsd_series *series = words->series;
    const hsd_series_row *row = series->lost.row_count > 0 ? &series->lost.rows[0] : NULL;
    char a[HSD_NUMBER_CHARS], b[HSD_NUMBER_CHARS];
    hsd_out_format(&words->out, "Lost, not counted, as no pointer to it is left: %s -> %s",
                   size_of(words, a, first.bytes), size_of(words, b, last.bytes));
    if (row && row->trend.growth > 0 && row->place.size > 0 && last.bytes > first.bytes + series->noise_bytes) {
        hsd_out_text(&words->out, "; most of it by ");
        hsd_out_said(&words->out, words->form, row->place);
        hsd_out_format(&words->out, ", +%s, %s", size_of(words, a, (uint64_t)row->trend.growth),
                       hsd_verdict_word(row->trend.verdict));
    }
    hsd_out_text(&words->out, ".");
}

void hsd_series_say_unreached(hsd_series_words *words)
{
    char a[HSD_NUMBER_CHARS], b[HSD_NUMBER_CHARS];
    const hsd_amount first = hsd_series_first(words->series, words->series->unreached.values),
                     last = hsd_series_last(words->series, words->series->unreached.values);
    if (first.objects == 0 && last.objects == 0) return;
    if (words->series->lost.is_known) {
        say_lost(words, first, last);
        return;
    }
    hsd_out_format(&words->out, "Unreached, not counted: %s -> %s.", size_of(words, a, first.bytes),
                   size_of(words, b, last.bytes));
}
