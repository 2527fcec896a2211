/*
 * The staging area of the objects: how it is laid out, how a block of it goes out, and what happens to an
 * object that is in progress then.
 *
 *      objects  | id …   | type … | size … | ref_count … |      one column a field, narrow or wide
 *      refs     | target …        | label …        | index … |
 *      values   | bytes of previews … |
 *
 * A block ends where an object ends: an object in progress moves to the next block with the references it
 * has so far. They wait in the raw region, behind the payload, while the compressor runs over the staging
 * area. Only an object that already fills an eighth of the room for references is split; what follows is a
 * continuation (FORMAT.md 6.8).
 */
#include "stage.h"

#include "bytes.h"
#include "column.h"
#include "layout.h"
#include "writer.h"

enum { LEAST_OBJECTS = 8, LEAST_REFERENCES = 16, OPEN_SHARE = 8, COLUMN_SLACK = 8 };

static const uint8_t columns[HSC_FIELDS] = {
    HSC_COL_ID,          HSC_COL_TYPE,      HSC_COL_SIZE,       HSC_COL_NATIVE_SIZE, HSC_COL_ELEMENTS, HSC_COL_SITE,
    HSC_COL_AGE,         HSC_COL_FLAGS,     HSC_COL_NAME,       HSC_COL_CATEGORY,    HSC_COL_IDENTITY, HSC_COL_CONTENT,
    HSC_COL_VALUE_BYTES, HSC_COL_REF_COUNT, HSC_COL_REF_TARGET, HSC_COL_REF_LABEL,   HSC_COL_REF_INDEX};

/* The bits that a field may ever have. */
static const uint64_t widest[HSC_FIELDS] = {
    [HSC_F_ID] = UINT64_MAX,          [HSC_F_TYPE] = HSC_MAX_TABLE_ID,
    [HSC_F_SIZE] = UINT64_MAX,        [HSC_F_NATIVE] = UINT64_MAX,
    [HSC_F_ELEMENTS] = UINT64_MAX,    [HSC_F_SITE] = HSC_MAX_TABLE_ID,
    [HSC_F_AGE] = UINT32_MAX,         [HSC_F_FLAGS] = UINT32_MAX & ~HSC_OBJECT_CONTINUES,
    [HSC_F_NAME] = HSC_MAX_TABLE_ID,  [HSC_F_CATEGORY] = HSC_MAX_TABLE_ID,
    [HSC_F_IDENTITY] = UINT64_MAX,    [HSC_F_CONTENT] = UINT64_MAX,
    [HSC_F_VALUE_BYTES] = UINT32_MAX, [HSC_F_REF_COUNT] = UINT32_MAX,
    [HSC_F_TARGET] = UINT64_MAX,      [HSC_F_LABEL] = HSC_MAX_TABLE_ID,
    [HSC_F_INDEX] = UINT64_MAX};

/* ---- the staging area ---- */

static void set_limits(hsc_stage *o)
{
    o->limit = o->is_open ? 0 : o->capacity;
    o->ref_limit = o->is_open ? o->ref_capacity : 0;
}

static size_t record_bytes(const uint8_t *width, unsigned from, unsigned to)
{
    size_t sum = 0;
    for (unsigned f = from; f < to; f++)
        sum += width[f];
    return sum;
}

static size_t min_size(size_t a, size_t b) { return a < b ? a : b; }
static size_t max_size(size_t a, size_t b) { return a > b ? a : b; }

/* Divides `room` bytes by the ratio of the last block; each side keeps a sixteenth at least. */
static void divide_stage(hsc_stage *o, size_t room, size_t least_refs)
{
    const size_t object = record_bytes(o->width, 0, HSC_OBJECT_FIELDS);
    const size_t reference = record_bytes(o->width, HSC_OBJECT_FIELDS, HSC_FIELDS);
    const uint64_t pair = (uint64_t)object * 256 + (uint64_t)reference * o->refs_per_256;
    size_t objects = (size_t)((uint64_t)room * 256 / pair);
    objects = max_size(objects, max_size(room / 16 / object, LEAST_OBJECTS));
    objects = min_size(objects, HSC_MAX_RECORDS);
    size_t refs = (room - min_size(room, objects * object)) / reference;
    refs = max_size(refs, max_size(room / 16 / reference, max_size(least_refs, LEAST_REFERENCES)));
    refs = min_size(refs, HSC_MAX_REFERENCES);
    objects = min_size(objects, (room - refs * reference) / object);
    if (objects > HSC_MAX_OBJECTS - o->ordinal) objects = (size_t)(HSC_MAX_OBJECTS - o->ordinal);
    o->capacity = (uint32_t)max_size(objects, 1);
    o->ref_capacity = (uint32_t)refs;
}

