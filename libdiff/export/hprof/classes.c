/*
 * Which classes the dump has, and which of them each row of the survey is an instance of:
 *
 *      class objects of a JVM         themselves, found by the reference of an instance, else by their name
 *      types without a class object   one that is made up, below java.lang.Object
 *      what tools look for by name    java.lang.Class, java.lang.ref.Reference …, made up where the capture has none
 */
#include <stdlib.h>

#include "base/array.h"
#include "export/hprof/hout.h"

#define RARE 8u /* a name is that fewer than one in so many objects of a type have */

static hsd_status add_class(hout *h, uint64_t id, uint32_t name, uint32_t *number, hsd_error *err)
{
    HSD_TRY(hsd_hout_grow((void **)&h->classes, &h->class_capacity, h->class_count, sizeof *h->classes, err));
    h->classes[h->class_count] = (hout_class){.id = id, .name = name};
    *number = h->class_count++;
    return HSD_OK;
}

/* Room in class_of_name for all strings that there are. */
static hsd_status know_names(hout *h, hsd_error *err)
{
    if (h->class_name_count >= h->strings.count) return HSD_OK;
    const uint32_t wanted = h->strings.count + h->strings.count / 2;
    return HSD_ARRAY_GROW_ZEROED(h->class_of_name, h->class_name_count, wanted, 0, "the names of classes", err);
}

/* The class of a name, made up if there is none. */
static hsd_status class_named(hout *h, uint32_t name, uint32_t *number, hsd_error *err)
{
    HSD_TRY(know_names(h, err));
    if (h->class_of_name[name] == 0) {
        HSD_TRY(add_class(h, hsd_hout_new_id(h), name, number, err));
        h->class_of_name[name] = *number + 1;
    }
    *number = h->class_of_name[name] - 1;
    return HSD_OK;
}

/* ---- of a JVM ---- */

static hsd_status mark_roots(hout *h, hsd_error *err)
{
    hsd_joined_root root;
    hsd_status status;
    HSD_TRY(hsd_joined_rewind_roots(h->joined, err));
    while ((status = hsd_joined_next_root(h->joined, &root, err)) == HSD_OK) {
        hout_mirror *mirror = root.kind == HSC_ROOT_CLASS ? hsd_hout_mirror(h, root.target) : NULL;
        if (mirror != NULL) mirror->is_root = true;
    }
    return status == HSD_END ? HSD_OK : status;
}

/* Which strings are names of class objects, the survey has found out. */
static hsd_status load_names(hout *h, hsd_error *err)
{
    for (uint32_t i = 0; i < h->mirror_count; i++)
        HSD_TRY(hsd_texts_want(&h->texts, h->mirrors[i].name, err));
    return h->mirror_count == 0 ? HSD_OK : hsd_texts_load(&h->texts, h->capture, err);
}

/* Instances refer to no class that is a root, so a name means the one that is. */
static hsd_status add_mirrors(hout *h, hsd_error *err)
{
    uint32_t name;
    for (uint32_t i = 0; i < h->mirror_count; i++) {
        hout_mirror *mirror = &h->mirrors[i];
        HSD_TRY(hsd_hout_class_name(h, hsd_texts_get(&h->texts, mirror->name), &name, err));
        HSD_TRY(know_names(h, err));
        HSD_TRY(add_class(h, mirror->id, name, &mirror->class_number, err));
        h->classes[mirror->class_number].mirror = i + 1;
        const uint32_t known = h->class_of_name[name];
        const bool is_better = known == 0 || (mirror->is_root && !h->mirrors[h->classes[known - 1].mirror - 1].is_root);
        if (is_better) h->class_of_name[name] = mirror->class_number + 1;
    }
    for (uint32_t i = 0; i < h->mirror_count; i++) {
        const hout_mirror *super =
            h->mirrors[i].super_ordinal == 0 ? NULL : hsd_hout_mirror(h, h->mirrors[i].super_ordinal - 1);
        if (super != NULL) h->classes[h->mirrors[i].class_number].super = super->class_number + 1;
    }
    return HSD_OK;
}

