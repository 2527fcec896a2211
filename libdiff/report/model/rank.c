/*
 * Ranking: a table is sorted twice. First by the size of the change, which decides what is shown and
 * what is folded; then what is shown by the key itself, so that growth stands on top, shrinkage at the
 * bottom and the folded rest below. Names break every tie, so the order is total.
 */
#include "report/model/rank.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "report/words/number.h"
#include <hscapture/hscapture.h>

__extension__ typedef unsigned __int128 u128;

bool hsd_change_is_none(const hsd_change *change)
{
    return change->before.objects == change->after.objects && change->before.bytes == change->after.bytes &&
           change->new_.objects == 0 && change->freed.objects == 0 && change->resized_objects == 0;
}

/* ---- comparators: negative when `a` comes first ---- */

static int by_name(const hsd_rank_row *a, const hsd_rank_row *b)
{
    const size_t common = a->name.size < b->name.size ? a->name.size : b->name.size;
    const int order = common > 0 ? memcmp(a->name.data, b->name.data, common) : 0;
    if (order != 0) return order;
    return (a->name.size > b->name.size) - (a->name.size < b->name.size);
}

static int descending(uint64_t a, uint64_t b) { return (a < b) - (a > b); }
static int descending_signed(int64_t a, int64_t b) { return (a < b) - (a > b); }

static int by_growth(const void *left, const void *right)
{
    const hsd_rank_row *a = left, *b = right;
    const int order = descending_signed(hsd_change_bytes(a->change), hsd_change_bytes(b->change));
    return order != 0 ? order : by_name(a, b);
}

static int by_objects(const void *left, const void *right)
{
    const hsd_rank_row *a = left, *b = right;
    const int order = descending_signed(hsd_change_objects(a->change), hsd_change_objects(b->change));
    return order != 0 ? order : by_growth(left, right);
}

/* after / before without dividing; what is new is larger than any ratio, what is empty like no change. */
static int by_percent(const void *left, const void *right)
{
    const hsd_rank_row *a = left, *b = right;
    const bool a_new = a->change->before.bytes == 0 && a->change->after.bytes > 0;
    const bool b_new = b->change->before.bytes == 0 && b->change->after.bytes > 0;
    if (a_new || b_new) return a_new && b_new ? by_growth(left, right) : (int)b_new - (int)a_new;
    const u128 a_after = a->change->before.bytes ? a->change->after.bytes : 1;
    const u128 b_after = b->change->before.bytes ? b->change->after.bytes : 1;
    const u128 x = a_after * (b->change->before.bytes ? b->change->before.bytes : 1);
    const u128 y = b_after * (a->change->before.bytes ? a->change->before.bytes : 1);
    return x != y ? (x < y) - (x > y) : by_growth(left, right);
}

uint64_t hsd_rank_row_retained(const hsd_rank_row *row, bool is_after)
{
    if (row->type) return is_after ? row->type->retained_after : row->type->retained_before;
    return is_after ? row->root->retained_after : row->root->retained_before;
}

int64_t hsd_rank_row_retained_growth(const hsd_rank_row *row)
{
    return (int64_t)(hsd_rank_row_retained(row, true) - hsd_rank_row_retained(row, false));
}

static int by_retained(const void *left, const void *right)
{
    const int order = descending_signed(hsd_rank_row_retained_growth(left), hsd_rank_row_retained_growth(right));
    return order != 0 ? order : by_growth(left, right);
}

static int by_name_only(const void *left, const void *right)
{
    const hsd_rank_row *a = left, *b = right;
    return by_name(a, b);
}

/* ---- which rows are worth showing: what changed most, what did not change last ---- */

/* Objects that came and went in a row that is as large as it was. */
static uint64_t churn_of(const hsd_change *change)
{
    if (hsd_change_bytes(change) != 0 || hsd_change_objects(change) != 0) return UINT64_MAX;
    return hsd_add_saturating(hsd_add_saturating(change->new_.bytes, change->freed.bytes), change->resized_objects > 0);
}

/* What did not grow goes behind what did, the more came and went the earlier. */
static int idle_last(const hsd_rank_row *a, const hsd_rank_row *b)
{
    const int none = (int)hsd_change_is_none(a->change) - (int)hsd_change_is_none(b->change);
    return none != 0 ? none : descending(churn_of(a->change), churn_of(b->change));
}

static int by_change_of_bytes(const void *left, const void *right)
{
    const hsd_rank_row *a = left, *b = right;
    int order = idle_last(a, b);
    if (order == 0)
        order = descending(hsd_magnitude(hsd_change_bytes(a->change)), hsd_magnitude(hsd_change_bytes(b->change)));
    return order != 0 ? order : by_growth(left, right);
}

static int by_change_of_objects(const void *left, const void *right)
{
    const hsd_rank_row *a = left, *b = right;
    int order = idle_last(a, b);
    if (order == 0)
        order = descending(hsd_magnitude(hsd_change_objects(a->change)), hsd_magnitude(hsd_change_objects(b->change)));
    return order != 0 ? order : by_change_of_bytes(left, right);
}

static int by_change_in_percent(const void *left, const void *right)
{
    const int order = idle_last(left, right);
    return order != 0 ? order : by_percent(left, right);
}

