/*
 * Fields and sizes of classes. The data of an instance are the fields of its own class, then those of its superclass,
 * and so on up:
 *
 *      | own references | own (not captured) | references of the superclass | its (not captured) | …
 *
 * A capture does not say which class declares a field: what a superclass' own instances have is the superclass',
 * everything else the class' own. What is left of the size, as tools add it up, is filled with numbers that were not
 * captured, so that they come to the same.
 */
#include <stdlib.h>

#include "base/fail.h"
#include "export/hprof/hout.h"

#define MOST_DEPTH    64u
#define MOST_DATA     ((uint32_t)HOUT_PIECE_BYTES / 2) /* bytes of an instance */
#define OF_SUPERCLASS 0x80000000u                      /* in an offset on its way */

static const char *const cleanable_fields[] = {"prev", "next", "list"};

typedef struct layout {
    hout *h;
    uint32_t *marked, *offset; /* by string: where a superclass has it */
    uint32_t mark;
} layout;

static void mark_inherited(layout *l, uint32_t super)
{
    const hout *h = l->h;
    uint32_t base = 0;
    l->mark++;
    for (unsigned depth = 0; super != 0 && depth < MOST_DEPTH; depth++) {
        const hout_class *of = &h->classes[super - 1];
        for (uint32_t i = 0; i < of->field_count; i++) {
            const uint32_t name = h->fields[of->first_field + i];
            if (l->marked[name] == l->mark) continue;
            l->marked[name] = l->mark;
            l->offset[name] = base + i * HOUT_ID_BYTES;
        }
        base += of->own_bytes;
        super = of->super;
    }
}

/* A field of the class itself, although a superclass may have one of that name. */
static hsd_status add_own(layout *l, hout_class *of, uint32_t name, uint32_t nth, uint32_t *offset, hsd_error *err)
{
    hout *h = l->h;
    *offset = of->field_count * HOUT_ID_BYTES;
    if (nth == 0) {
        l->marked[name] = l->mark;
        l->offset[name] = *offset; /* its own: never asked for again but by what every class of that name has */
    }
    HSD_TRY(hsd_hout_grow((void **)&h->fields, &h->field_capacity, h->field_count, sizeof *h->fields, err));
    h->fields[h->field_count++] = name;
    of->field_count++;
    return HSD_OK;
}

/* The offset of a field: a superclass', or that of a new one. */
static hsd_status find_or_add(layout *l, hout_class *of, uint32_t name, uint32_t nth, uint32_t *offset, hsd_error *err)
{
    if (nth > 0 || l->marked[name] != l->mark) return add_own(l, of, name, nth, offset, err);
    *offset = l->offset[name];
    return HSD_OK;
}

static hsd_status add_field(layout *l, hout_class *of, uint32_t name, uint32_t nth, uint32_t *offset, hsd_error *err)
{
    const uint32_t before = of->field_count;
    HSD_TRY(find_or_add(l, of, name, nth, offset, err));
    if (of->field_count == before) *offset |= OF_SUPERCLASS;
    return HSD_OK;
}

/* Instances are of classes below these, which have no instances of their own to tell their fields; importers know the
 * fields by the class. */
static hsd_status add_cleanable_fields(layout *l, hout_class *of, hsd_error *err)
{
    hout *h = l->h;
    bool is_cleanable = false;
    for (size_t i = 0; i < HSD_ARRAY_LEN(h->cleanable_classes); i++)
        is_cleanable |= of->name == h->cleanable_classes[i];
    for (size_t i = 0; is_cleanable && i < HSD_ARRAY_LEN(cleanable_fields); i++) {
        uint32_t name, offset;
        /* it is there already: hsd_hout_lay_out */
        HSD_TRY(hsd_hout_intern_word(h, cleanable_fields[i], &name, err));
        /* java.lang.ref.Reference has a "next" of another meaning */
        HSD_TRY(add_own(l, of, name, 0, &offset, err));
    }
    return HSD_OK;
}