/* ---- of rows ---- */

/* A row whose instances refer to something that is no class object has that as a field. */
static hsd_status keep_class_reference(hout *h, hout_row *row, hsd_error *err)
{
    uint32_t slot = hsd_hout_find_slot(row, h->class_word, 0, 0);
    if (slot == UINT32_MAX)
        HSD_TRY(hsd_hout_put_slot(&h->rows, row, h->class_word, 0, HOUT_MOST_SLOTS + 1, &slot, err));
    if (slot != UINT32_MAX) row->slots[slot].uses += row->objects;
    row->named += row->objects;
    return HSD_OK;
}

static hsd_status place_row(hout *h, uint32_t number, hsd_error *err)
{
    hout_row *row = &h->rows.items[number];
    const hout_mirror *mirror = row->class_ordinal == 0 ? NULL : hsd_hout_mirror(h, row->class_ordinal - 1);
    if (row->class_ordinal != 0 && mirror == NULL) HSD_TRY(keep_class_reference(h, row, err));
    if (mirror != NULL) {
        row->class_number = mirror->class_number;
    } else {
        uint32_t name;
        HSD_TRY(hsd_hout_class_name(h, hsd_names_get(&h->type_names.names, row->type), &name, err));
        HSD_TRY(class_named(h, name, &row->class_number, err));
    }
    hout_class *of = &h->classes[row->class_number];
    if (of->row != 0) return hsd_hout_join_rows(&h->rows, &h->rows.items[of->row - 1], row, err);
    of->row = number + 1;
    return HSD_OK;
}

/* ---- that there must be ---- */

typedef struct known_class {
    const char *name;
    hout_known super;
} known_class;

static const known_class known_classes[HOUT_KNOWN_COUNT] = {
    [HOUT_K_OBJECT] = {"java.lang.Object", HOUT_KNOWN_COUNT},
    [HOUT_K_CLASS] = {"java.lang.Class", HOUT_K_OBJECT},
    [HOUT_K_LOADER] = {"java.lang.ClassLoader", HOUT_K_OBJECT},
    [HOUT_K_STRING] = {"java.lang.String", HOUT_K_OBJECT},
    [HOUT_K_THREAD] = {"java.lang.Thread", HOUT_K_OBJECT},
    [HOUT_K_REFERENCE] = {"java.lang.ref.Reference", HOUT_K_OBJECT},
    [HOUT_K_WEAK] = {"java.lang.ref.WeakReference", HOUT_K_REFERENCE},
    [HOUT_K_SOFT] = {"java.lang.ref.SoftReference", HOUT_K_REFERENCE},
    [HOUT_K_PHANTOM] = {"java.lang.ref.PhantomReference", HOUT_K_REFERENCE},
    [HOUT_K_FINAL] = {"java.lang.ref.FinalReference", HOUT_K_REFERENCE},
    [HOUT_K_CHARS] = {"char[]", HOUT_K_OBJECT},
    [HOUT_K_BYTES] = {"byte[]", HOUT_K_OBJECT},
    [HOUT_K_INSIDES] = {"(elements)[]", HOUT_K_OBJECT},
};

static hsd_status add_known(hout *h, hout_known which, hsd_error *err)
{
    const known_class *known = &known_classes[which];
    uint32_t name, number;
    HSD_TRY(hsd_hout_class_name(h, (hsd_bytes){(const uint8_t *)known->name, strlen(known->name)}, &name, err));
    HSD_TRY(class_named(h, name, &number, err));
    h->known[which] = number + 1;
    if (h->classes[number].mirror == 0 && known->super != HOUT_KNOWN_COUNT)
        h->classes[number].super = h->known[known->super];
    return HSD_OK;
}

