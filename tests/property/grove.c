/*
 * Growing, moving and writing groves.
 */
#include "grove.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hscapture/hscapture.h>

enum { STRIDE = 64, NAMES = 64 };

/* ---- by hand ---- */

static void *grown(void *items, size_t count, size_t *room, size_t item_bytes)
{
    if (count < *room) return items;
    *room = *room == 0 ? 64 : 2 * *room;
    items = realloc(items, *room * item_bytes);
    if (items == NULL) abort();
    return items;
}

grove_object *grove_add(grove *g, uint32_t who, grove_type type, uint64_t size_bytes)
{
    g->objects = grown(g->objects, g->object_count, &g->object_room, sizeof *g->objects);
    grove_object *object = &g->objects[g->object_count++];
    *object = (grove_object){.who = who,
                             .type = type,
                             .size_bytes = size_bytes,
                             .first_reference = g->reference_count,
                             .address = (uint64_t)who * STRIDE};
    return object;
}

void grove_refer(grove *g, uint32_t target, grove_label label)
{
    g->references = grown(g->references, g->reference_count, &g->reference_room, sizeof *g->references);
    g->references[g->reference_count++] = (grove_reference){target, label};
    g->objects[g->object_count - 1].reference_count++;
}

void grove_root_at(grove *g, uint32_t target, uint32_t name)
{
    g->roots = grown(g->roots, g->root_count, &g->root_room, sizeof *g->roots);
    g->roots[g->root_count++] = (grove_root){target, name};
}

void grove_free(grove *g)
{
    free(g->objects);
    free(g->references);
    free(g->roots);
    memset(g, 0, sizeof *g);
}

static const grove_object *find(const grove *g, uint32_t who)
{
    size_t low = 0, high = g->object_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (g->objects[middle].who < who)
            low = middle + 1;
        else
            high = middle;
    }
    return low < g->object_count && g->objects[low].who == who ? &g->objects[low] : NULL;
}

/* ---- by plan ---- */

enum { CLASS_OF_GROUP, MAP_OF_GROUP, TABLE_OF_GROUP, THREAD_OF_GROUP };
enum { NODE, KEY, KEY_BYTES, USER, BUFFERS, POINTS = BUFFERS + 3, PARTS = 16 };

static uint32_t who_of(const grove_plan *plan, unsigned entry, unsigned group, unsigned part)
{
    return 1 + (entry * plan->groups + group) * PARTS + part;
}

/* A random number of one part of one entry: the same at both moments, but for those that are written to. */
static uint64_t fate(const grove_plan *plan, uint32_t who, int moment)
{
    test_random random = {plan->seed * UINT64_C(0x10001) + who * 2u + (unsigned)moment};
    return test_next(&random);
}

static bool is_there(const grove_plan *plan, unsigned entry, unsigned group, int moment)
{
    if (entry > plan->entries) return moment == 1;
    return moment == 0 || fate(plan, who_of(plan, entry, group, NODE), 0) % 100 >= plan->churn;
}

static unsigned last_entry(const grove_plan *plan, int moment)
{
    return plan->entries + (moment == 1 ? plan->entries * plan->growth / 100 : 0);
}

static uint64_t content_of(const grove_plan *plan, uint32_t who)
{
    return plan->has_unique_points ? fate(plan, who, 1) | 1 : 0;
}

static void grow_group(grove *g, const grove_plan *plan, unsigned group, int moment)
{
    const uint32_t first = who_of(plan, 0, group, 0);
    unsigned count = 0;
    grove_add(g, first + CLASS_OF_GROUP, GROVE_CLASS, 120)->name = 1 + group % (NAMES - 1);
    grove_refer(g, first + MAP_OF_GROUP, GROVE_STATIC);
    grove_root_at(g, first + CLASS_OF_GROUP, 0);
    grove_add(g, first + MAP_OF_GROUP, GROVE_MAP, 48);
    grove_refer(g, first + TABLE_OF_GROUP, GROVE_FIELD);
    grove_add(g, first + TABLE_OF_GROUP, GROVE_TABLE, 0);
    for (unsigned entry = 1; entry <= last_entry(plan, moment); entry++) {
        if (!is_there(plan, entry, group, moment)) continue;
        grove_refer(g, who_of(plan, entry, group, NODE), GROVE_ITEM);
        count++;
    }
    grove_object *table = &g->objects[g->object_count - 1];
    table->size_bytes = 16 + 4 * (uint64_t)count;
    table->elements = count;
    grove_add(g, first + THREAD_OF_GROUP, GROVE_THREAD, 400)->name = 1 + group % 5;
    if (count > 0) grove_refer(g, g->references[table->first_reference].target, GROVE_FIELD);
    grove_root_at(g, first + THREAD_OF_GROUP, 1 + group % 5);
}

