/*
 * Who holds what grows, by the diff of two captures of the series. The series says that something grows, and how much
 * in each step; the diff knows each object, and so names what several hold together, and the static behind a place that
 * hangs from no one root.
 *
 *      row of the series                 holder of the diff                         is it the row's?
 *      app.byName: Map                   app.byName: Map                            the same place: it says no more
 *      (roots).orders: Map               static Shop.open.orders: Map               the path of the row is the end of its path
 *      (roots)                           byId and byName, together                  it is no other row's: the largest that are left
 *
 * Each holder of the diff counts for one row, and for a row that begins nowhere by what is left of it: what hangs from
 * one promise is reached by its reactions, too, and stands at several places. So what is said of the rows adds up to no
 * more than what grew. Rows of which the same is said are one, with the sums of all: a person reads who holds it, and
 * how much that is.
 */
#include <hsdiff/series.h>

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "series/rows.h"
#include "series/store.h"

#define ROWS_ASKED 256u /* that grew most */

static bool is_growing(const hsd_series *series, const hsd_series_row *row)
{
    const bool goes_up = row->trend.verdict == HSD_VERDICT_EACH_STEP || row->trend.verdict == HSD_VERDICT_GROWING;
    return goes_up && row->trend.growth > 0 && (uint64_t)row->trend.growth > series->noise_bytes;
}

/* It hangs from no one root: its path begins nowhere. */
static bool is_vague(const hsd_series_row *row) { return hsd_root_is_nobody(row->root); }

/* ---- whether, and which two ---- */

/* What grows has a name if its rows have places: else a row says nothing, or no row grows as the heap does. */
bool hsd_series_wants_pair(const hsd_series *series)
{
    int64_t named = 0;
    if (!series->holders.is_known || series->before_count > 0) return false;
    for (size_t i = 0; i < series->holders.row_count; i++) {
        const hsd_series_row *row = &series->holders.rows[i];
        if (!is_growing(series, row)) continue;
        if (is_vague(row)) return true;
        named += row->trend.growth;
    }
    return is_growing(series, &series->total) && named < series->total.trend.growth / 2;
}

static bool is_whole(const hsd_series_point *point)
{
    const bool has_objects = !point->is_baseline && !point->is_summary;
    return has_objects && point->side.info.is_complete && point->side.has_roots && point->side.has_references;
}

bool hsd_series_find_pair(const hsd_series *series, size_t *from, size_t *to)
{
    size_t found = 0;
    for (size_t i = series->warmup; series->before_count == 0 && i < series->point_count; i++) {
        if (!is_whole(&series->points[i])) continue;
        if (found++ == 0) *from = i;
        *to = i;
    }
    return found > 1;
}

/* ---- whose it is ---- */

typedef struct asking {
    hsd_series *series;
    const hsd_diff *pair;
    bool *is_taken; /* of each holder of the pair: it is a row's */
    int64_t *left;  /* of each: what it has grown by and no row was told of */
    hsd_error *err;
} asking;

static bool is_same_text(hsd_text a, hsd_text b) { return hsd_series_compare(a, b) == 0; }

static bool is_same_step(const hsd_step *a, const hsd_step *b)
{
    return a->repeat == b->repeat && is_same_text(a->type, b->type) && is_same_text(a->edge, b->edge);
}

static bool is_place_of(const hsd_series_row *row, hsd_text root, const hsd_step *path, size_t count, uint64_t cut)
{
    if (cut > 0 || count != row->path_count || !is_same_text(row->root, root)) return false;
    for (size_t i = 0; i < count; i++)
        if (!is_same_step(&path[i], &row->path[i])) return false;
    return true;
}

static bool is_held_with_others(const hsd_series_row *row, const hsd_holder *holder)
{
    for (size_t i = 0; i < holder->by_count; i++) {
        const hsd_co_holder *by = &holder->by[i];
        if (is_place_of(row, by->root, by->path, by->path_count, by->path_cut)) return true;
    }
    return false;
}

/* The row's path goes on in the holder's, from step `at` of that, as far as both go. A row that begins nowhere has no
 * first edge. */
static bool goes_on_at(const hsd_series_row *row, const hsd_holder *holder, size_t at)
{
    for (size_t i = 0; i < row->path_count && at + i < holder->path_count; i++) {
        const hsd_step *a = &row->path[i], *b = &holder->path[at + i];
        if (!is_same_text(a->type, b->type) || (i > 0 && !is_same_text(a->edge, b->edge))) return false;
    }
    return true;
}

static bool is_along(const hsd_series_row *row, const hsd_holder *holder)
{
    for (size_t at = 0; at < holder->path_count; at++)
        if (goes_on_at(row, holder, at)) return true;
    return false;
}

/* Between the two captures of the pair. */
static int64_t growth_of(const asking *a, const hsd_series_row *row)
{
    return (int64_t)(row->values[a->series->pair_to].bytes - row->values[a->series->pair_from].bytes);
}

