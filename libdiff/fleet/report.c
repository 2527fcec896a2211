/*
 * A report: the answers of the first stage are read line by line, each process is judged as its last value has come,
 * and each place as its last process has. Of places that grow the deepest holders are told, not all that is above them:
 *
 *      (heap)                 grows   explained by what is below
 *      └ static Shop.cache    grows   explained by what is below
 *        └ HashMap  1         grows   the holder: exactly one object in every capture
 *          └ [*] Session 900  grows   what accumulates there
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/fail.h"
#include "base/options.h"
#include "fleet/answer.h"
#include "fleet/ask.h"
#include "fleet/judge.h"
#include "fleet/postgres.h"

#define DEPTH_MOST 512u
#define NONE       UINT32_MAX

typedef struct candidate {
    hsd_fleet_finding finding;
    hsd_fleet_side sides[2];
    const hsd_fleet_line *lines[2 * HSD_FLEET_LINES_MOST];
    uint32_t line_count, side_lines[2];
    int64_t explained; /* bytes an hour that holders below it have */
    uint32_t depth, holder;
    bool is_single, grows, is_told;
} candidate;

typedef struct above {
    int64_t key, parent;
} above;

typedef struct reading {
    hsd_fleet_report *report;
    hsd_arena *arena;
    const hsd_fleet_report_options *options;
    uint64_t noise_bytes;
    candidate *candidates;
    above *aboves; /* by key */
    uint32_t candidate_count, candidate_capacity, above_count, above_capacity, version_capacity;
    hsd_fleet_points points; /* of one process */
    uint32_t number, side;   /* whose they are */
    uint64_t process;
    bool has_points;
} reading;

struct hsd_fleet_store {
    hsd_arena arena;
};

/* ---- lines */

static hsd_status take_version(reading *r, const hsd_answer_line *line, hsd_error *err)
{
    hsd_fleet_report *report = r->report;
    int64_t n[6];
    HSD_TRY(hsd_answer_numbers(line, 1, 6, n, err));
    if (n[0] != (int64_t)report->version_count || n[1] < 0 || n[1] > UINT32_MAX) return hsd_answer_fail(err);
    HSD_TRY(HSD_ARRAY_GROW(report->versions, r->version_capacity, report->version_count + 1, 16, "versions", err));
    hsd_fleet_version *version = &report->versions[report->version_count++];
    *version = (hsd_fleet_version){.before = (uint32_t)n[1],
                                   .processes = (uint64_t)n[2],
                                   .captures = (uint64_t)n[3],
                                   .judged = (uint64_t)n[4],
                                   .began_unix_ns = (uint64_t)n[5] * 1000000u};
    version->captures_needed = hsd_fleet_captures_needed(version->processes, version->captures);
    report->processes += version->processes;
    report->captures += version->captures;
    HSD_TRY(hsd_answer_text(line, 7, r->arena, &version->service, err));
    return hsd_answer_text(line, 8, r->arena, &version->version, err);
}

static hsd_status take_candidate(reading *r, const hsd_answer_line *line, hsd_error *err)
{
    int64_t n[2], of_key[2];
    HSD_TRY(hsd_answer_numbers(line, 1, 2, n, err));
    HSD_TRY(hsd_answer_numbers(line, 4, 2, of_key, err));
    if (n[0] != r->candidate_count || n[1] < 0 || (size_t)n[1] >= r->report->version_count) return hsd_answer_fail(err);
    HSD_TRY(HSD_ARRAY_GROW_ZEROED(r->candidates, r->candidate_capacity, r->candidate_count + 1, 16, "places", err));
    candidate *c = &r->candidates[r->candidate_count++];
    *c = (candidate){.is_single = of_key[1] != 0, .holder = NONE};
    c->finding.version = (uint32_t)n[1];
    c->finding.key = (uint64_t)of_key[0];
    c->finding.is_place = strcmp(line->fields[3], "place") == 0;
    c->finding.held = (hsd_text){"", 0};
    return hsd_answer_text(line, 6, r->arena, &c->finding.name, err);
}

