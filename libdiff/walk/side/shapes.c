/*
 * Shapes (match/element.h): what each object is by itself, hashed while it is read.
 *
 *      an object           its type's name, its size, its content where the producer hashed one, else its length
 *      with a name         its type's name and its own: classes, threads. These are anchors: they keep their shape whatever
 *                          they come to refer to
 *      with a user's key   its type's name and the key's value; likewise
 *      with a hash         its type's name and the identity hash that the runtime keeps for it; likewise
 *      label, root nodes   the root's name
 *
 * Names are strings of the capture, which may come before or behind their users: one pass over them beforehand makes a
 * hash of each, in a paged array by number.
 */
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"
#include "base/mix.h"
#include "match/element.h"
#include "walk/side/build.h"
#include "walk/user_keys.h"

#define NAME_SEED UINT64_C(0x6e616d65)
#define ROOT_SEED UINT64_C(0x726f6f74)
#define HASH_SEED UINT64_C(0x68617368)

typedef struct hsd_side_shapes {
    hsd_side_walk *side;
    hsd_side_column column;
    hsd_paged names;     /* u64 by string: hash of its text */
    uint32_t name_count; /* one past the greatest number */
    uint64_t *type_hash; /* by common type */
} hsd_side_shapes;

/* ---- names ---- */

static hsd_status hash_strings(hsd_side_shapes *s, hsd_error *err)
{
    hsd_record_reader *reader;
    hsd_record record;
    hsd_status status;
    HSD_TRY(hsd_record_reader_open(&reader, s->side->request->capture, HSD_RECORD_STRING, err));
    while ((status = hsd_record_reader_next(reader, &record, err)) == HSD_OK) {
        if (record.string.id >= s->name_count) continue; /* numbers with gaps: such a name says nothing */
        const hsd_text text = record.string.text;
        hsd_paged_set_u64(&s->names, record.string.id, hsd_hash_bytes(text.data, text.size, NAME_SEED) | 1);
    }
    hsd_record_reader_close(reader);
    return status == HSD_END ? hsd_paged_check(&s->names, err) : status;
}

static hsd_status load_names(hsd_side_shapes *s, hsd_error *err)
{
    const uint64_t count = hsd_min_u64(s->side->info->strings + 1, UINT32_MAX), bytes = 8 * count;
    const uint64_t memory = hsd_min_u64(hsd_paged_full_bytes(bytes),
                                        hsd_max_u64(hsd_paged_least_bytes(bytes), s->side->request->plan.string_bytes));
    HSD_TRY(hsd_paged_open(&s->names, bytes, memory, s->side->request->space, err));
    s->name_count = (uint32_t)count;
    return hash_strings(s, err);
}

/* `Order[]`, `Order[,]`: says so where the format has no lengths (.NET). */
static bool is_array(hsd_bytes name)
{
    size_t at = name.size;
    if (at == 0 || name.data[--at] != ']') return false;
    while (at > 0 && name.data[at - 1] == ',')
        at--;
    return at > 0 && name.data[at - 1] == '[';
}

static hsd_status hash_types(hsd_side_shapes *s, hsd_error *err)
{
    const hsd_names *names = &s->side->request->type_names->names;
    s->type_hash = malloc(((size_t)names->count + 1) * sizeof *s->type_hash);
    if (s->type_hash == NULL) return hsd_fail_nomem(err, "what objects look like");
    for (uint32_t i = 0; i < names->count; i++) {
        const hsd_bytes name = hsd_names_get(names, i);
        const uint64_t hash = hsd_hash_bytes(name.data, name.size, NAME_SEED) & ~HSD_SHAPE_HAS_ELEMENTS;
        s->type_hash[i] = hash | (is_array(name) ? HSD_SHAPE_HAS_ELEMENTS : 0);
    }
    return HSD_OK;
}

static hsd_status take_bits(hsd_side_walk *side, hsd_error *err)
{
    const size_t bytes = (size_t)side->object_count / 8 + 1;
    side->graph->is_named = calloc(bytes, 1);
    if (side->request->alike->user_keys != NULL) side->graph->is_keyed = calloc(bytes, 1);
    return side->graph->is_named == NULL || (side->request->alike->user_keys != NULL && side->graph->is_keyed == NULL)
               ? hsd_fail_nomem(err, "what objects look like")
               : HSD_OK;
}

