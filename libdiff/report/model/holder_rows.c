/*
 * The rest of the holders: the rows that --top left out and the sum that the result carries for those that never
 * became rows.
 */
#include "report/model/holder_rows.h"

#include <string.h>

static void add_amount(hsd_amount *sum, hsd_amount part)
{
    sum->objects += part.objects;
    sum->bytes += part.bytes;
}

/* Sums of the heap's size cannot overflow where the heap's size did not; hostile captures wrap around. */
static int64_t add_signed(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }
static int64_t minus(int64_t a, int64_t b) { return (int64_t)((uint64_t)a - (uint64_t)b); }

static void add_holder_row(hsd_holder *sum, const hsd_holder *holder)
{
    add_amount(&sum->new_, holder->new_);
    add_amount(&sum->freed, holder->freed);
    sum->net_objects = add_signed(sum->net_objects, holder->net_objects);
    sum->net_bytes = add_signed(sum->net_bytes, holder->net_bytes);
    sum->resized_bytes = add_signed(sum->resized_bytes, holder->resized_bytes);
    sum->growth_bytes = add_signed(sum->growth_bytes, holder->growth_bytes);
}

hsd_holder_rest hsd_holders_rest(const hsd_diff *diff, size_t shown)
{
    hsd_holder_rest rest = {.rows = hsd_holders_count(diff) - shown};
    if (diff->other_holder_count > 0) add_holder_row(&rest.sum, &diff->other_holders);
    for (size_t i = shown; i < diff->holder_count; i++)
        add_holder_row(&rest.sum, &diff->holders[i]);
    return rest;
}

const hsd_holder *hsd_holders_code(const hsd_diff *diff)
{
    const hsd_holder *last = diff->holder_count > 0 ? &diff->holders[diff->holder_count - 1] : NULL;
    return last != NULL && last->is_code ? last : NULL;
}

hsd_holder_rest hsd_holders_rest_without_code(const hsd_diff *diff, size_t shown)
{
    const bool has_code = hsd_holders_code(diff) != NULL && shown < diff->holder_count;
    hsd_holder_rest rest = {.rows = hsd_holders_count(diff) - shown - has_code};
    if (diff->other_holder_count > 0) add_holder_row(&rest.sum, &diff->other_holders);
    for (size_t i = shown; i + has_code < diff->holder_count; i++)
        add_holder_row(&rest.sum, &diff->holders[i]);
    return rest;
}

size_t hsd_holders_shown(const hsd_diff *diff, size_t top, size_t by_default)
{
    const size_t most = top > 0 ? top : by_default;
    return diff->holder_count < most ? diff->holder_count : most;
}

uint64_t hsd_holders_count(const hsd_diff *diff) { return diff->holder_count + diff->other_holder_count; }

bool hsd_root_is_code(hsd_text root)
{
    return root.size == sizeof HSD_PROGRAM_CODE - 1 && memcmp(root.data, HSD_PROGRAM_CODE, root.size) == 0;
}

bool hsd_holder_needs_shares(const hsd_holder *holder)
{
    bool is_part = holder->by_count > HSD_CO_HOLDERS_NAMED + 1;
    for (size_t i = 0; i < holder->by_count; i++)
        is_part = is_part || holder->by[i].bytes < holder->by_bytes - holder->by_bytes / 20;
    return is_part;
}

bool hsd_edge_is_item(hsd_text edge) { return edge.size >= 3 && memcmp(edge.data, "[*]", 3) == 0; }

bool hsd_edge_adds_up(const hsd_growth_edge *edge)
{
    const uint64_t before = edge->before.objects, after = edge->after.objects, came = edge->new_.objects;
    return edge->freed.objects == 0 && after >= before && after - before >= came - came / 10;
}

/* ---- room ---- */

#define MOST_ROOM ((int64_t)16 << 10)

static bool ends_as_array(hsd_text type) { return type.size >= 2 && memcmp(type.data + type.size - 2, "[]", 2) == 0; }

/* One array came and one of half its size went. */
static bool is_doubled(const hsd_type_growth *type)
{
    return ends_as_array(type->type) && type->new_.objects == 1 && type->freed.objects == 1 && type->net_bytes > 0 &&
           type->net_bytes <= MOST_ROOM && (uint64_t)type->net_bytes <= type->freed.bytes;
}