static hsd_status take_above(reading *r, const hsd_answer_line *line, hsd_error *err)
{
    int64_t n[2];
    HSD_TRY(hsd_answer_numbers(line, 1, 2, n, err));
    HSD_TRY(HSD_ARRAY_GROW(r->aboves, r->above_capacity, r->above_count + 1, 64, "places", err));
    r->aboves[r->above_count++] = (above){n[0], n[1]};
    return HSD_OK;
}

/* ---- values */

/* Of many captures each n-th, and the last. */
static void thin_points(hsd_fleet_line *line, const hsd_fleet_points *points)
{
    const size_t last = points->count - 1, most = HSD_FLEET_LINE_POINTS - 1, steps = last < most ? last : most;
    for (size_t i = 0; i <= steps; i++) {
        const size_t at = steps == 0 ? 0 : i * last / steps;
        line->unix_ns[line->count] = points->times_ns[at];
        line->bytes[line->count++] = points->values[at];
    }
}

static hsd_status keep_line(reading *r, hsd_error *err)
{
    candidate *c = &r->candidates[r->number];
    if (!r->options->with_lines || r->points.count == 0 || c->side_lines[r->side] == HSD_FLEET_LINES_MOST)
        return HSD_OK;
    hsd_fleet_line *line = hsd_arena_take(r->arena, sizeof *line);
    if (line == NULL) return hsd_fail_nomem(err, "a report");
    line->is_before = r->side == 0;
    thin_points(line, &r->points);
    c->side_lines[r->side]++;
    c->lines[c->line_count++] = line;
    return HSD_OK;
}

static hsd_status finish_process(reading *r, hsd_error *err)
{
    if (!r->has_points) return HSD_OK;
    r->has_points = false;
    HSD_TRY(keep_line(r, err));
    return hsd_fleet_side_add(&r->candidates[r->number].sides[r->side], &r->points, r->noise_bytes, err);
}

/* Of very many captures of one process the last ones count. */
static void put_point(hsd_fleet_points *points, uint64_t time_ns, uint64_t value)
{
    if (points->count > 0 && points->times_ns[points->count - 1] >= time_ns) return;
    if (points->count == HSD_SERIES_MOST) {
        points->count = HSD_SERIES_MOST / 2;
        memmove(points->values, points->values + HSD_SERIES_MOST / 2, points->count * sizeof *points->values);
        memmove(points->times_ns, points->times_ns + HSD_SERIES_MOST / 2, points->count * sizeof *points->times_ns);
    }
    points->values[points->count] = value;
    points->times_ns[points->count++] = time_ns;
}

static hsd_status take_point(reading *r, const hsd_answer_line *line, hsd_error *err)
{
    int64_t n[5];
    HSD_TRY(hsd_answer_numbers(line, 1, 5, n, err));
    if (n[0] < 0 || n[0] >= r->candidate_count || n[1] < 0 || n[1] > 1 || n[3] < 0 || n[4] < 0)
        return hsd_answer_fail(err);
    if (!r->has_points || r->number != (uint32_t)n[0] || r->side != (uint32_t)n[1] || r->process != (uint64_t)n[2]) {
        HSD_TRY(finish_process(r, err));
        r->number = (uint32_t)n[0];
        r->side = (uint32_t)n[1];
        r->process = (uint64_t)n[2];
        r->points.count = 0;
        r->has_points = true;
    }
    put_point(&r->points, (uint64_t)n[3] * 1000000u, (uint64_t)n[4]);
    return HSD_OK;
}

static hsd_status take_report_line(void *context, const hsd_answer_line *line, hsd_error *err)
{
    reading *r = context;
    switch (line->fields[0][0]) {
    case 'V': return line->count == 9 ? take_version(r, line, err) : hsd_answer_fail(err);
    case 'W': return line->count == 7 ? take_candidate(r, line, err) : hsd_answer_fail(err);
    case 'U': return line->count == 3 ? take_above(r, line, err) : hsd_answer_fail(err);
    case 'P': return line->count == 6 ? take_point(r, line, err) : hsd_answer_fail(err);
    default: return hsd_answer_fail(err);
    }
}

/* ---- the candidates */

/* What grows in the first version of several is nothing new: there it is held against nothing. */
static bool has_successor(const hsd_fleet_report *report, uint32_t version)
{
    for (size_t i = 0; i < report->version_count; i++)
        if (i != version && report->versions[i].before == version) return true;
    return false;
}

