/*
 * Sums. Everything here adds: two folds of disjoint sets of objects can be added row by row.
 */
#ifndef HSD_WALK_FOLD_H
#define HSD_WALK_FOLD_H

#include <stdint.h>

#include <hsdiff/diff.h>

/* Objects and bytes of one side: live by type and by root, unreached by type. */
typedef struct hsd_fold_side {
    hsd_amount *live_by_type;      /* type_count */
    hsd_amount *unreached_by_type; /* type_count */
    hsd_amount *live_by_root;      /* root_count, numbers of hsd_root_names */
    /* type_count: of the live bytes those outside the heap; NULL where none are */
    uint64_t *external_by_type;
    uint32_t type_count, root_count;
    uint64_t counted; /* objects, live and unreached */
} hsd_fold_side;

/* `external` of the bytes of a live object of this type lie outside the heap. */
hsd_status hsd_fold_side_add_external(hsd_fold_side *fold, uint32_t type, uint64_t external, hsd_error *err);

static inline uint64_t hsd_fold_side_external(const hsd_fold_side *fold, uint32_t type)
{
    return fold->external_by_type != NULL ? fold->external_by_type[type] : 0;
}

hsd_status hsd_fold_side_init(hsd_fold_side *fold, uint32_t type_count, uint32_t root_count, hsd_error *err);
/* Types that came later have nothing. */
hsd_status hsd_fold_side_widen(hsd_fold_side *fold, uint32_t type_count, hsd_error *err);
void hsd_fold_side_release(hsd_fold_side *fold);

static inline void hsd_amount_add(hsd_amount *amount, uint64_t bytes)
{
    amount->objects++;
    amount->bytes += bytes;
}

static inline void hsd_fold_side_add(hsd_fold_side *fold, uint32_t type, uint32_t root, bool is_live, uint64_t bytes)
{
    fold->counted++;
    hsd_amount_add(is_live ? &fold->live_by_type[type] : &fold->unreached_by_type[type], bytes);
    if (is_live) hsd_amount_add(&fold->live_by_root[root], bytes);
}

/* What identity tells besides: by type and by root of each side. */
typedef struct hsd_fold_change {
    hsd_amount new_, freed, kept, revived, dropped, undecided;
    int64_t resized_bytes;
    uint64_t resized_objects;
} hsd_fold_change;

#endif