/* Whether any field but those of nearly all heaps has a column. */
static bool has_rare_column(const hsc_stage *o)
{
    const uint32_t common = 1u << HSC_F_ID | 1u << HSC_F_TYPE | 1u << HSC_F_SIZE | 1u << HSC_F_FLAGS |
                            1u << HSC_F_NAME | 1u << HSC_F_REF_COUNT;
    bool is_found = false;
    for (unsigned f = 0; f < HSC_OBJECT_FIELDS; f++)
        is_found |= o->width[f] != 0 && (common >> f & 1) == 0;
    return is_found;
}

/* Lays the empty area out for o->width. */
static void lay_out_stage(hsc_stage *o, size_t least_refs)
{
    divide_stage(o, o->memory_bytes - o->value_capacity - HSC_FIELDS * COLUMN_SLACK, least_refs);
    unsigned char *at = o->memory;
    for (unsigned f = 0; f < HSC_FIELDS; f++) {
        const size_t count = f < HSC_OBJECT_FIELDS ? o->capacity : o->ref_capacity;
        o->column[f] = o->width[f] != 0 ? at : NULL;
        o->mask[f] = o->width[f] == 0 ? 0 : o->width[f] == 4 ? widest[f] & UINT32_MAX : widest[f];
        at += (count * o->width[f] + 7) & ~(size_t)7;
    }
    o->values = at;
    o->has_rare = has_rare_column(o);
    o->used = o->ref_used = o->ref_start = o->value_used = 0;
}

void hsc_stage_init(hsc_stage *o, unsigned char *memory, size_t bytes, size_t value_bytes)
{
    *o = (hsc_stage){
        .memory = memory, .memory_bytes = bytes, .value_capacity = (uint32_t)value_bytes, .refs_per_256 = 3 * 256};
    static const uint8_t first[] = {HSC_F_ID, HSC_F_TYPE, HSC_F_SIZE, HSC_F_REF_COUNT, HSC_F_TARGET, HSC_F_LABEL};
    for (size_t i = 0; i < sizeof first; i++)
        o->width[first[i]] = 4;
    if (value_bytes > 0) o->width[HSC_F_VALUE_BYTES] = 4;
    lay_out_stage(o, 0);
    set_limits(o);
}

size_t hsc_stage_bound(size_t bytes)
{
    return bytes + bytes / 16 + (HSC_FIELDS + 1) * (HSC_COLUMN_HEADER_BYTES + 1 + 8);
}

size_t hsc_stage_least(size_t value_bytes)
{
    /* All fields at their widest: the fewest objects, the references of one in progress, and the slack. */
    return value_bytes + HSC_FIELDS * COLUMN_SLACK + LEAST_OBJECTS * 96 + LEAST_REFERENCES * 20 * 2;
}

static uint64_t get_stage(const unsigned char *column, unsigned width, uint32_t at)
{
    if (width == 4) return ((const uint32_t *)(const void *)column)[at];
    return width == 8 ? ((const uint64_t *)(const void *)column)[at] : 0;
}

/* ---- blocks ---- */

bool hsc_stage_continues(const hsc_stage *o)
{
    return (get_stage(o->column[HSC_F_FLAGS], o->width[HSC_F_FLAGS], 0) & HSC_OBJECT_CONTINUES) != 0;
}

/* The payload, in the raw region; returns its size. */
static size_t encode(const hsc_staged *s, unsigned char *raw)
{
    const hsc_stage *o = &s->stage;
    hsc_sources sources = {.counts = (const uint32_t *)(const void *)o->column[HSC_F_REF_COUNT]};
    if (s->targets_are_ordinals)
        sources.first = o->block_ordinal - hsc_stage_continues(o);
    else
        sources.ids = (hsc_values){o->column[HSC_F_ID], o->width[HSC_F_ID]};
    unsigned char *out = raw;
    for (unsigned f = 0; f < HSC_FIELDS; f++) {
        if (o->width[f] == 0) continue;
        const hsc_values values = {o->column[f], o->width[f]};
        out = hsc_column_put(out, columns[f], values, f < HSC_OBJECT_FIELDS ? s->records : s->refs,
                             f == HSC_F_TARGET ? &sources : NULL);
        if (f == HSC_F_VALUE_BYTES) out = hsc_column_put_bytes(out, HSC_COL_VALUE, o->values, s->value_bytes);
    }
    if (out == raw) out = hsc_column_put_zeros(out, HSC_COL_ID, s->records);
    return (size_t)(out - raw);
}