static void grow_user(grove *g, const grove_plan *plan, uint32_t node, int written)
{
    const uint64_t look = fate(plan, node + USER, written);
    const unsigned buffers = look % 4, points = look / 4 % 4;
    grove_object *user = grove_add(g, node + USER, GROVE_USER, 40);
    user->content = plan->has_unique_points || look / 16 % 2 == 0 ? fate(plan, node + USER, written) : 0;
    user->value = node;
    for (unsigned i = 0; i < buffers; i++)
        grove_refer(g, node + BUFFERS + i, GROVE_FIELD);
    for (unsigned i = 0; i < points; i++)
        grove_refer(g, node + POINTS + i, GROVE_FIELD);
    if (look / 32 % 8 == 0) grove_refer(g, node, GROVE_WEAK);
    for (unsigned i = 0; i < buffers; i++) {
        grove_object *buffer = grove_add(g, node + BUFFERS + i, GROVE_BYTES, 64 + 16 * (look / 64 % 3));
        buffer->content = content_of(plan, node + BUFFERS + i);
        buffer->elements = 48;
    }
    for (unsigned i = 0; i < points; i++)
        grove_add(g, node + POINTS + i, GROVE_POINT, 24)->content = content_of(plan, node + POINTS + i);
}

static void grow_entry(grove *g, const grove_plan *plan, unsigned entry, unsigned group, int moment)
{
    const uint32_t node = who_of(plan, entry, group, 0);
    const int written = moment == 1 && fate(plan, node + KEY, 0) % 100 < plan->mutation;
    grove_add(g, node + NODE, GROVE_NODE, 32)->content = content_of(plan, node);
    grove_refer(g, node + KEY, GROVE_FIELD);
    grove_refer(g, node + USER, GROVE_FIELD);
    grove_add(g, node + KEY, GROVE_STRING, 24)->content = content_of(plan, node + KEY);
    grove_refer(g, node + KEY_BYTES, GROVE_FIELD);
    grove_object *bytes = grove_add(g, node + KEY_BYTES, GROVE_BYTES, 32);
    bytes->content = fate(plan, node + KEY_BYTES, 0) | 1;
    bytes->elements = 12;
    grow_user(g, plan, node, written);
}

grove grove_grow(const grove_plan *plan, int moment)
{
    grove g = {0};
    for (unsigned group = 0; group < plan->groups; group++)
        grow_group(&g, plan, group, moment);
    for (unsigned entry = 1; entry <= last_entry(plan, moment); entry++) {
        for (unsigned group = 0; group < plan->groups; group++) {
            if (is_there(plan, entry, group, moment)) grow_entry(&g, plan, entry, group, moment);
        }
    }
    return g;
}

/* ---- addresses ---- */

void grove_place(grove *g)
{
    for (size_t i = 0; i < g->object_count; i++)
        g->objects[i].address = (uint64_t)g->objects[i].who * STRIDE;
}

static void swap(size_t *a, size_t *b)
{
    const size_t keep = *a;
    *a = *b;
    *b = keep;
}

static void shuffle(size_t *order, size_t count, test_random *random)
{
    for (size_t i = count; i > 1; i--)
        swap(&order[i - 1], &order[test_below(random, i)]);
}

static void shuffle_blocks(size_t *order, size_t count, test_random *random)
{
    const size_t size = 50 + test_below(random, 400), blocks = (count + size - 1) / size;
    size_t *numbers = calloc(blocks + 1, sizeof *numbers), to = 0;
    if (numbers == NULL) abort();
    for (size_t i = 0; i < blocks; i++)
        numbers[i] = i;
    shuffle(numbers, blocks, random);
    for (size_t i = 0; i < blocks; i++) {
        for (size_t at = numbers[i] * size; at < count && at < (numbers[i] + 1) * size; at++)
            order[to++] = at;
    }
    free(numbers);
}