/* Array classes of primitives, and what holds elements, only where something is written with them. */
static bool is_needed(const hout *h, hout_known which)
{
    const bool has_threads = !h->is_jvm && h->stacks.thread_count > 0;
    bool has_insides = false, has_bytes = false, has_texts = has_threads;
    for (uint32_t i = 0; i < h->rows.count; i++) {
        const hout_row *row = &h->rows.items[i];
        has_insides |= row->has_inside;
        has_bytes |= row->has_text;
        has_texts |= row->has_text && row->has_values;
    }
    if (which == HOUT_K_THREAD) return has_threads;
    if (which == HOUT_K_CHARS) return has_texts;
    if (which == HOUT_K_BYTES) return has_bytes;
    return which != HOUT_K_INSIDES || has_insides;
}

/* ---- forms ---- */

/* The element type of arrays of primitives by the name of their class; 0 = it is none. */
static uint8_t primitive_of(hsd_bytes name)
{
    static const struct {
        const char *dotted, *short_name;
        uint8_t type;
    } names[] = {{"boolean[]", "[Z", HOUT_BOOLEAN}, {"char[]", "[C", HOUT_CHAR}, {"float[]", "[F", HOUT_FLOAT},
                 {"double[]", "[D", HOUT_DOUBLE},   {"byte[]", "[B", HOUT_BYTE}, {"short[]", "[S", HOUT_SHORT},
                 {"int[]", "[I", HOUT_INT},         {"long[]", "[J", HOUT_LONG}};
    for (size_t i = 0; i < HSD_ARRAY_LEN(names); i++)
        if ((hsd_bytes_end(name, names[i].dotted) && name.size == strlen(names[i].dotted)) ||
            (hsd_bytes_end(name, names[i].short_name) && name.size == 2))
            return names[i].type;
    return 0;
}

/* Names that few objects have would make all others larger: these references go without theirs. */
static void drop_rare_slots(hout_row *row)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < row->slot_count; i++) {
        if (row->slots[i].uses >= row->objects / RARE)
            row->slots[kept++] = row->slots[i];
        else
            row->unnamed += row->slots[i].uses;
    }
    if (kept == row->slot_count) return;
    row->slot_count = kept;
    hsd_hout_forget_slots(row);
}

static bool is_even(const hout_row *row) { return row->least == row->most && row->most <= HOUT_EQUAL_BYTES; }

static void choose_form(hout *h, hout_row *row)
{
    const hsd_bytes name = hsd_names_get(&h->strings, h->classes[row->class_number].name);
    const bool is_array = hsd_bytes_end(name, "[]") || name.data[0] == '[';
    const bool has_references = row->named + row->elements > 0;
    row->element = primitive_of(name);
    row->form = !is_array                              ? HOUT_AS_INSTANCE
                : row->element != 0 && !has_references ? HOUT_AS_PRIMITIVES
                                                       : HOUT_AS_ARRAY;
    if (row->form != HOUT_AS_INSTANCE) return;
    if (!h->is_jvm) drop_rare_slots(row);
    row->has_values &= h->with_values && !h->is_jvm;
    row->has_inside = row->elements > 0 || row->unnamed > 0 || row->widest > HOUT_HELD;
    row->has_text =
        row->has_values || (h->keeps_sizes && !row->has_inside && !is_even(row) && row->most >= HOUT_SMALL_BYTES);
    row->size_bytes = is_even(row)              ? row->least
                      : row->small_objects == 0 ? 0
                                                : (row->small_bytes + row->small_objects / 2) / row->small_objects;
    row->is_even = is_even(row);
}

hsd_status hsd_hout_make_classes(hout *h, hsd_error *err)
{
    if (h->is_jvm) HSD_TRY(mark_roots(h, err));
    HSD_TRY(load_names(h, err));
    HSD_TRY(add_mirrors(h, err));
    for (uint32_t i = 0; i < h->rows.count; i++)
        HSD_TRY(place_row(h, i, err));
    for (uint32_t i = 0; i < h->class_count; i++)
        if (h->classes[i].row != 0) choose_form(h, &h->rows.items[h->classes[i].row - 1]);
    for (unsigned i = 0; i < HOUT_KNOWN_COUNT; i++)
        if (is_needed(h, (hout_known)i)) HSD_TRY(add_known(h, (hout_known)i, err));
    HSD_TRY(hsd_hout_make_root_classes(h, err));
    return hsd_hout_check_memory(h, err);
}