static hsd_status judge_candidates(reading *r, hsd_error *err)
{
    for (uint32_t i = 0; i < r->candidate_count; i++) {
        candidate *c = &r->candidates[i];
        hsd_fleet_finding *f = &c->finding;
        const hsd_fleet_version *version = &r->report->versions[f->version];
        const bool has_before = version->before != f->version;
        hsd_fleet_verdict verdict;
        const uint64_t before_judged = has_before ? r->report->versions[version->before].judged : 0;
        HSD_TRY(hsd_fleet_judge(&verdict, &c->sides[1], version->judged, has_before ? &c->sides[0] : NULL,
                                before_judged, err));
        c->grows = verdict.grows && (has_before || !has_successor(r->report, f->version));
        f->processes = c->sides[1].growers;
        f->before_processes = c->sides[0].growers;
        f->per_hour = verdict.per_hour;
        f->spread_per_hour = verdict.spread_per_hour;
        f->before_per_hour = verdict.before_per_hour;
        f->growth = verdict.growth;
        f->first_unix_ns = c->sides[1].first_ms * 1000000u;
        f->p_millionths = verdict.p_millionths;
        f->contrast_millionths = verdict.contrast_millionths;
        hsd_fleet_side_release(&c->sides[0]);
        hsd_fleet_side_release(&c->sides[1]);
    }
    return HSD_OK;
}

static bool find_parent(const reading *r, uint64_t key, uint64_t *parent)
{
    uint32_t first = 0, end = r->above_count;
    while (first < end) {
        const uint32_t middle = first + (end - first) / 2;
        if (r->aboves[middle].key < (int64_t)key)
            first = middle + 1;
        else
            end = middle;
    }
    if (first == r->above_count || r->aboves[first].key != (int64_t)key) return false;
    *parent = (uint64_t)r->aboves[first].parent;
    return true;
}

/* The place of that key that grows in the same version. */
static uint32_t find_candidate(const reading *r, uint32_t version, uint64_t key)
{
    for (uint32_t i = 0; i < r->candidate_count; i++) {
        const candidate *c = &r->candidates[i];
        if (c->grows && c->finding.is_place && c->finding.version == version && c->finding.key == key) return i;
    }
    return NONE;
}

/* The nearest place above that grows; NONE = there is none. */
static uint32_t next_above(const reading *r, uint32_t number)
{
    const hsd_fleet_finding *f = &r->candidates[number].finding;
    uint64_t key = f->key;
    for (unsigned i = 0; i < DEPTH_MOST && find_parent(r, key, &key); i++) {
        const uint32_t found = find_candidate(r, f->version, key);
        if (found != NONE && found != number) return found;
    }
    return NONE;
}

static void find_holders(reading *r)
{
    for (uint32_t i = 0; i < r->candidate_count; i++) {
        candidate *c = &r->candidates[i];
        uint64_t key = c->finding.key;
        if (!c->grows || !c->finding.is_place) continue;
        c->holder = next_above(r, i);
        while (c->depth < DEPTH_MOST && find_parent(r, key, &key))
            c->depth++;
    }
}

/* Deepest first: a holder is told unless those below it have half of its growth. */
static void choose_holders(reading *r)
{
    for (uint32_t depth = DEPTH_MOST + 1; depth-- > 0;) {
        for (uint32_t i = 0; i < r->candidate_count; i++) {
            candidate *c = &r->candidates[i];
            if (!c->grows || !c->finding.is_place || c->depth != depth) continue;
            const bool is_held = !c->is_single && c->holder != NONE;
            c->is_told = !is_held && c->explained < c->finding.per_hour / 2 + c->finding.per_hour % 2;
            if (!c->is_told) continue;
            for (uint32_t up = c->holder, steps = 0; up != NONE && steps < DEPTH_MOST;
                 up = r->candidates[up].holder, steps++)
                r->candidates[up].explained += c->finding.per_hour;
        }
    }
}