hsd_status hsd_side_shapes_new(hsd_side_shapes **out, hsd_side_walk *side, hsd_error *err)
{
    hsd_side_shapes *s = *out = calloc(1, sizeof *s);
    if (s == NULL) return hsd_fail_nomem(err, "what objects look like");
    s->side = side;
    HSD_TRY(hsd_side_column_open(&s->column, &side->graph->shapes_file, 8, 0, err));
    HSD_TRY(take_bits(side, err));
    HSD_TRY(hash_types(s, err));
    return load_names(s, err);
}

/* ---- objects ---- */

static bool key_of(hsd_side_shapes *s, const hsd_object *object, uint32_t type, uint64_t *shape)
{
    if (s->side->request->alike->user_keys == NULL ||
        !hsd_user_key_take(s->side->request->alike->user_keys, type, object->value, s->side->request->alike->key_counts,
                           shape))
        return false;
    hsd_bit_set(s->side->graph->is_keyed, object->ordinal);
    return true;
}

/* Bits for hashes are taken when the first one comes: hardly a runtime has any. */
static hsd_status hash_of(hsd_side_shapes *s, const hsd_object *object, uint32_t type, uint64_t *shape, bool *has,
                          hsd_error *err)
{
    hsd_walk_graph *graph = s->side->graph;
    *has = s->side->request->alike->look.has_hashes && object->identity != 0;
    if (!*has) return HSD_OK;
    if (graph->is_hashed == NULL) graph->is_hashed = calloc((size_t)s->side->object_count / 8 + 1, 1);
    if (graph->is_hashed == NULL) return hsd_fail_nomem(err, "what objects look like");
    hsd_bit_set(graph->is_hashed, object->ordinal);
    *shape = hsd_mix(hsd_mix(s->type_hash[type], HASH_SEED), object->identity);
    return HSD_OK;
}

static uint64_t name_of(hsd_side_shapes *s, const hsd_object *object)
{
    return object->name != 0 && object->name < s->name_count ? hsd_paged_get_u64(&s->names, object->name) : 0;
}

static uint64_t shape_of(const hsd_side_shapes *s, const hsd_object *object, uint32_t type)
{
    const hsd_side_look look = s->side->request->alike->look;
    uint64_t shape = s->type_hash[type];
    if (look.has_sizes) shape = hsd_mix(shape, hsd_side_bytes_of(object));
    shape = hsd_mix(shape, object->elements);
    return look.has_contents ? hsd_mix(shape, object->content) : shape;
}

hsd_status hsd_side_shape(hsd_side_shapes *s, const hsd_object *object, uint32_t type, hsd_error *err)
{
    HSD_ASSERT(object->ordinal < s->side->object_count);
    const uint64_t name = name_of(s, object);
    uint64_t shape;
    bool has_hash = false;
    const bool has_key = key_of(s, object, type, &shape);
    if (!has_key) HSD_TRY(hash_of(s, object, type, &shape, &has_hash, err));
    if (has_key || has_hash)
        hsd_bit_set(s->side->graph->is_named, object->ordinal);
    else if (name != 0) {
        shape = hsd_mix(s->type_hash[type], name);
        hsd_bit_set(s->side->graph->is_named, object->ordinal);
    } else
        shape = shape_of(s, object, type);
    shape &= ~HSD_SHAPE_HAS_ELEMENTS;
    if (object->elements > 0 || s->type_hash[type] & HSD_SHAPE_HAS_ELEMENTS) shape |= HSD_SHAPE_HAS_ELEMENTS;
    return hsd_side_column_put(&s->column, s->side->request->space, object->ordinal, shape, err);
}

/* ---- label nodes and root nodes ---- */

hsd_status hsd_side_shapes_finish(hsd_side_shapes *s, hsd_error *err)
{
    hsd_side_walk *side = s->side;
    for (hsd_node node = side->object_count; node < side->node_count; node++) {
        const hsd_bytes name = hsd_names_get(&side->roots.names, side->name_of_node[node - side->object_count]);
        const uint64_t shape = hsd_hash_bytes(name.data, name.size, ROOT_SEED);
        HSD_TRY(hsd_side_column_put(&s->column, side->request->space, node, shape, err));
    }
    HSD_TRY(hsd_side_column_end(&s->column, side->request->space, side->node_count, err));
    return hsd_paged_check(&s->names, err);
}

void hsd_side_shapes_free(hsd_side_shapes *s)
{
    if (s == NULL) return;
    hsd_side_column_close(&s->column);
    if (s->names.page_count > 0) hsd_paged_close(&s->names);
    free(s->type_hash);
    free(s);
}