/* The staging area is overwritten by the compressor. */
static hsc_status send_encoded(const hsc_staged *staged, hsc_blocks *blocks, unsigned char *raw, size_t used)
{
    return hsc_block_send(blocks, raw, &staged->block, used,
                          (hsc_room){staged->stage.memory, staged->stage.memory_bytes});
}

hsc_status hsc_staged_write(const hsc_staged *staged, hsc_blocks *blocks, unsigned char *raw)
{
    return send_encoded(staged, blocks, raw, encode(staged, raw));
}

/* The first records as a block. They count as sent: the staging area is to be laid out anew. */
static hsc_staged take_staged(hsc_writer *w, uint32_t records, uint32_t refs, uint32_t value_bytes, uint32_t objects)
{
    hsc_stage *o = &w->objects;
    const hsc_staged staged = {
        .stage = *o,
        .block = {.type = HSC_BLOCK_OBJECTS,
                  .flags = w->targets_are_ordinals ? HSC_BLOCK_FLAG_TARGET_ORDINAL : 0,
                  .records = records,
                  .first_ordinal = o->block_ordinal,
                  .objects = objects},
        .records = records,
        .refs = refs,
        .value_bytes = value_bytes,
        .targets_are_ordinals = w->targets_are_ordinals,
    };
    o->references += refs;
    o->block_ordinal += objects;
    o->refs_per_256 = (uint32_t)min_size((size_t)((uint64_t)refs * 256 / records), UINT32_C(1) << 24);
    return staged;
}

/* To the helper; the staging area is now the other one. The block before must have been settled. */
static void hand_over(hsc_writer *w, const hsc_staged *staged)
{
    w->objects.memory = w->handoff->memory;
    hsc_handoff_start(w->handoff, staged);
}

static hsc_status write_whole_stage(hsc_writer *w)
{
    const hsc_stage *o = &w->objects;
    if (o->used == 0) return HSC_OK;
    const hsc_status status = hsc_settle(w);
    if (status != HSC_OK) return status;
    const hsc_staged staged = take_staged(w, o->used, o->ref_used, o->value_used, o->used - hsc_stage_continues(o));
    if (w->handoff == NULL) return hsc_block_told(w, hsc_staged_write(&staged, &w->blocks, w->blocks.raw));
    hand_over(w, &staged);
    return HSC_OK;
}

hsc_status hsc_stage_flush(hsc_writer *w)
{
    const hsc_status status = write_whole_stage(w);
    w->objects.used = 0;
    return status == HSC_OK ? hsc_settle(w) : status;
}

/* ---- when something does not fit ---- */

/* The object in progress while the staging area is laid out anew: its references lie in the raw region. */
typedef struct carried {
    uint64_t fields[HSC_OBJECT_FIELDS];
    uint32_t refs;
    const unsigned char *column[HSC_FIELDS];
    uint8_t width[HSC_FIELDS];
    const unsigned char *value;
} carried;

static const unsigned char *stash(unsigned char **at, const unsigned char *from, size_t size)
{
    unsigned char *to = *at;
    memcpy(to, from, size);
    *at += (size + 7) & ~(size_t)7;
    return to;
}

static void pick_up(carried *c, const hsc_stage *o, unsigned char *room)
{
    const uint32_t last = o->used - 1;
    for (unsigned f = 0; f < HSC_OBJECT_FIELDS; f++)
        c->fields[f] = get_stage(o->column[f], o->width[f], last);
    c->refs = o->ref_used - o->ref_start;
    for (unsigned f = HSC_OBJECT_FIELDS; f < HSC_FIELDS; f++) {
        const size_t w = c->width[f] = o->width[f];
        if (w != 0) c->column[f] = stash(&room, o->column[f] + o->ref_start * w, c->refs * w);
    }
    const size_t value_bytes = (size_t)c->fields[HSC_F_VALUE_BYTES];
    if (value_bytes > 0) c->value = stash(&room, o->values + o->value_used - value_bytes, value_bytes);
}