static int by_change_of_retained(const void *left, const void *right)
{
    const int order = descending(hsd_magnitude(hsd_rank_row_retained_growth(left)),
                                 hsd_magnitude(hsd_rank_row_retained_growth(right)));
    return order != 0 ? order : by_change_of_bytes(left, right);
}

typedef int (*comparator)(const void *, const void *);

static const struct {
    comparator choose, order;
} sorts[] = {
    [HSD_SORT_GROWTH] = {by_change_of_bytes, by_growth},        [HSD_SORT_PERCENT] = {by_change_in_percent, by_percent},
    [HSD_SORT_OBJECTS] = {by_change_of_objects, by_objects},    [HSD_SORT_NAME] = {by_change_of_bytes, by_name_only},
    [HSD_SORT_RETAINED] = {by_change_of_retained, by_retained},
};

/* ---- */

static void add_amount(hsd_amount *sum, hsd_amount part)
{
    sum->objects += part.objects;
    sum->bytes += part.bytes;
}

static void add_change(hsd_change *sum, const hsd_change *part)
{
    add_amount(&sum->before, part->before);
    add_amount(&sum->after, part->after);
    add_amount(&sum->new_, part->new_);
    add_amount(&sum->freed, part->freed);
    add_amount(&sum->kept, part->kept);
    sum->resized_bytes = (int64_t)((uint64_t)sum->resized_bytes + (uint64_t)part->resized_bytes);
    sum->resized_objects += part->resized_objects;
}

static void add_row(hsd_ranking *ranking, const hsd_rank_row *row)
{
    add_change(&ranking->others, row->change);
    if (row->type) {
        add_amount(&ranking->others_unreached_before, row->type->unreached_before);
        add_amount(&ranking->others_unreached_after, row->type->unreached_after);
    }
    ranking->others_are_unchanged = ranking->others_are_unchanged && hsd_change_is_none(row->change);
}

static bool is_runtimes_own(const hsd_rank_row *row)
{
    return row->type != NULL && hsc_type_is_program_code(row->type->flags);
}

/* Behind all others, whose order does not matter yet. */
static void take_code(hsd_ranking *ranking)
{
    for (size_t i = 0; i < ranking->count;) {
        const hsd_rank_row row = ranking->rows[i];
        if (!is_runtimes_own(&row)) {
            i++;
            continue;
        }
        ranking->rows[i] = ranking->rows[--ranking->count];
        ranking->rows[ranking->count] = row;
        ranking->code_count++;
        add_change(&ranking->code, row.change);
    }
}

void hsd_rank_code_text(const hsd_ranking *ranking, char text[HSD_RANK_CODE_CHARS])
{
    char count[HSD_NUMBER_CHARS];
    text[0] = '\0';
    if (ranking->code_count != 1)
        snprintf(text, HSD_RANK_CODE_CHARS, "(runtime's own: %s types)", hsd_format_count(count, ranking->code_count));
}

static void fill_rank_model(hsd_ranking *ranking, const hsd_diff *diff, hsd_report_table table)
{
    for (size_t i = 0; i < ranking->count; i++) {
        const bool is_type = table == HSD_TABLE_TYPES;
        const hsd_type_row *type = is_type ? &diff->types[i] : NULL;
        const hsd_root_row *root = is_type ? NULL : &diff->roots[i];
        ranking->rows[i] = (hsd_rank_row){.name = is_type ? type->name : root->name,
                                          .change = is_type ? &type->live : &root->live,
                                          .type = type,
                                          .root = root};
    }
}

static bool is_quiet(const hsd_rank_row *row, hsd_sort_by sort_by, uint64_t quiet_bytes)
{
    if (sort_by == HSD_SORT_RETAINED && hsd_rank_row_retained_growth(row) != 0) return false;
    return quiet_bytes > 0 && (hsd_change_is_none(row->change) || churn_of(row->change) < quiet_bytes);
}

hsd_status hsd_ranking_init(hsd_ranking *ranking, const hsd_diff *diff, hsd_report_table table, hsd_sort_by sort_by,
                            size_t top, uint64_t quiet_bytes, bool folds_code, hsd_error *err)
{
    *ranking = (hsd_ranking){.count = table == HSD_TABLE_TYPES ? diff->type_count : diff->root_count,
                             .others_are_unchanged = true};
    size_t bytes;
    if (!hsd_mul_size(ranking->count, sizeof *ranking->rows, &bytes) ||
        !(ranking->rows = malloc(bytes > 0 ? bytes : 1)))
        return hsd_fail(err, HSD_E_NOMEM, "no memory to order %zu rows of the report", ranking->count);
    fill_rank_model(ranking, diff, table);
    if (folds_code) take_code(ranking);

    qsort(ranking->rows, ranking->count, sizeof *ranking->rows, sorts[sort_by].choose);
    size_t shown = ranking->count;
    while (shown > 0 && is_quiet(&ranking->rows[shown - 1], sort_by, quiet_bytes))
        shown--;
    ranking->shown = top < shown ? top : shown;
    qsort(ranking->rows, ranking->shown, sizeof *ranking->rows, sorts[sort_by].order);
    for (size_t i = ranking->shown; i < ranking->count; i++)
        add_row(ranking, &ranking->rows[i]);
    return HSD_OK;
}

void hsd_ranking_release(hsd_ranking *ranking)
{
    free(ranking->rows);
    *ranking = (hsd_ranking){0};
}