/* What grows most right below a holder is what accumulates there. */
static void name_held(reading *r)
{
    for (uint32_t i = 0; i < r->candidate_count; i++) {
        int64_t most = 0;
        for (uint32_t j = 0; r->candidates[i].is_told && j < r->candidate_count; j++) {
            const candidate *c = &r->candidates[j];
            if (!c->grows || !c->finding.is_place || c->is_single || c->holder != i || c->finding.per_hour <= most)
                continue;
            most = c->finding.per_hour;
            r->candidates[i].finding.held = c->finding.name;
        }
    }
}

/* ---- the result */

static int compare_findings(const void *left, const void *right)
{
    const hsd_fleet_finding *a = left, *b = right;
    const double of_a = (double)a->per_hour * (double)a->processes, of_b = (double)b->per_hour * (double)b->processes;
    if (a->is_place != b->is_place) return a->is_place ? -1 : 1;
    if (of_a != of_b) return of_a > of_b ? -1 : 1;
    if (a->version != b->version) return a->version < b->version ? -1 : 1;
    return (a->key > b->key) - (a->key < b->key);
}

/* Lines of a finding, those of the version before first; they live as long as the report. */
static hsd_status give_lines(reading *r, const candidate *c, hsd_fleet_finding *f, hsd_error *err)
{
    if (c->line_count == 0) return HSD_OK;
    const hsd_fleet_line **lines = hsd_arena_take(r->arena, c->line_count * sizeof(void *));
    if (lines == NULL) return hsd_fail_nomem(err, "a report");
    for (unsigned before = 2; before-- > 0;)
        for (uint32_t i = 0; i < c->line_count; i++)
            if (c->lines[i]->is_before == (before == 1)) lines[f->line_count++] = c->lines[i];
    f->lines = lines;
    return HSD_OK;
}

static hsd_status tell_findings(reading *r, hsd_error *err)
{
    hsd_fleet_report *report = r->report;
    report->findings = calloc((size_t)r->candidate_count + 1, sizeof *report->findings);
    if (report->findings == NULL) return hsd_fail_nomem(err, "a report");
    for (uint32_t i = 0; i < r->candidate_count; i++) {
        const candidate *c = &r->candidates[i];
        if (!(c->finding.is_place ? c->is_told : c->grows)) continue;
        hsd_fleet_finding *f = &report->findings[report->finding_count++];
        *f = c->finding;
        HSD_TRY(give_lines(r, c, f, err));
    }
    if (report->finding_count > 0)
        qsort(report->findings, report->finding_count, sizeof *report->findings, compare_findings);
    return HSD_OK;
}

/* What was asked for must be there: a name with a mistake in it would never grow. */
static hsd_status check_asked(const hsd_fleet_report *report, const hsd_fleet_report_options *options, hsd_error *err)
{
    const char *const wanted[2] = {options->version, options->baseline};
    if (options->service != NULL && report->version_count == 0) {
        hsd_fail(err, HSD_E_NOT_FOUND, "the store has no captures of the service %.100s", options->service);
        hsd_error_set_hint(err, "hsdiff fleet report without --service names all of them");
        return HSD_E_NOT_FOUND;
    }
    for (unsigned i = 0; i < 2; i++) {
        bool found = wanted[i] == NULL;
        for (size_t j = 0; j < report->version_count && !found; j++)
            found = strcmp(report->versions[j].version.data, wanted[i]) == 0;
        if (found) continue;
        hsd_fail(err, HSD_E_NOT_FOUND, "the store has no captures of the version %.100s", wanted[i]);
        hsd_error_set_hint(err, "hsdiff fleet report names the versions that it has");
        return HSD_E_NOT_FOUND;
    }
    return HSD_OK;
}

static bool has_states(const hsd_fleet_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->batches[i].has_states) return true;
    return false;
}

