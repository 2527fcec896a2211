/*
 * The chosen holders as rows of the result: sums, types within them, then edges and paths (edges.c,
 * paths.c), and the order that the paths decide where the numbers are equal.
 */
#include "holders/growth.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/check.h"
#include "base/fail.h"
#include "base/pool_name.h"

typedef struct rows {
    hsd_growth *growth;
    hsd_growth_texts *texts;
    hsd_type_growth *types; /* of one holder, gathered */
    size_t type_count, type_capacity;
    const uint64_t *key; /* the next of the tally; NULL at the end */
    hsd_amount sum;
} rows;

static void fill_sums(const hsd_growth *growth, hsd_holder *row, const hsd_choice *choice)
{
    row->net_objects = (int64_t)(choice->new_.objects - choice->freed.objects);
    row->net_bytes = hsd_choice_net(choice);
    row->resized_bytes = (int64_t)choice->resized_bytes;
    row->growth_bytes = hsd_choice_growth(choice);
    if (!growth->has_identity) return;
    row->new_ = choice->new_;
    row->freed = choice->freed;
}

/* ---- types within a holder ---- */

static hsd_status advance_holder_row(rows *r, hsd_error *err)
{
    const hsd_status status = hsd_tally_next(r->growth->types, &r->key, &r->sum, err);
    if (status == HSD_END) r->key = NULL;
    return status == HSD_END ? HSD_OK : status;
}

static hsd_status new_type(rows *r, hsd_type_growth **out, hsd_error *err)
{
    HSD_TRY(HSD_ARRAY_GROW(r->types, r->type_capacity, r->type_count + 1, 256, "the rows of holders", err));
    *out = &r->types[r->type_count++];
    memset(*out, 0, sizeof **out);
    return HSD_OK;
}

static hsd_status read_type(rows *r, hsd_error *err)
{
    hsd_type_growth *type = NULL;
    const uint64_t key = r->key[0];
    HSD_TRY(new_type(r, &type, err));
    HSD_TRY(hsd_growth_text_of_type(r->texts, (uint32_t)key, &type->type, err));
    while (r->key != NULL && r->key[0] == key) {
        *(r->key[1] == HSD_TRIE_NEW ? &type->new_ : &type->freed) = r->sum;
        HSD_TRY(advance_holder_row(r, err));
    }
    type->net_objects = (int64_t)(type->new_.objects - type->freed.objects);
    type->net_bytes = (int64_t)(type->new_.bytes - type->freed.bytes);
    if (!r->growth->has_identity) type->new_ = type->freed = (hsd_amount){0, 0};
    return HSD_OK;
}

static int compare_types(const void *a, const void *b)
{
    const hsd_type_growth *x = a, *y = b;
    if (x->net_bytes != y->net_bytes) return x->net_bytes < y->net_bytes ? 1 : -1;
    return hsd_store_compare(x->type, y->type);
}

static hsd_status read_types(rows *r, uint32_t choice, hsd_holder *row, hsd_error *err)
{
    r->type_count = 0;
    while (r->key != NULL && r->key[0] >> 32 == choice)
        HSD_TRY(read_type(r, err));
    if (r->type_count == 0) return HSD_OK;
    qsort(r->types, r->type_count, sizeof *r->types, compare_types);
    hsd_type_growth *kept = hsd_arena_take(&r->growth->diff->store->arena, r->type_count * sizeof *kept);
    if (kept == NULL) return hsd_fail_nomem(err, "the rows of holders");
    memcpy(kept, r->types, r->type_count * sizeof *kept);
    row->types = kept;
    row->type_count = r->type_count;
    return HSD_OK;
}

/* ---- order ---- */