/* Nobody holds much more of a row than it has grown by: what does is another's. A quarter, since the diff counts for
 * objects and the row for places. */
static bool fits_in(int64_t growth, const hsd_holder *holder) { return holder->growth_bytes <= growth + growth / 4; }

/* What hangs from a path that begins nowhere, where no path of the pair goes along it: as much as the row has grown by.
 */
static bool is_as_large(int64_t growth, const hsd_holder *holder)
{
    return holder->growth_bytes >= growth / 2 && fits_in(growth, holder);
}

typedef enum kinship { SAME_PLACE, ALONG, TOGETHER, AS_LARGE, THE_REST } kinship;

static bool is_kin(const hsd_series_row *row, const hsd_holder *holder, int64_t growth, kinship how)
{
    switch (how) {
    case SAME_PLACE: return is_place_of(row, holder->root, holder->path, holder->path_count, holder->path_cut);
    case ALONG: return is_along(row, holder);
    case TOGETHER: return is_held_with_others(row, holder);
    case AS_LARGE: return is_as_large(growth, holder);
    case THE_REST: return !hsd_holder_is_nobody(holder) && fits_in(growth, holder);
    }
    return false;
}

/* Gives the row holders of that kind that are left: as many as make up four fifths of its growth, the largest first. */
static hsd_status give_series_holder(asking *a, hsd_series_row *row, kinship how)
{
    const int64_t growth = growth_of(a, row), enough = growth - growth / 5, least = growth / 20;
    const hsd_holder *held[HSD_MOST_HELD];
    size_t count = 0;
    int64_t told = 0;
    for (size_t i = 0; i < a->pair->holder_count && count < HSD_MOST_HELD && told < enough; i++) {
        const hsd_holder *holder = &a->pair->holders[i];
        if (holder->growth_bytes <= 0 || holder->growth_bytes < least) break;
        if (a->is_taken[i] || holder->is_code || !is_kin(row, holder, growth, how)) continue;
        a->is_taken[i] = true;
        a->left[i] = count == 0 ? holder->growth_bytes - growth : 0;
        told += holder->growth_bytes;
        held[count++] = holder;
    }
    void *kept;
    if (count == 0) return HSD_OK;
    HSD_TRY(hsd_series_take(a->series->store, sizeof held, &kept, a->err));
    memcpy(kept, held, count * sizeof *held);
    row->held = kept;
    row->held_count = count;
    return HSD_OK;
}

static hsd_status give_all(asking *a, bool (*is_asked)(const hsd_series_row *row), kinship how)
{
    const hsd_series_table *table = &a->series->holders;
    for (size_t i = 0; i < table->row_count && i < ROWS_ASKED; i++) {
        hsd_series_row *row = &table->rows[i];
        if (growth_of(a, row) <= (int64_t)a->series->noise_bytes || row->held_count > 0 || row->is_code ||
            !is_asked(row))
            continue;
        HSD_TRY(give_series_holder(a, row, how));
    }
    return HSD_OK;
}

static bool is_left_over(const asking *a, const hsd_series_row *row)
{
    return growth_of(a, row) > (int64_t)a->series->noise_bytes && row->held_count == 0 && !row->is_code &&
           is_vague(row);
}

/* The holder that has most left: as much as the row has grown by. With `all` such rows nearly all of it is told. */
static size_t find_left(const asking *a, int64_t growth, int64_t all)
{
    const int64_t least = growth - growth / 4;
    size_t most = SIZE_MAX;
    for (size_t i = 0; i < a->pair->holder_count && a->pair->holders[i].growth_bytes >= least; i++) {
        const hsd_holder *holder = &a->pair->holders[i];
        if (holder->is_code || hsd_holder_is_nobody(holder) || a->left[i] < least) continue;
        if (a->left[i] - all > holder->growth_bytes / 4) continue;
        if (most == SIZE_MAX || a->left[i] > a->left[most]) most = i;
    }
    return most;
}

/* Rows that begin nowhere and that no holder fits: several of them are one holder's, or what a row of its own left. */
static hsd_status give_what_is_left(asking *a)
{
    const hsd_series_table *table = &a->series->holders;
    int64_t all = 0;
    for (size_t i = 0; i < table->row_count && i < ROWS_ASKED; i++)
        if (is_left_over(a, &table->rows[i])) all += growth_of(a, &table->rows[i]);
    for (size_t i = 0; i < table->row_count && i < ROWS_ASKED; i++) {
        hsd_series_row *row = &table->rows[i];
        if (!is_left_over(a, row)) continue;
        const int64_t growth = growth_of(a, row);
        const size_t holder = find_left(a, growth, all);
        all -= growth;
        if (holder == SIZE_MAX) continue;
        void *kept;
        HSD_TRY(hsd_series_take(a->series->store, sizeof(const hsd_holder *), &kept, a->err));
        *(const hsd_holder **)kept = &a->pair->holders[holder];
        row->held = kept;
        row->held_count = 1;
        a->left[holder] -= growth;
    }
    return HSD_OK;
}

