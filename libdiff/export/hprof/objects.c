/*
 * The second pass: every object as its row says.
 *
 *      instance      references in the fields of their names. Elements, and references whose name has no field, stand in an array that is made
 *                    up, "(elements)[]"; bytes beyond those that the class says in a byte[], a text in a char[]
 *      array         elements by their index, then other references; as long as it is large
 *      primitives    as many elements as it is large
 */
#include "export/hprof/objects.h"

#define EACH_PROGRESS 4096u
#define LEAST_EXCESS  24u /* bytes of the smallest array with something in it */

typedef struct writing {
    hout *h;
    const hsd_object *object;
    const hout_huge *huge; /* NULL: all references are held */
    hout_row *row;
    uint64_t id, size;
    uint32_t serial;
    uint64_t overflow; /* references without a field */
} writing;

/* ---- references in an array ---- */

typedef struct plan {               /* of an array */
    uint64_t all, elements, widest; /* references; of these elements; greatest index + 1 */
    bool is_by_index;
} plan;

/* Elements keep their indexes unless most of the array would be empty, or they do not ascend. */
static bool keeps_indexes(const plan *p, bool is_ascending)
{
    return p->elements > 0 && is_ascending && p->widest / 4 <= p->elements + 256;
}

static bool is_ascending(const writing *w) { return w->huge != NULL ? w->huge->is_ascending : w->h->held.is_ascending; }

static plan plan_array(const writing *w, bool with_named)
{
    const hout_references *refs = &w->h->held;
    plan p;
    if (w->huge != NULL) {
        p = (plan){.all = w->huge->all, .elements = w->huge->elements, .widest = w->huge->widest};
    } else {
        p = (plan){.all = refs->elements + (with_named ? refs->all - refs->elements : w->overflow),
                   .elements = refs->elements,
                   .widest = refs->widest};
    }
    p.is_by_index = keeps_indexes(&p, is_ascending(w));
    return p;
}

static uint64_t elements_end(const plan *p) { return p->is_by_index ? p->widest : p->elements; }

static uint64_t length_of(const plan *p) { return hsd_add_saturating(elements_end(p), p->all - p->elements); }

static hsd_status put_hprof_object(writing *w, hout_array *a, uint64_t index, uint64_t id, hsd_error *err)
{
    if (index >= a->length) {
        w->h->left.cut++;
        return HSD_OK;
    }
    w->h->x->result->references++;
    return hsd_hout_put_element(a, index, id, err);
}

static bool is_element(const writing *w, const hout_reference *r)
{
    return w->h->labels[r->place].kind == HSC_LABEL_ELEMENT;
}

static bool has_field(const writing *w, const hout_reference *r, uint32_t *hint, uint32_t *offset)
{
    const uint32_t slot = hsd_hout_find_slot(w->row, w->h->labels[r->place].name, r->nth, *hint);
    if (slot == UINT32_MAX) return false;
    *hint = slot + 1;
    *offset = w->row->slots[slot].offset;
    return *offset != HOUT_NO_FIELD;
}

static hsd_status fill_held(writing *w, hout_array *a, const plan *p, bool with_named, hsd_error *err)
{
    const hout_references *refs = &w->h->held;
    uint64_t next = 0;
    uint32_t hint = 0, offset;
    for (uint32_t i = 0; i < refs->count; i++) {
        const hout_reference *r = &refs->items[i];
        if (is_element(w, r)) HSD_TRY(put_hprof_object(w, a, p->is_by_index ? r->index : next++, r->id, err));
    }
    next = elements_end(p);
    for (uint32_t i = 0; i < refs->count; i++) {
        const hout_reference *r = &refs->items[i];
        if (is_element(w, r) || (!with_named && has_field(w, r, &hint, &offset))) continue;
        HSD_TRY(put_hprof_object(w, a, next++, r->id, err));
    }
    return HSD_OK;
}

