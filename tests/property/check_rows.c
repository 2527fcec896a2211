/*
 * Rows of types and roots are the oracle's, and they add up.
 */
#include "check_rows.h"

#include <criterion/criterion.h>

#include <string.h>

static bool same_amount(hsd_amount a, hsd_amount b) { return a.objects == b.objects && a.bytes == b.bytes; }

static bool same_change(const hsd_change *a, const hsd_change *b)
{
    return same_amount(a->before, b->before) && same_amount(a->after, b->after) && same_amount(a->new_, b->new_) &&
           same_amount(a->freed, b->freed) && same_amount(a->kept, b->kept) && a->resized_bytes == b->resized_bytes;
}

static const hsd_type_row *type_named(const hsd_diff *diff, const char *name)
{
    static const hsd_type_row none;
    for (size_t i = 0; i < diff->type_count; i++) {
        if (strcmp(diff->types[i].name.data, name) == 0) return &diff->types[i];
    }
    return &none;
}

static const hsd_root_row *root_named(const hsd_diff *diff, const char *name)
{
    static const hsd_root_row none;
    for (size_t i = 0; i < diff->root_count; i++) {
        if (strcmp(diff->roots[i].name.data, name) == 0) return &diff->roots[i];
    }
    return &none;
}

static void check_types(const hsd_diff *diff, const oracle_diff *wanted, unsigned long seed)
{
    for (uint32_t t = 0; t < MODEL_TYPES; t++) {
        const oracle_row *row = &wanted->types[t];
        const hsd_type_row *found = type_named(diff, row->name);
        cr_assert(same_change(&found->live, &row->live), "seed %lu type %s: new %lu, not %lu; after %lu, not %lu", seed,
                  row->name, found->live.new_.objects, row->live.new_.objects, found->live.after.bytes,
                  row->live.after.bytes);
        cr_assert(same_amount(found->unreached_before, row->unreached_before), "seed %lu type %s", seed, row->name);
        cr_assert(same_amount(found->unreached_after, row->unreached_after), "seed %lu type %s", seed, row->name);
        cr_assert(same_amount(found->revived, row->revived), "seed %lu type %s", seed, row->name);
        cr_assert(same_amount(found->dropped, row->dropped), "seed %lu type %s", seed, row->name);
        if (found->name.data == NULL) continue;
        cr_assert_eq(found->retained_before, row->retained_before, "seed %lu type %s retains %lu before, not %lu", seed,
                     row->name, found->retained_before, row->retained_before);
        cr_assert_eq(found->retained_after, row->retained_after, "seed %lu type %s retains %lu after, not %lu", seed,
                     row->name, found->retained_after, row->retained_after);
    }
}

static void check_roots(const hsd_diff *diff, const oracle_diff *wanted, unsigned long seed)
{
    for (uint32_t r = 0; r < wanted->root_count; r++) {
        const oracle_row *row = &wanted->roots[r];
        const hsd_root_row *found = root_named(diff, row->name);
        cr_assert(same_change(&found->live, &row->live), "seed %lu root %s: before %lu after %lu, not %lu, %lu", seed,
                  row->name, found->live.before.objects, found->live.after.objects, row->live.before.objects,
                  row->live.after.objects);
        cr_assert(same_amount(found->moved_in, row->moved_in), "seed %lu root %s", seed, row->name);
        cr_assert(same_amount(found->moved_out, row->moved_out), "seed %lu root %s", seed, row->name);
        cr_assert_eq(found->retained_before, row->retained_before, "seed %lu root %s", seed, row->name);
        cr_assert_eq(found->retained_after, row->retained_after, "seed %lu root %s", seed, row->name);
    }
    cr_assert_leq(diff->root_count, wanted->root_count, "seed %lu: a root nobody has", seed);
}

/* It is a part of both. */
static void add_undecided(hsd_amount *sum, const hsd_change *c, unsigned long seed)
{
    cr_assert_leq(c->undecided.objects, c->new_.objects, "seed %lu", seed);
    cr_assert_leq(c->undecided.objects, c->freed.objects, "seed %lu", seed);
    cr_assert_leq(c->undecided.bytes, c->new_.bytes, "seed %lu", seed);
    cr_assert_leq(c->undecided.bytes, c->freed.bytes, "seed %lu", seed);
    sum->objects += c->undecided.objects;
    sum->bytes += c->undecided.bytes;
}

/* What must hold in every result whatever the heaps: the tables add up. */
static void check_sums(const hsd_diff *diff, unsigned long seed)
{
    hsd_amount before = {0, 0}, after = {0, 0}, undecided[2] = {{0, 0}, {0, 0}}; /* by root, by type */
    for (size_t i = 0; i < diff->root_count; i++) {
        before.objects += diff->roots[i].live.before.objects;
        before.bytes += diff->roots[i].live.before.bytes;
        after.objects += diff->roots[i].live.after.objects;
        after.bytes += diff->roots[i].live.after.bytes;
        add_undecided(&undecided[0], &diff->roots[i].live, seed);
    }
    if (diff->before.has_roots && diff->after.has_roots) {
        cr_assert(same_amount(before, diff->total.before), "seed %lu: roots do not add up", seed);
        cr_assert(same_amount(after, diff->total.after), "seed %lu: roots do not add up", seed);
        cr_assert(same_amount(undecided[0], diff->total.undecided), "seed %lu: what is undecided does not add up",
                  seed);
    }
    for (size_t i = 0; i < diff->type_count; i++) {
        const hsd_change *c = &diff->types[i].live;
        cr_assert_eq(hsd_change_objects(c), (int64_t)(c->new_.objects - c->freed.objects), "seed %lu", seed);
        cr_assert_eq(hsd_change_bytes(c), (int64_t)(c->new_.bytes - c->freed.bytes) + c->resized_bytes, "seed %lu",
                     seed);
        if (i > 0) cr_assert_geq(hsd_change_bytes(&diff->types[i - 1].live), hsd_change_bytes(c), "seed %lu", seed);
        add_undecided(&undecided[1], c, seed);
    }
    cr_assert(same_amount(undecided[1], diff->total.undecided), "seed %lu: what is undecided does not add up", seed);
}

void check_rows(const hsd_diff *diff, const oracle_diff *wanted, unsigned long seed)
{
    check_types(diff, wanted, seed);
    check_roots(diff, wanted, seed);
    check_sums(diff, seed);
}
