/*
 * Relabelling: objects keep what they are and get other ids. An object's name follows from its id modulo three
 * (heap_model.h), so every new id is the old one in this respect.
 */
#include "moved.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = MODEL_MAX_OBJECTS, STEP = 48, NOWHERE = 0xdead };

#define FIRST_NEW UINT64_C(0x100001) /* ids that model_later gives */

const char *moved_way_name(moved_way way)
{
    static const char *const names[MOVED_WAYS] = {"order kept", "regions moved", "shuffled", "not moved"};
    return names[way];
}

static bool is_new(uint64_t id) { return id >= FIRST_NEW && id < FIRST_NEW + MOST; }

static int find(const model_heap *heap, uint64_t id)
{
    for (uint32_t i = 0; i < heap->object_count; i++) {
        if (heap->objects[i].id == id) return (int)i;
    }
    return -1;
}

/* ---- ids ---- */

/* Multiples of 16 that leave the same rest by three as `id` does: 16 leaves one. */
static uint64_t address_of(uint64_t base, uint64_t rank, uint64_t step, uint64_t id)
{
    return base + rank * step * STEP + 16 * (id % 3);
}

static uint64_t renamed(const model_heap *heap, const uint64_t *ids, uint64_t id)
{
    const int at = find(heap, id);
    return at < 0 ? NOWHERE : ids[at];
}

/* Object i gets ids[i], in references and roots, too. */
static model_heap with_ids(const model_heap *heap, const uint64_t *ids)
{
    model_heap out = *heap;
    for (uint32_t i = 0; i < heap->object_count; i++) {
        out.objects[i].id = ids[i];
        for (uint32_t r = 0; r < heap->objects[i].reference_count; r++)
            out.objects[i].references[r].target = renamed(heap, ids, heap->objects[i].references[r].target);
    }
    for (uint32_t r = 0; r < heap->root_count; r++)
        out.roots[r].target = renamed(heap, ids, heap->roots[r].target);
    return out;
}

/* ---- ways to move ---- */

static void swap(uint32_t *a, uint32_t *b)
{
    const uint32_t keep = *a;
    *a = *b;
    *b = keep;
}

/* Objects in the order of their ids. */
static void order_by_id(const model_heap *heap, uint32_t *order)
{
    for (uint32_t i = 0; i < heap->object_count; i++) {
        order[i] = i;
        for (uint32_t k = i; k > 0 && heap->objects[order[k - 1]].id > heap->objects[order[k]].id; k--)
            swap(&order[k - 1], &order[k]);
    }
}

static void shuffle(uint32_t *order, uint32_t count, test_random *random)
{
    for (uint32_t i = count; i > 1; i--)
        swap(&order[i - 1], &order[test_below(random, i)]);
}

/* Blocks of up to eight neighbours change places. */
static void shuffle_blocks(uint32_t *order, uint32_t count, test_random *random)
{
    uint32_t begins[MOST + 1], blocks[MOST], old[MOST], block_count = 0, to = 0;
    for (uint32_t at = 0; at < count; at += 1 + (uint32_t)test_below(random, 8)) {
        blocks[block_count] = block_count;
        begins[block_count++] = at;
    }
    begins[block_count] = count;
    shuffle(blocks, block_count, random);
    memcpy(old, order, sizeof old);
    for (uint32_t b = 0; b < block_count; b++) {
        for (uint32_t at = begins[blocks[b]]; at < begins[blocks[b] + 1]; at++)
            order[to++] = old[at];
    }
}

static void place_elsewhere(const model_heap *heap, moved_way way, test_random *random, uint64_t *ids)
{
    uint32_t order[MOST] = {0};
    const uint64_t step = test_below(random, 4) == 0 ? UINT64_C(1) << 40 : 1;
    order_by_id(heap, order);
    if (way == MOVED_REGIONS) shuffle_blocks(order, heap->object_count, random);
    if (way == MOVED_SHUFFLED) shuffle(order, heap->object_count, random);
    for (uint32_t i = 0; i < heap->object_count; i++)
        ids[order[i]] = address_of(UINT64_C(0x60000000), i, step, heap->objects[order[i]].id);
}