/* The references that gather would take, straight from where they come. */
static hsd_status fill_huge(writing *w, hout_array *a, const plan *p, hsd_error *err)
{
    hout *h = w->h;
    hsd_joined_reference reference;
    hsd_status status;
    uint64_t next = 0;
    bool has_class = false;
    while ((status = hsd_joined_next_reference(h->joined, &reference, err)) == HSD_OK) {
        const uint32_t at = hsd_id_map_get(&h->label_table.index, reference.label);
        const hout_label *label = &h->labels[at == HSD_ID_NONE ? h->label_table.count : at];
        const bool is_class = h->is_jvm && label->kind == HSC_LABEL_CLASS && !has_class;
        has_class |= is_class;
        if (label->is_left_out || is_class) continue;
        HSD_TRY(put_hprof_object(w, a, p->is_by_index ? reference.index : next++,
                                 hsd_hout_id(h, reference.target, reference.target_id), err));
    }
    return status == HSD_END ? HSD_OK : status;
}

static hsd_status write_array(writing *w, uint64_t id, const hout_class *of, const plan *p, bool with_named,
                              uint64_t least, hsd_error *err)
{
    hout *h = w->h;
    hout_array a;
    const uint64_t length = hsd_min_u64(hsd_max_u64(length_of(p), least), HOUT_MOST_ELEMENTS);
    if (!p->is_by_index) h->left.indexes += p->elements;
    h->left.unnamed += p->all - p->elements;
    HSD_TRY(hsd_hout_begin_array(&a, h, id, w->serial, of->id, length, err));
    HSD_TRY(w->huge != NULL ? fill_huge(w, &a, p, err) : fill_held(w, &a, p, with_named, err));
    return hsd_hout_end_array(&a, err);
}

/* Elements that an array of this size has room for. */
static uint64_t fitting(const hout *h, uint64_t size)
{
    const unsigned header = h->reference == 8 ? 24 : 16;
    return h->keeps_sizes && size > header ? (size - header) / h->reference : 0;
}

/* ---- forms ---- */

static hsd_status write_as_array(writing *w, hsd_error *err)
{
    const hout *h = w->h;
    const uint64_t said = w->object->elements;
    const bool is_said = (said > 0 || h->is_jvm) && said <= w->size / h->reference && h->keeps_sizes;
    plan p = plan_array(w, true);
    if (is_said && p.widest <= said) p.is_by_index |= is_ascending(w); /* it is that long, whatever is in it */
    return write_array(w, w->id, &h->classes[w->row->class_number], &p, true, is_said ? said : fitting(h, w->size),
                       err);
}

static hsd_status write_as_primitives(writing *w, hsd_error *err)
{
    hout *h = w->h;
    const uint64_t count = hsd_hout_primitive_count(h, w->row->element, w->object->elements, w->size);
    hsd_buffer_clear(&h->text);
    if (h->with_values && w->object->value.size > 0)
        HSD_TRY(hsd_hout_decode_preview(h, w->row->element, w->object->value, w->object->elements, err));
    if (h->thread_name_count > 0) HSD_TRY(hsd_hout_thread_text(h, w->object, w->row->element, err));
    return hsd_hout_write_primitives(h, w->id, w->serial, w->row->element, count, err);
}

static void set_hprof_object(writing *w, uint8_t *data, uint32_t offset, const hout_reference *r)
{
    hsd_hout_u8(data + offset, r->id);
    w->h->x->result->references++;
}

/* References into the fields of their names; what has none is counted. */
static void fill_fields(writing *w, uint8_t *data)
{
    const hout_references *refs = &w->h->held;
    uint32_t hint = 0, offset;
    for (uint32_t i = 0; i < refs->count; i++) {
        const hout_reference *r = &refs->items[i];
        if (is_element(w, r)) continue;
        if (has_field(w, r, &hint, &offset))
            set_hprof_object(w, data, offset, r);
        else
            w->overflow++;
    }
    if (!refs->has_class || hsd_hout_mirror(w->h, refs->to_class.ordinal) != NULL) return;
    const uint32_t slot = hsd_hout_find_slot(w->row, w->h->class_word, 0, 0);
    if (slot != UINT32_MAX && w->row->slots[slot].offset != HOUT_NO_FIELD)
        set_hprof_object(w, data, w->row->slots[slot].offset, &refs->to_class);
}

static uint64_t excess_of(const writing *w)
{
    const hout_row *row = w->row;
    const bool is_told_apart = w->h->keeps_sizes && !row->is_even && w->size >= HOUT_SMALL_BYTES;
    return is_told_apart && w->size >= row->size_bytes + LEAST_EXCESS ? w->size - row->size_bytes : 0;
}