/* What is new lies where something was freed, as long as there are such places. */
static void fill_holes(grove *g, const grove *before)
{
    size_t hole = 0;
    grove_place(g);
    for (size_t i = 0; i < g->object_count; i++) {
        if (find(before, g->objects[i].who) != NULL) continue;
        while (hole < before->object_count && find(g, before->objects[hole].who) != NULL)
            hole++;
        if (hole < before->object_count) g->objects[i].address = before->objects[hole++].address;
    }
}

void grove_move(grove *g, const grove *before, moved_way way, test_random *random)
{
    if (way == MOVED_NOT) {
        fill_holes(g, before);
        return;
    }
    size_t *order = calloc(g->object_count + 1, sizeof *order);
    if (order == NULL) abort();
    for (size_t i = 0; i < g->object_count; i++)
        order[i] = i;
    if (way == MOVED_SHUFFLED) shuffle(order, g->object_count, random);
    if (way == MOVED_REGIONS) shuffle_blocks(order, g->object_count, random);
    for (size_t i = 0; i < g->object_count; i++)
        g->objects[order[i]].address = UINT64_C(0x7f0000000000) + 48 * (uint64_t)i;
    free(order);
}

/* An index by address. */
static int by_address(const void *a, const void *b)
{
    const uint64_t x = (*(const grove_object *const *)a)->address, y = (*(const grove_object *const *)b)->address;
    return (x > y) - (x < y);
}

static const grove_object **sorted(const grove *g)
{
    const grove_object **all = calloc(g->object_count + 1, sizeof *all);
    if (all == NULL) abort();
    for (size_t i = 0; i < g->object_count; i++)
        all[i] = &g->objects[i];
    qsort(all, g->object_count, sizeof *all, by_address);
    return all;
}

static const grove_object *look_up(const grove_object **all, size_t count, uint64_t address)
{
    const grove_object wanted = {.address = address}, *key = &wanted;
    const grove_object **found = bsearch(&key, all, count, sizeof *all, by_address);
    return found == NULL ? NULL : *found;
}

const grove_object *grove_at(const grove *g, uint64_t address)
{
    for (size_t i = 0; i < g->object_count; i++) {
        if (g->objects[i].address == address) return &g->objects[i];
    }
    return NULL;
}

/* ---- captures ---- */

typedef struct writing {
    const grove *g;
    const grove_form *form;
    hsc_writer *w;
    bool is_good;
} writing;

static void good(writing *x, hsc_status status)
{
    if (status == HSC_OK || !x->is_good) return;
    fprintf(stderr, "the writer refused (%d): %s\n", status, hsc_error_text(x->w));
    x->is_good = false;
}

static void write_tables(writing *x)
{
    static const char *const types[GROVE_TYPES] = {"java.lang.Class",
                                                   "java.util.HashMap",
                                                   "java.util.HashMap$Node[]",
                                                   "java.util.HashMap$Node",
                                                   "java.lang.String",
                                                   "byte[]",
                                                   "shop.User",
                                                   "shop.Point",
                                                   "java.lang.Thread"};
    static const struct {
        hsc_label_kind kind;
        uint32_t flags;
        const char *name;
    } labels[GROVE_LABELS] = {[GROVE_FIELD] = {HSC_LABEL_FIELD, 0, "field"},
                              [GROVE_ITEM] = {HSC_LABEL_ELEMENT, 0, NULL},
                              [GROVE_STATIC] = {HSC_LABEL_STATIC, HSC_LABEL_NAMED_ROOT, "cache"},
                              [GROVE_WEAK] = {HSC_LABEL_FIELD, HSC_STRENGTH_WEAK, "weak"}};
    for (uint32_t i = 0; i < GROVE_TYPES; i++)
        good(x, hsc_define_type(x->w, i + 1, types[i], strlen(types[i]),
                                i == GROVE_BYTES && x->form->has_parts ? HSC_TYPE_PART : 0));
    for (uint32_t i = 1; i < NAMES; i++) {
        char name[16];
        good(x, hsc_define_string(x->w, i, name, (size_t)snprintf(name, sizeof name, "name%u", i)));
    }
    for (uint32_t i = 0; i < GROVE_LABELS; i++) {
        const char *name = labels[i].name;
        if (name != NULL) good(x, hsc_define_string(x->w, NAMES + i, name, strlen(name)));
        good(x, hsc_define_label(x->w, i + 1, labels[i].kind, labels[i].flags, name == NULL ? 0 : NAMES + i));
    }
}