model_heap moved_elsewhere(const model_heap *heap, moved_way way, test_random *random)
{
    uint64_t ids[MOST] = {0};
    for (uint32_t i = 0; i < heap->object_count; i++)
        ids[i] = heap->objects[i].id;
    if (way != MOVED_NOT) place_elsewhere(heap, way, random, ids);
    return with_ids(heap, ids);
}

/* New objects take the places of freed ones. */
static void fill_holes(const model_heap *before, const model_heap *after, test_random *random, uint64_t *ids)
{
    bool is_taken[MOST] = {false};
    for (uint32_t i = 0; i < after->object_count; i++) {
        if (!is_new(after->objects[i].id) || test_below(random, 2) == 0) continue;
        for (uint32_t k = 0; k < before->object_count; k++) {
            const uint64_t id = before->objects[k].id;
            if (is_taken[k] || id % 3 != after->objects[i].id % 3 || find(after, id) >= 0) continue;
            is_taken[k] = true;
            ids[i] = id;
            break;
        }
    }
}

/* ---- random pairs ---- */

static void copy_looks(model_object *to, const model_object *from)
{
    const uint64_t id = to->id;
    *to = *from;
    to->id = id;
    to->has_name = false;
}

/* Sizes that repeat, contents, few names, twins of others: from object `first` on. */
static void dress(model_heap *heap, uint32_t first, test_random *random)
{
    for (uint32_t i = first; i < heap->object_count; i++) {
        model_object *object = &heap->objects[i];
        object->has_name = test_below(random, 6) == 0;
        if (test_below(random, 2) == 0) object->size_bytes = 16 + 8 * test_below(random, 3);
        const uint64_t content = test_below(random, 3);
        if (content > 0) object->content = content == 1 ? 1 + test_below(random, 3) : test_next(random);
        if (i > 0 && test_below(random, 3) == 0) copy_looks(object, &heap->objects[test_below(random, i)]);
    }
}

static uint32_t first_new(const model_heap *heap)
{
    uint32_t i = 0;
    while (i < heap->object_count && !is_new(heap->objects[i].id))
        i++;
    return i;
}

static moved_pair make_random(test_random *random, moved_way way)
{
    moved_pair pair = {.before = model_random(random)};
    uint64_t ids[MOST] = {0};
    dress(&pair.before, 0, random);
    model_heap after = model_later(&pair.before, random);
    dress(&after, first_new(&after), random);
    for (uint32_t i = 0; i < after.object_count; i++) {
        ids[i] = after.objects[i].id;
        pair.was[i] = is_new(ids[i]) ? MOVED_NEW : ids[i];
    }
    if (way == MOVED_NOT)
        fill_holes(&pair.before, &after, random, ids);
    else
        place_elsewhere(&after, way, random, ids);
    pair.after = with_ids(&after, ids);
    return pair;
}

moved_pair moved_random(test_random *random, moved_way way)
{
    moved_pair pair = make_random(random, way);
    while (!model_has_graph(&pair.before) || !model_has_graph(&pair.after))
        pair = make_random(random, way);
    return pair;
}

/* ---- what was told ---- */

model_heap moved_renamed(const model_heap *before, const told *all)
{
    uint64_t ids[MOST] = {0};
    for (uint32_t i = 0; i < before->object_count; i++) {
        const uint64_t id = before->objects[i].id;
        const told_pair *pair = told_of_before(all, id);
        ids[i] = pair != NULL ? pair->after : address_of(UINT64_C(0x3000000000000000), i, 1, id);
    }
    return with_ids(before, ids);
}

void moved_add_score(moved_score *score, const moved_pair *pair, const told *all)
{
    for (uint32_t i = 0; i < pair->after.object_count; i++) {
        const model_object *object = &pair->after.objects[i];
        const int was = pair->was[i] == MOVED_NEW ? -1 : find(&pair->before, pair->was[i]);
        const told_pair *said = told_of_after(all, object->id);
        if (object->type == MODEL_PART_TYPE) continue;
        score->told += said != NULL;
        if (was < 0 || pair->before.objects[was].type != object->type) continue;
        if ((object->flags | pair->before.objects[was].flags) & HSC_OBJECT_PSEUDO) continue;
        score->there++;
        score->right += said != NULL && said->before == pair->was[i];
    }
}