/* Of the places that the array got so few are filled, be they all with what came anywhere, that something else did. */
static bool came_any(const hsd_diff *diff, const hsd_type_growth *array)
{
    const int64_t places = array->net_bytes / (int64_t)sizeof(uint64_t);
    return hsd_change_objects(&diff->total) > places / 64;
}

bool hsd_growth_is_room(const hsd_diff *diff, uint64_t noise_bytes)
{
    const hsd_holder *first = diff->has_holders && diff->holder_count > 0 ? &diff->holders[0] : NULL;
    if (first == NULL || first->type_count == 0 || !hsd_new_is_known(diff) || !hsd_freed_is_known(diff)) return false;
    if (first->net_objects > 0 || !is_doubled(&first->types[0]) || came_any(diff, &first->types[0])) return false;
    return hsd_change_bytes(&diff->total) - first->types[0].net_bytes < (int64_t)noise_bytes;
}

/* ---- what items below lost ---- */

#define TYPES_PAID 8u /* that grew most */

static bool is_same_text(hsd_text a, hsd_text b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

static bool is_same_step(const hsd_step *a, const hsd_step *b)
{
    return a->repeat == b->repeat && is_same_text(a->edge, b->edge) && is_same_text(a->type, b->type);
}

bool hsd_holder_goes_along(const hsd_holder *holder, const hsd_holder *other, size_t steps)
{
    if (holder->path_count < steps || holder->path_cut > 0 || !is_same_text(holder->root, other->root)) return false;
    for (size_t i = 0; i < steps; i++)
        if (!is_same_step(&holder->path[i], &other->path[i])) return false;
    return true;
}

/* It hangs from one of many that hang from the other. */
static bool is_among_items(const hsd_holder *below, const hsd_holder *holder)
{
    bool is_one_of_many = false;
    if (below->path_count <= holder->path_count || !hsd_holder_goes_along(below, holder, holder->path_count))
        return false;
    for (size_t i = holder->path_count; i < below->path_count; i++) {
        const hsd_step *step = &below->path[i];
        is_one_of_many = is_one_of_many || step->repeat > 1 || hsd_edge_is_item(step->edge);
    }
    return is_one_of_many;
}

/* What a holder lost of a type; those that lost most of it come last. */
static int64_t lost_of(const hsd_holder *holder, hsd_text type)
{
    for (size_t i = holder->type_count; i > 0 && holder->types[i - 1].net_bytes < 0; i--)
        if (is_same_text(holder->types[i - 1].type, type)) return minus(0, holder->types[i - 1].net_bytes);
    return 0;
}

bool hsd_holder_is_paid_below(const hsd_diff *diff, const hsd_holder *holder, uint64_t noise_bytes)
{
    int64_t left = holder->growth_bytes;
    for (size_t i = 0; i < holder->type_count && i < TYPES_PAID && holder->types[i].net_bytes > 0; i++) {
        int64_t lost = 0;
        for (size_t at = 0; at < diff->holder_count && lost < holder->types[i].net_bytes; at++) {
            const hsd_holder *below = &diff->holders[at];
            if (below->growth_bytes < 0 && is_among_items(below, holder))
                lost = add_signed(lost, lost_of(below, holder->types[i].type));
        }
        left = minus(left, lost < holder->types[i].net_bytes ? lost : holder->types[i].net_bytes);
    }
    return left < (int64_t)noise_bytes;
}

/* ---- what several held before ---- */

/* True of a type of which the holder has others than it had: half as many as came went. */
static bool turns_over(const hsd_type_growth *type)
{
    return type->net_bytes > 0 && type->freed.bytes >= type->new_.bytes / 2;
}

bool hsd_holder_is_paid_by_nobody(const hsd_diff *diff, const hsd_holder *holder)
{
    int64_t paid = 0;
    for (size_t at = 0; at < diff->holder_count; at++) {
        const hsd_holder *nobody = &diff->holders[at];
        if (nobody->growth_bytes >= 0 || !hsd_holder_is_nobody(nobody)) continue;
        for (size_t i = 0; i < holder->type_count && holder->types[i].net_bytes > 0; i++) {
            if (!turns_over(&holder->types[i])) continue;
            const int64_t lost = lost_of(nobody, holder->types[i].type);
            paid = add_signed(paid, lost < holder->types[i].net_bytes ? lost : holder->types[i].net_bytes);
        }
    }
    return paid > holder->growth_bytes / 2;
}