static void write_object(writing *x, const grove_object *object)
{
    const hsc_object record = {.id = object->address,
                               .size_bytes = object->size_bytes,
                               .type = (uint32_t)object->type + 1,
                               .identity = object->hash,
                               .content = object->content,
                               .elements = object->elements,
                               .name = object->name};
    char value[24];
    good(x, hsc_begin_object(x->w, &record));
    if (x->form->has_values && object->value != 0)
        good(x, hsc_value(x->w, value, (size_t)snprintf(value, sizeof value, "id=%u", object->value)));
    for (size_t i = 0; i < object->reference_count; i++) {
        const grove_reference *reference = &x->g->references[object->first_reference + i];
        const grove_object *target = find(x->g, reference->target);
        if (target != NULL) good(x, hsc_reference(x->w, target->address, (uint32_t)reference->label + 1, i));
    }
    good(x, hsc_end_object(x->w));
}

static void write_all(writing *x)
{
    const size_t objects = x->g->object_count, roots = x->g->root_count;
    const uint64_t seed = x->form->order;
    size_t *order = calloc(objects + 1, sizeof *order);
    test_random random = {seed};
    if (order == NULL) abort();
    for (size_t i = 0; i < objects; i++)
        order[i] = i;
    if (seed != 0) shuffle(order, objects, &random);
    if (seed % 2 == 0) write_tables(x);
    for (size_t i = 0; i < objects; i++)
        write_object(x, &x->g->objects[order[i]]);
    for (size_t i = 0; i < roots; i++) {
        const grove_root *root = &x->g->roots[seed == 0 ? i : roots - 1 - i];
        good(x, hsc_root(x->w, &(hsc_root_record){.kind = HSC_ROOT_STACK,
                                                  .label = root->name,
                                                  .target = find(x->g, root->target)->address}));
    }
    if (seed % 2 == 1) write_tables(x);
    free(order);
}

bool grove_write(const grove *g, const grove_form *form, const char *path)
{
    writing x = {.g = g, .form = form, .is_good = true};
    hsc_options options;
    hsc_options_init(&options);
    options.producer = "test";
    options.identity = form->identity;
    options.taken_unix_ns = 1 + form->moment;
    options.memory_bytes = 256 << 10;
    options.compression = 0;
    options.facts = form->has_values ? HSC_FACT_VALUES : 0;
    memset(options.capture_id, 1 + (int)form->moment, sizeof options.capture_id);
    remove(path);
    if (hsc_open_file(&x.w, path, &options) != HSC_OK) return false;
    write_all(&x);
    good(&x, hsc_finish(x.w));
    hsc_close(x.w);
    return x.is_good;
}

/* ---- what was told ---- */

grove grove_renamed(const grove *before, told *all)
{
    grove out = *before;
    told_sort_by_before(all);
    out.objects = malloc((before->object_count + 1) * sizeof *out.objects);
    out.references = malloc((before->reference_count + 1) * sizeof *out.references);
    out.roots = malloc((before->root_count + 1) * sizeof *out.roots);
    if (out.objects == NULL || out.references == NULL || out.roots == NULL) abort();
    if (before->reference_count > 0)
        memcpy(out.references, before->references, before->reference_count * sizeof *out.references);
    if (before->root_count > 0) memcpy(out.roots, before->roots, before->root_count * sizeof *out.roots);
    for (size_t i = 0; i < before->object_count; i++) {
        const told_pair *pair = told_of_before(all, before->objects[i].address);
        out.objects[i] = before->objects[i];
        out.objects[i].address = pair != NULL ? pair->after : UINT64_C(0x3000000000000000) + 16 * (uint64_t)i;
    }
    return out;
}

void grove_add_score(moved_score *score, const grove *before, const grove *after, told *all)
{
    const grove_object **places = sorted(before);
    told_sort_by_after(all);
    score->told += all->count;
    for (size_t i = 0; i < after->object_count; i++) {
        const grove_object *was = find(before, after->objects[i].who);
        const told_pair *pair = told_of_after(all, after->objects[i].address);
        score->there += was != NULL && was->type == after->objects[i].type;
        score->right += was != NULL && pair != NULL && look_up(places, before->object_count, pair->before) == was;
    }
    free(places);
}