static bool has_place(const hsd_series_row *row) { return !is_vague(row); }
static bool begins_nowhere(const hsd_series_row *row) { return is_vague(row) && row->path_count > 0; }
static bool is_nowhere(const hsd_series_row *row) { return is_vague(row) && row->path_count == 0; }

/* A row's own place, held by it alone, tells nobody anything. */
static void forget_what_is_said(hsd_series *series)
{
    for (size_t i = 0; i < series->holders.row_count; i++) {
        hsd_series_row *row = &series->holders.rows[i];
        const bool is_said =
            row->held_count == 1 && row->held[0]->by_count == 0 && is_kin(row, row->held[0], 0, SAME_PLACE);
        if (!is_said) continue;
        if (row->held[0] == series->pair->holders) series->is_pair_said = true;
        row->held_count = 0;
    }
}

/* ---- rows of the same holders ---- */

static bool are_held_alike(const hsd_series_row *a, const hsd_series_row *b)
{
    if (a->held_count == 0 || a->held_count != b->held_count) return false;
    return memcmp(a->held, b->held, a->held_count * sizeof *a->held) == 0;
}

/* The row that is told, of two of the same holders: the one that begins somewhere. */
static void swap_if_vague(hsd_series_row *to, hsd_series_row *from)
{
    if (!is_vague(to) || is_vague(from)) return;
    const hsd_series_row was = *to;
    *to = *from;
    *from = was;
}

static hsd_status add_row_to(const asking *a, hsd_series_row *to, const hsd_series_row *from)
{
    const size_t count = a->series->point_count;
    void *sums;
    HSD_TRY(hsd_series_take(a->series->store, count * sizeof(hsd_amount), &sums, a->err));
    hsd_amount *values = sums;
    for (size_t i = 0; i < count; i++) {
        values[i] = to->values[i];
        hsd_series_add(&values[i], from->values[i]);
    }
    to->values = values;
    return HSD_OK;
}

/* Adds all behind row `at` that are held as it is, and takes them out. */
static hsd_status join_rows_with(const asking *a, size_t at)
{
    hsd_series_table *table = &a->series->holders;
    hsd_series_row *to = &table->rows[at];
    size_t kept = at + 1;
    for (size_t i = at + 1; i < table->row_count; i++) {
        hsd_series_row *from = &table->rows[i];
        if (are_held_alike(to, from)) {
            swap_if_vague(to, from);
            HSD_TRY(add_row_to(a, to, from));
        } else
            table->rows[kept++] = *from;
    }
    if (kept < table->row_count) hsd_rows_judge(a->series, to);
    table->row_count = kept;
    return HSD_OK;
}

static hsd_status join_rows(const asking *a)
{
    hsd_series_table *table = &a->series->holders;
    const size_t before = table->row_count;
    for (size_t i = 0; i < table->row_count && i < ROWS_ASKED; i++)
        if (table->rows[i].held_count > 0) HSD_TRY(join_rows_with(a, i));
    if (table->row_count < before) hsd_rows_order(a->series, table);
    return HSD_OK;
}

/* From the surest to what is left over. */
static hsd_status give_holders(asking *a)
{
    HSD_TRY(give_all(a, has_place, SAME_PLACE));
    HSD_TRY(give_all(a, begins_nowhere, ALONG));
    HSD_TRY(give_all(a, has_place, TOGETHER));
    HSD_TRY(give_all(a, begins_nowhere, AS_LARGE));
    HSD_TRY(give_all(a, is_nowhere, THE_REST));
    HSD_TRY(give_what_is_left(a));
    HSD_TRY(join_rows(a));
    forget_what_is_said(a->series);
    return HSD_OK;
}

hsd_status hsd_series_take_pair(hsd_series *series, hsd_diff *pair, size_t from, size_t to, hsd_error *err)
{
    asking a = {.series = series, .pair = pair, .err = err};
    hsd_series_forget_walked(series);
    hsd_series_keep_no_pages(series->store);
    hsd_diff_free(series->pair);
    series->pair = pair;
    series->is_pair_said = false;
    series->pair_from = from;
    series->pair_to = to;
    for (size_t i = 0; i < series->holders.row_count; i++)
        series->holders.rows[i].held_count = 0;
    if (!series->holders.is_known || !pair->has_holders) return HSD_OK;
    a.is_taken = calloc(pair->holder_count + 1, sizeof *a.is_taken);
    a.left = calloc(pair->holder_count + 1, sizeof *a.left);
    const bool has_memory = a.is_taken != NULL && a.left != NULL;
    for (size_t i = 0; has_memory && i < pair->holder_count; i++)
        a.left[i] = pair->holders[i].growth_bytes;
    const hsd_status status = has_memory ? give_holders(&a) : hsd_fail_nomem(err, "the holders of the series");
    free(a.is_taken);
    free(a.left);
    return status;
}