/* What tools and importers look for in these classes, whether or not an instance has it. */
static hsd_status add_known_fields(layout *l, hout_class *of, hsd_error *err)
{
    static const struct {
        hout_known of;
        bool jvm_alone;
        const char *name;
    } fields[] = {{HOUT_K_REFERENCE, false, "referent"}, {HOUT_K_REFERENCE, true, "queue"},
                  {HOUT_K_REFERENCE, true, "next"},      {HOUT_K_REFERENCE, true, "discovered"},
                  {HOUT_K_STRING, false, "value"},       {HOUT_K_THREAD, false, "name"},
                  {HOUT_K_THREAD, true, "threadLocals"}, {HOUT_K_THREAD, true, "inheritableThreadLocals"}};
    hout *h = l->h;
    for (size_t i = 0; i < HSD_ARRAY_LEN(fields); i++) {
        uint32_t name, offset;
        if (h->known[fields[i].of] != (uint32_t)(of - h->classes) + 1 || (fields[i].jvm_alone && !h->is_jvm)) continue;
        name = hsd_names_find(&h->strings, (hsd_bytes){(const uint8_t *)fields[i].name, strlen(fields[i].name)});
        HSD_TRY(add_field(l, of, name, 0, &offset, err));
    }
    return h->is_jvm ? add_cleanable_fields(l, of, err) : HSD_OK;
}

/* A reference that is called like a field which is made up gets one of its own. */
static bool is_reserved(const hout *h, const hout_row *row, uint32_t name)
{
    return (row->has_inside && name == h->inside_word) ||
           (row->has_text && name == (row->has_values ? h->value_word : h->bytes_word));
}

static hsd_status add_row_fields(layout *l, hout_class *of, hout_row *row, hsd_error *err)
{
    for (uint32_t i = 0; i < row->slot_count; i++) {
        const hout_slot *slot = &row->slots[i];
        const uint32_t nth = slot->nth + is_reserved(l->h, row, slot->name);
        HSD_TRY(add_field(l, of, slot->name, nth, &row->slots[i].offset, err));
    }
    if (row->has_inside) HSD_TRY(add_field(l, of, l->h->inside_word, 0, &row->inside_offset, err));
    if (!row->has_text) return HSD_OK;
    return add_field(l, of, row->has_values ? l->h->value_word : l->h->bytes_word, 0, &row->text_offset, err);
}

static void settle_hprof_layout(uint32_t *offset, uint32_t own_bytes)
{
    if (*offset != HOUT_NO_FIELD && (*offset & OF_SUPERCLASS) != 0) *offset = (*offset & ~OF_SUPERCLASS) + own_bytes;
}

static void settle_row(hout_row *row, const hout_class *of)
{
    for (uint32_t i = 0; i < row->slot_count; i++)
        settle_hprof_layout(&row->slots[i].offset, of->own_bytes);
    settle_hprof_layout(&row->inside_offset, of->own_bytes);
    settle_hprof_layout(&row->text_offset, of->own_bytes);
    row->data_bytes = of->data_bytes;
    row->size_bytes = of->size_bytes;
}

/* Numbers that make up the size that instances have, as far as references and superclasses leave room. */
static void fill_hprof_layout(const hout *h, hout_class *of, const hout_class *super, uint64_t size)
{
    const uint32_t inherited = super == NULL ? 0 : super->primitive_bytes;
    of->reference_count = of->field_count + (super == NULL ? 0 : super->reference_count);
    const uint64_t taken = h->header + (uint64_t)of->reference_count * h->reference + inherited;
    uint64_t rest = size > taken ? size - taken : 0;
    if (rest > HOUT_EQUAL_BYTES) rest = HOUT_EQUAL_BYTES;
    of->long_count = (uint32_t)(rest / 8);
    of->int_count = (uint32_t)(rest % 8 / 4);
    const uint32_t own = of->long_count * 8 + of->int_count * 4;
    of->primitive_bytes = own + inherited;
    of->own_bytes = of->field_count * HOUT_ID_BYTES + own;
    of->data_bytes = of->own_bytes + (super == NULL ? 0 : super->data_bytes);
    of->size_bytes = hsd_max_u64(size, taken);
}