static hsd_status write_text(writing *w, uint64_t id, uint64_t excess, hsd_error *err)
{
    const hsd_text value = w->row->has_values ? w->object->value : (hsd_text){0};
    return value.size > 0 ? hsd_hout_write_chars(w->h, id, value.data, value.size, err)
                          : hsd_hout_write_bytes(w->h, id, excess, err);
}

static hsd_status write_as_instance(writing *w, hsd_error *err)
{
    hout *h = w->h;
    const hout_row *row = w->row;
    const uint64_t excess = excess_of(w);
    uint64_t inside = 0, text = 0;
    uint8_t *at;
    HSD_TRY(hsd_hout_sub(&h->out, HOUT_HEAD_BYTES + row->data_bytes, &at, err));
    at = hsd_hout_u8(hsd_hout_u1(at, HOUT_INSTANCE), w->id);
    at = hsd_hout_u8(hsd_hout_u4(at, w->serial), h->classes[row->class_number].id);
    at = hsd_hout_u4(at, row->data_bytes);
    memset(at, 0, row->data_bytes);
    if (w->huge == NULL) fill_fields(w, at);
    if (row->has_inside && (w->huge != NULL || h->held.elements + w->overflow > 0 || excess > 0))
        inside = hsd_hout_new_id(h);
    if (row->has_text && ((row->has_values && w->object->value.size > 0) || (excess > 0 && inside == 0)))
        text = hsd_hout_new_id(h);
    if (inside != 0) hsd_hout_u8(at + row->inside_offset, inside);
    if (text != 0) hsd_hout_u8(at + row->text_offset, text);
    if (inside != 0) {
        const plan p = plan_array(w, false);
        HSD_TRY(write_array(w, inside, hsd_hout_known(h, HOUT_K_INSIDES), &p, false, fitting(h, excess), err));
    }
    return text != 0 ? write_text(w, text, excess, err) : HSD_OK;
}

/* ---- all ---- */

static const hout_huge *huge_of(hout *h, uint64_t ordinal)
{
    const bool is = h->next_huge < h->huge_count && h->huge[h->next_huge].ordinal == ordinal;
    return is ? &h->huge[h->next_huge++] : NULL;
}

static hsd_status write_object(hout *h, const hsd_object *object, hsd_error *err)
{
    const uint32_t type = hsd_type_common(&h->types, object->type);
    writing w = {.h = h,
                 .object = object,
                 .huge = huge_of(h, object->ordinal),
                 .id = hsd_hout_id(h, object->ordinal, object->id),
                 .size = hsd_add_saturating(object->size_bytes, object->native_bytes),
                 .serial = hsd_hout_site_serial(h, object->site)};
    uint32_t number;
    h->x->result->objects++;
    h->x->result->bytes = hsd_add_saturating(h->x->result->bytes, w.size);
    if (h->is_jvm && type == h->class_type && object->name != 0) return HSD_OK; /* a class object */
    if (w.huge == NULL) HSD_TRY(hsd_hout_gather(h, false, false, err));
    const bool has_class = w.huge == NULL && h->held.has_class;
    const uint64_t class_ordinal = w.huge != NULL ? w.huge->class_ordinal
                                   : has_class    ? h->held.to_class.ordinal + 1
                                                  : 0;
    HSD_TRY(hsd_hout_row(&h->rows, type, class_ordinal, &number, err));
    w.row = &h->rows.items[h->classes[h->rows.items[number].class_number].row - 1];
    switch ((hout_form)w.row->form) {
    case HOUT_AS_ARRAY: return write_as_array(&w, err);
    case HOUT_AS_PRIMITIVES: return write_as_primitives(&w, err);
    case HOUT_AS_INSTANCE: break;
    }
    return write_as_instance(&w, err);
}

hsd_status hsd_hout_write_objects(hout *h, hsd_error *err)
{
    hsd_object object;
    hsd_status status;
    HSD_TRY(hsd_joined_rewind(h->joined, err));
    while ((status = hsd_joined_next_object(h->joined, &object, err)) == HSD_OK) {
        HSD_TRY(write_object(h, &object, err));
        if (object.ordinal % EACH_PROGRESS == 0)
            HSD_TRY(hsd_progress(h->x->reporter, "writing the heap dump", object.ordinal, h->info->objects, err));
    }
    return status == HSD_END ? HSD_OK : status;
}