static hsd_status read_files(reading *r, const char *path, const hsd_run *run, hsd_error *err)
{
    char service[HSD_FLEET_PART_CHARS], date[HSD_FLEET_PART_CHARS];
    hsd_fleet_list list = {0};
    hsd_buffer sql = {0};
    const hsd_fleet_report_options *options = r->options;
    if (options->service != NULL) hsd_fleet_service_part(service, options->service);
    hsd_fleet_date_part(date, options->since_unix_ns / 1000000u);
    hsd_answer answer = {.take = take_report_line, .context = r};
    hsd_status status = hsd_fleet_list_batches(&list, path, run, options->service != NULL ? service : NULL,
                                               options->since_unix_ns > 0 ? date : NULL, err);
    if (status == HSD_OK) status = hsd_sql_put_settings(&sql, path, run, err);
    if (status == HSD_OK) status = hsd_fleet_ask_views(&sql, &list, err);
    if (status == HSD_OK) status = hsd_fleet_ask(&sql, &hsd_dialect_duckdb, options, has_states(&list), err);
    if (status == HSD_OK) status = hsd_answer_ask(&answer, path, &sql, run, err);
    if (status == HSD_OK) status = finish_process(r, err);
    hsd_fleet_list_release(&list);
    hsd_buffer_release(&sql);
    return status;
}

static hsd_status read_database(reading *r, const char *path, const hsd_run *run, hsd_error *err)
{
    hsd_answer answer = {.take = take_report_line, .context = r};
    hsd_buffer sql = {0};
    hsd_status status = hsd_psql_put_head(&sql, err);
    if (status == HSD_OK) status = hsd_sql_put(&sql, err, "BEGIN ISOLATION LEVEL REPEATABLE READ;\n");
    if (status == HSD_OK) status = hsd_fleet_ask(&sql, &hsd_dialect_postgres, r->options, true, err);
    if (status == HSD_OK) status = hsd_sql_put(&sql, err, "ROLLBACK;\n");
    if (status == HSD_OK) status = hsd_answer_ask(&answer, path, &sql, run, err);
    if (status == HSD_OK) status = finish_process(r, err);
    hsd_buffer_release(&sql);
    return status;
}

static void release_reading(reading *r)
{
    for (uint32_t i = 0; i < r->candidate_count; i++) {
        hsd_fleet_side_release(&r->candidates[i].sides[0]);
        hsd_fleet_side_release(&r->candidates[i].sides[1]);
    }
    free(r->candidates);
    free(r->aboves);
    free(r);
}

static hsd_status fill_report(hsd_fleet_report *report, const char *path, const hsd_fleet_report_options *options,
                              const hsd_run *run, hsd_error *err)
{
    reading *r = calloc(1, sizeof *r); /* the points of a process are too much for a stack */
    if (r == NULL) return hsd_fail_nomem(err, "a report");
    r->report = report;
    r->arena = &report->store->arena;
    r->options = options;
    r->noise_bytes = options->noise_bytes > 0 ? options->noise_bytes : HSD_FLEET_NOISE;
    hsd_status status = hsd_fleet_where_is(path) == HSD_FLEET_DATABASE ? read_database(r, path, run, err)
                                                                       : read_files(r, path, run, err);
    if (status == HSD_OK) status = check_asked(report, options, err);
    if (status == HSD_OK) status = judge_candidates(r, err);
    if (status == HSD_OK) {
        find_holders(r);
        choose_holders(r);
        name_held(r);
        status = tell_findings(r, err);
    }
    release_reading(r);
    return status;
}

hsd_status hsd_fleet_report_run(hsd_fleet_report **out, const char *path, const hsd_fleet_report_options *options,
                                const hsd_run *run, hsd_error *err)
{
    hsd_fleet_report_options own;
    *out = NULL;
    HSD_TRY(HSD_TAKE_OPTIONS(hsd_fleet_report_options, noise_bytes, &own, options, err));
    hsd_status status = HSD_E_CORRUPT;
    /* files that were replaced while they were read are not there the second time */
    for (unsigned turn = 0; turn < 2 && status == HSD_E_CORRUPT; turn++) {
        hsd_fleet_report *report = calloc(1, sizeof *report);
        if (report != NULL) report->store = calloc(1, sizeof *report->store);
        if (report == NULL || report->store == NULL) {
            free(report);
            return hsd_fail_nomem(err, "a report");
        }
        status = fill_report(report, path, &own, run, err);
        if (status == HSD_OK)
            *out = report;
        else
            hsd_fleet_report_free(report);
    }
    return status;
}

void hsd_fleet_report_free(hsd_fleet_report *report)
{
    if (report == NULL) return;
    free(report->versions);
    free(report->findings);
    hsd_arena_release(&report->store->arena);
    free(report->store);
    free(report);
}