static hsd_status lay_out_hprof_layout(layout *l, hout_class *of, hsd_error *err)
{
    hout *h = l->h;
    hout_row *row = of->row == 0 ? NULL : &h->rows.items[of->row - 1];
    const bool is_object = h->known[HOUT_K_OBJECT] == (uint32_t)(of - h->classes) + 1;
    if (row != NULL && row->form != HOUT_AS_INSTANCE) row = NULL;
    const hout_class *super = of->super == 0 ? NULL : &h->classes[of->super - 1];
    of->first_field = h->field_count;
    mark_inherited(l, of->super);
    if (row != NULL) HSD_TRY(add_row_fields(l, of, row, err));
    HSD_TRY(add_known_fields(l, of, err));
    fill_hprof_layout(h, of, super, row == NULL || (is_object && of->field_count == 0) ? 0 : row->size_bytes);
    if (row != NULL) settle_row(row, of);
    of->state = HOUT_LAID_OUT;
    return HSD_OK;
}

/* Superclasses first. What would be its own ancestor, or too large with all of them, has no superclass. */
static hsd_status lay_out_chain(layout *l, uint32_t number, hsd_error *err)
{
    hout *h = l->h;
    uint32_t chain[MOST_DEPTH];
    unsigned depth = 0;
    while (h->classes[number].state == HOUT_NEW) {
        hout_class *of = &h->classes[number];
        of->state = HOUT_BUSY;
        chain[depth++] = number;
        if (of->super == 0) break;
        const bool is_cycle = h->classes[of->super - 1].state == HOUT_BUSY;
        if (is_cycle || depth == MOST_DEPTH)
            of->super = 0;
        else
            number = of->super - 1;
        if (of->super == 0) break;
    }
    while (depth > 0) {
        hout_class *of = &h->classes[chain[--depth]];
        if (of->super != 0 && h->classes[of->super - 1].data_bytes > MOST_DATA) of->super = 0;
        HSD_TRY(lay_out_hprof_layout(l, of, err));
    }
    return HSD_OK;
}

static hsd_status lay_out_all(layout *l, hsd_error *err)
{
    hout *h = l->h;
    const uint32_t object = h->known[HOUT_K_OBJECT];
    for (uint32_t i = 0; i < h->class_count; i++) {
        hout_class *of = &h->classes[i];
        if (of->super == 0 && of->mirror == 0 && i + 1 != object) of->super = object;
        const bool has_texts = of->row != 0 && h->rows.items[of->row - 1].has_values;
        /* so that tools show them */
        if (has_texts && i + 1 != h->known[HOUT_K_STRING]) of->super = h->known[HOUT_K_STRING];
    }
    for (uint32_t i = 0; i < h->class_count; i++) {
        HSD_TRY(lay_out_chain(l, i, err));
        HSD_TRY(hsd_hout_check_memory(h, err));
    }
    return HSD_OK;
}

/* Every name that a layout may ask for, before there are marks for each. */
static hsd_status intern_names(hout *h, hsd_error *err)
{
    static const char *const words[] = {
        "referent", "queue", "next",       "discovered", "name", "threadLocals", "inheritableThreadLocals",
        "hash",     "coder", "hashIsZero", "prev",       "list"};
    static const char *const cleanables[HOUT_CLEANABLE_COUNT] = {
        "jdk.internal.ref.PhantomCleanable", "jdk.internal.ref.WeakCleanable", "jdk.internal.ref.SoftCleanable"};
    for (size_t i = 0; i < HSD_ARRAY_LEN(words); i++) {
        uint32_t number;
        HSD_TRY(hsd_hout_intern_word(h, words[i], &number, err));
    }
    for (size_t i = 0; i < HSD_ARRAY_LEN(cleanables); i++)
        HSD_TRY(hsd_hout_class_name(h, (hsd_bytes){(const uint8_t *)cleanables[i], strlen(cleanables[i])},
                                    &h->cleanable_classes[i], err));
    return HSD_OK;
}

hsd_status hsd_hout_lay_out(hout *h, hsd_error *err)
{
    layout l = {.h = h};
    HSD_TRY(intern_names(h, err));
    l.marked = calloc(h->strings.count, sizeof *l.marked);
    l.offset = calloc(h->strings.count, sizeof *l.offset);
    const hsd_status status =
        l.marked == NULL || l.offset == NULL ? hsd_fail_nomem(err, "laying out classes") : lay_out_all(&l, err);
    free(l.marked);
    free(l.offset);
    return status;
}