static int compare_holders(const void *a, const void *b)
{
    const hsd_holder *x = a, *y = b;
    if (x->is_code != y->is_code) return x->is_code ? 1 : -1;
    if (x->growth_bytes != y->growth_bytes) return x->growth_bytes < y->growth_bytes ? 1 : -1;
    int order = hsd_store_compare(x->root, y->root);
    if (order == 0) order = hsd_steps_compare(x->path, x->path_count, y->path, y->path_count);
    if (order == 0) order = hsd_store_compare(x->type, y->type);
    if (order == 0) order = (x->id > y->id) - (x->id < y->id);
    if (order == 0) order = (x->new_.bytes < y->new_.bytes) - (x->new_.bytes > y->new_.bytes);
    return order != 0 ? order : (x->net_objects < y->net_objects) - (x->net_objects > y->net_objects);
}

/* ---- the whole ---- */

static hsd_status fill_row(rows *r, uint32_t i, hsd_holder *row, hsd_error *err)
{
    const hsd_growth *growth = r->growth;
    const hsd_choice *choice = &growth->choices[i];
    fill_sums(growth, row, choice);
    row->type = (hsd_text){"", 0};
    row->root = (hsd_text){"(roots)", strlen("(roots)")};
    if (choice->by == HSD_HELD_BY_OBJECT) {
        HSD_TRY(hsd_growth_text_of_type(r->texts, choice->type, &row->type, err));
        row->has_id = growth->has_identity;
        row->id = row->has_id ? choice->id : 0;
    } else if (choice->by == HSD_HELD_BY_ROOT) {
        HSD_TRY(hsd_growth_text_of_root(r->texts, choice->root, &row->root, err));
        row->root_kind = growth->pair->root_kinds[choice->root];
    } else if (choice->by == HSD_HELD_BY_CODE) {
        row->root = (hsd_text){HSD_PROGRAM_CODE, strlen(HSD_PROGRAM_CODE)};
        row->is_code = true;
    }
    return read_types(r, i, row, err);
}

/* The threads of a pool have one name. */
static hsd_status name_pool(hsd_growth *growth, const hsd_choice *choice, hsd_holder *row, hsd_error *err)
{
    char buffer[HSD_POOL_NAME_BYTES];
    const hsd_text name = hsd_pool_name(row->root, buffer);
    row->thread_count = choice->joined;
    return hsd_store_text(growth->diff->store, (hsd_bytes){(const uint8_t *)name.data, name.size}, &row->root, err);
}

static hsd_status fill_holder_row(rows *r, hsd_holder *list, hsd_error *err)
{
    hsd_growth *growth = r->growth;
    HSD_TRY(hsd_tally_finish(growth->types, growth->memory_bytes / 8, err));
    HSD_TRY(advance_holder_row(r, err));
    for (uint32_t i = 0; i < growth->choice_count; i++)
        HSD_TRY(fill_row(r, i, &list[i], err));
    HSD_TRY(hsd_growth_edge_rows(growth, r->texts, list, err));
    HSD_TRY(hsd_growth_paths(growth, r->texts, list, err));
    for (uint32_t i = 0; i < growth->choice_count; i++) {
        if (growth->choices[i].joined > 1) HSD_TRY(name_pool(growth, &growth->choices[i], &list[i], err));
    }
    return HSD_OK;
}

hsd_status hsd_growth_rows(hsd_growth *growth, hsd_growth_texts *texts, hsd_error *err)
{
    rows r = {.growth = growth, .texts = texts};
    hsd_diff *diff = growth->diff;
    hsd_holder *list = hsd_arena_take(&diff->store->arena, (growth->choice_count + 1) * sizeof *list);
    if (list == NULL) return hsd_fail_nomem(err, "the rows of holders");
    const hsd_status status = fill_holder_row(&r, list, err);
    free(r.types);
    HSD_TRY(status);
    qsort(list, growth->choice_count, sizeof *list, compare_holders);
    diff->holders = list;
    diff->holder_count = growth->choice_count;
    fill_sums(growth, &diff->other_holders, &growth->others);
    diff->other_holders.type = diff->other_holders.root = (hsd_text){"", 0};
    diff->other_holder_count = growth->other_count;
    return HSD_OK;
}