static void put_down(const carried *c, hsc_stage *o)
{
    for (unsigned f = 0; f < HSC_OBJECT_FIELDS; f++)
        hsc_stage_put(o, f, 0, c->fields[f]);
    o->used = 1;
    for (uint32_t i = 0; i < c->refs; i++) {
        for (unsigned f = HSC_OBJECT_FIELDS; f < HSC_FIELDS; f++)
            hsc_stage_put(o, f, i, get_stage(c->column[f], c->width[f], i));
    }
    o->ref_used = c->refs;
    o->value_used = (uint32_t)c->fields[HSC_F_VALUE_BYTES];
    if (o->value_used > 0) memcpy(o->values, c->value, o->value_used);
}

/* Writes all objects before the one in progress, which moves to the front of the new layout. */
static hsc_status move_open_object(hsc_writer *w, const uint8_t *width)
{
    hsc_stage *o = &w->objects;
    carried c = {.refs = 0};
    const uint32_t records = o->used - 1, refs = o->ref_start;
    const uint32_t own_value = (uint32_t)get_stage(o->column[HSC_F_VALUE_BYTES], o->width[HSC_F_VALUE_BYTES], records);
    const uint32_t value_bytes = o->value_used - own_value;
    if (records == 0) {
        pick_up(&c, o, w->blocks.raw);
    } else {
        hsc_status status = hsc_settle(w);
        if (status != HSC_OK) return status;
        const hsc_staged staged = take_staged(w, records, refs, value_bytes, records - hsc_stage_continues(o));
        const size_t used = w->handoff == NULL ? encode(&staged, w->blocks.raw) : 0;
        pick_up(&c, o, w->blocks.raw + ((used + 7) & ~(size_t)7));
        if (w->handoff != NULL)
            hand_over(w, &staged);
        else
            status = hsc_block_told(w, send_encoded(&staged, &w->blocks, w->blocks.raw, used));
        if (status != HSC_OK) return status;
    }
    memcpy(o->width, width, sizeof o->width);
    lay_out_stage(o, c.refs + LEAST_REFERENCES);
    put_down(&c, o);
    return HSC_OK;
}

/* Writes the object in progress as far as it is known; what follows is a continuation. */
static hsc_status split_open_object(hsc_writer *w, const uint8_t *width)
{
    hsc_stage *o = &w->objects;
    const uint64_t id = get_stage(o->column[HSC_F_ID], o->width[HSC_F_ID], o->used - 1);
    hsc_stage_put(o, HSC_F_REF_COUNT, o->used - 1, o->ref_used - o->ref_start);
    const hsc_status status = write_whole_stage(w);
    if (status != HSC_OK) return status;
    memcpy(o->width, width, sizeof o->width);
    o->width[HSC_F_FLAGS] = 4;
    lay_out_stage(o, 0);
    for (unsigned f = 0; f < HSC_OBJECT_FIELDS; f++)
        hsc_stage_put(o, f, 0, 0);
    hsc_stage_put(o, HSC_F_ID, 0, id);
    hsc_stage_put(o, HSC_F_FLAGS, 0, HSC_OBJECT_CONTINUES);
    o->used = 1;
    return HSC_OK;
}

hsc_status hsc_stage_make_room(hsc_writer *w, const uint8_t *width)
{
    hsc_stage *o = &w->objects;
    hsc_status status;
    if (!o->is_open) {
        status = write_whole_stage(w);
        memcpy(o->width, width, sizeof o->width);
        lay_out_stage(o, 0);
    } else if (o->ref_used - o->ref_start > o->ref_capacity / OPEN_SHARE) {
        status = split_open_object(w, width);
    } else {
        status = move_open_object(w, width);
    }
    if (status == HSC_OK) set_limits(o);
    return status;
}

bool hsc_stage_widen(uint8_t *width, unsigned field, uint64_t value)
{
    if ((value & ~widest[field]) != 0) return false;
    const uint8_t need = value == 0 ? 0 : value > UINT32_MAX ? 8 : 4;
    if (width[field] < need) width[field] = need;
    return true;
}
