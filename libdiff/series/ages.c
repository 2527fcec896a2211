/*
 * Counting by age: how captures share cohorts, the matrices on their way through the stream, and the tables made of
 * them.
 */
#include "series/ages.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"

/* The first capture is a cohort by itself; the others share what is left evenly. */
static void divide_captures(hsd_ages *ages)
{
    const uint32_t count = ages->capture_count, others = count - 1;
    const uint32_t shares = others < HSD_COHORTS_MOST - 1 ? others : HSD_COHORTS_MOST - 1;
    ages->cohort_count = shares + 1;
    ages->cohorts[0] = (hsd_cohort){0, 0};
    for (uint32_t i = 0; i < shares; i++)
        ages->cohorts[i + 1] = (hsd_cohort){1 + i * others / shares, (i + 1) * others / shares};
    for (uint32_t i = 0; i < ages->cohort_count; i++) {
        for (uint32_t k = ages->cohorts[i].first; k <= ages->cohorts[i].last; k++)
            ages->cohort_of[k] = (uint8_t)i;
    }
}

hsd_status hsd_ages_open(hsd_ages *ages, size_t capture_count, hsd_temp_space *space, hsd_error *err)
{
    memset(ages, 0, sizeof *ages);
    ages->capture_count = (uint32_t)capture_count;
    divide_captures(ages);
    return hsd_stream_open(&ages->stream, space, err);
}

hsd_status hsd_ages_reach(hsd_ages *ages, uint32_t type, hsd_error *err)
{
    HSD_ASSERT(ages->cohort_count >= 1);
    const size_t capacity = (size_t)type + type / 2 + 64, row = ages->cohort_count * sizeof *ages->by_type;
    hsd_amount *grown = realloc(ages->by_type, capacity * row);
    if (grown == NULL) return hsd_fail_nomem(err, "the cohorts");
    memset(grown + ages->type_capacity * (size_t)ages->cohort_count, 0, (capacity - ages->type_capacity) * row);
    ages->by_type = grown;
    ages->type_capacity = (uint32_t)capacity;
    return HSD_OK;
}

void hsd_ages_begin(hsd_ages *ages, uint32_t capture)
{
    ages->capture = capture;
    if (ages->by_type != NULL)
        memset(ages->by_type, 0, (size_t)ages->type_capacity * ages->cohort_count * sizeof *ages->by_type);
    memset(ages->born_in, 0, sizeof ages->born_in);
}

/* One cell: which it is, + 1, counted over the matrix; objects; bytes. 0 ends the matrix. */
static hsd_status put_matrix(hsd_ages *ages, hsd_error *err)
{
    const uint32_t at = ages->cohort_of[ages->capture];
    const size_t cells = (size_t)ages->type_capacity * ages->cohort_count;
    for (size_t i = 0; i < cells; i++) {
        const hsd_amount cell = ages->by_type[i];
        if (cell.objects == 0) continue;
        hsd_series_add(&ages->all[at * ages->cohort_count + i % ages->cohort_count], cell);
        HSD_TRY(hsd_stream_put(&ages->stream, i + 1, err));
        HSD_TRY(hsd_stream_put(&ages->stream, cell.objects, err));
        HSD_TRY(hsd_stream_put(&ages->stream, cell.bytes, err));
    }
    return hsd_stream_put(&ages->stream, 0, err);
}

hsd_status hsd_ages_end(hsd_ages *ages, hsd_error *err)
{
    return hsd_ages_counts(ages) ? put_matrix(ages, err) : HSD_OK;
}

/* ---- the result ---- */

typedef struct newer { /* what of a type came after the first capture and is live in the last */
    hsd_amount sum;
    hsd_text name;
    uint32_t type;
} newer;

static int compare_newer(const void *left, const void *right)
{
    const newer *a = left, *b = right;
    if (a->sum.bytes != b->sum.bytes) return a->sum.bytes < b->sum.bytes ? 1 : -1;
    return hsd_series_compare(a->name, b->name);
}

static size_t collect_object_age(const hsd_ages *ages, const hsd_named_table *types, newer *rows)
{
    size_t count = 0;
    const uint32_t known = types->names.count + 1;
    for (uint32_t type = 1; type < known && type < ages->type_capacity; type++) {
        newer row = {.type = type, .name = hsd_series_text_of(hsd_names_get(&types->names, type - 1))};
        for (uint32_t born = 1; born < ages->cohort_count; born++)
            hsd_series_add(&row.sum, ages->by_type[(size_t)type * ages->cohort_count + born]);
        if (row.sum.objects > 0) rows[count++] = row;
    }
    qsort(rows, count, sizeof *rows, compare_newer);
    return count;
}

/* row_of[type]: where its matrix goes, NULL for one that is not shown. */
static hsd_status read_matrices(hsd_ages *ages, hsd_amount **row_of, hsd_error *err)
{
    const uint32_t cohorts = ages->cohort_count;
    HSD_TRY(hsd_stream_rewind(&ages->stream, err));
    for (uint32_t at = 0; at < cohorts; at++) {
        for (uint64_t cell, objects, bytes;;) {
            HSD_TRY(hsd_stream_need(&ages->stream, &cell, err));
            if (cell == 0) break;
            HSD_TRY(hsd_stream_need(&ages->stream, &objects, err));
            HSD_TRY(hsd_stream_need(&ages->stream, &bytes, err));
            const uint64_t type = (cell - 1) / cohorts, born = (cell - 1) % cohorts;
            if (type < ages->type_capacity && row_of[type] != NULL)
                row_of[type][at * cohorts + born] = (hsd_amount){objects, bytes};
        }
    }
    return HSD_OK;
}

static hsd_status fill_types(hsd_ages *ages, const newer *rows, size_t count, hsd_series_store *store, hsd_cohorts *out,
                             hsd_error *err)
{
    const size_t cells = (size_t)ages->cohort_count * ages->cohort_count;
    void *types, *alive;
    HSD_TRY(hsd_series_take(store, count * sizeof *out->types, &types, err));
    HSD_TRY(hsd_series_take(store, count * cells * sizeof(hsd_amount), &alive, err));
    hsd_amount **row_of = calloc((size_t)ages->type_capacity + 1, sizeof *row_of);
    if (row_of == NULL) return hsd_fail_nomem(err, "the cohorts");
    out->types = types;
    out->type_count = count;
    hsd_status status = HSD_OK;
    for (size_t i = 0; i < count && status == HSD_OK; i++) {
        row_of[rows[i].type] = (hsd_amount *)alive + i * cells;
        out->types[i].alive = row_of[rows[i].type];
        status = hsd_series_text(store, rows[i].name, &out->types[i].name, err);
    }
    if (status == HSD_OK) status = read_matrices(ages, row_of, err);
    free(row_of);
    return status;
}

static hsd_status fill_all(hsd_ages *ages, hsd_series_store *store, hsd_cohorts *out, hsd_error *err)
{
    const size_t cells = (size_t)ages->cohort_count * ages->cohort_count;
    void *cohorts, *alive, *since;
    HSD_TRY(hsd_series_take(store, sizeof ages->cohorts, &cohorts, err));
    HSD_TRY(hsd_series_take(store, cells * sizeof(hsd_amount), &alive, err));
    HSD_TRY(hsd_series_take(store, ages->capture_count * sizeof(hsd_amount), &since, err));
    memcpy(cohorts, ages->cohorts, sizeof ages->cohorts);
    memcpy(alive, ages->all, cells * sizeof(hsd_amount));
    hsd_amount *retained = since;
    for (uint32_t i = ages->capture_count - 1; i-- > 0;) {
        retained[i] = retained[i + 1];
        hsd_series_add(&retained[i], ages->born_in[i + 1]);
    }
    out->cohorts = cohorts;
    out->cohort_count = ages->cohort_count;
    out->all = (hsd_cohort_row){.alive = alive};
    out->retained_since = retained;
    return hsd_series_words(store, "", &out->all.name, err);
}

hsd_status hsd_ages_finish(hsd_ages *ages, const hsd_named_table *types, size_t most_types, hsd_series_store *store,
                           hsd_cohorts *out, hsd_error *err)
{
    newer *rows = malloc(((size_t)types->names.count + 1) * sizeof *rows);
    if (rows == NULL) return hsd_fail_nomem(err, "the cohorts");
    const size_t count = collect_object_age(ages, types, rows);
    hsd_status status = fill_all(ages, store, out, err);
    if (status == HSD_OK) status = fill_types(ages, rows, count < most_types ? count : most_types, store, out, err);
    free(rows);
    return status;
}

void hsd_ages_close(hsd_ages *ages)
{
    hsd_stream_close(&ages->stream);
    free(ages->by_type);
    memset(ages, 0, sizeof *ages);
}
