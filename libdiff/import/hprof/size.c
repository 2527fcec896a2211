/*
 * Shallow sizes, as the JVM's own class histogram gives them. A HotSpot dump says which fields an
 * object has, not how many bytes it takes, so its layout is worked out here, by the rules of the
 * model that was chosen for the dump (model.c):
 *
 *      | header | fields of the top class … of the class itself | padding |
 *
 * Class objects: the fields of java.lang.Class with what HotSpot puts there, plus the statics of that
 * class, which live inside its class object. On Android the dump says the true size of instances.
 */
#include "import/hprof/hprof.h"

#include "base/check.h"
#include "import/hprof/java.h"

#define CONTENDED_PADDING 128u

/* ---- arrays ---- */

static uint64_t padded(uint64_t size, unsigned alignment)
{
    const uint64_t mask = alignment - 1;
    return size > UINT64_MAX - mask ? UINT64_MAX & ~mask : (size + mask) & ~mask;
}

/* Where the elements begin. */
static uint64_t first_element(const hprof_model *model, unsigned width)
{
    return width == 8 ? padded(model->array_header, 8) : model->array_header;
}

uint64_t hsd_hprof_array_size(const hprof_model *model, uint64_t count, unsigned width)
{
    uint64_t body = 0, size = 0;
    if (!hsd_mul_u64(count, width, &body) || !hsd_add_u64(body, first_element(model, width), &size))
        return UINT64_MAX & ~UINT64_C(255);
    return padded(size, model->alignment);
}

uint64_t hsd_hprof_arrays_size(const hprof_model *model, const hprof_array_tally *tally, unsigned width)
{
    const uint64_t first = first_element(model, width);
    uint64_t sum = tally->elements * width;
    for (unsigned rest = 0; rest < HPROF_REMAINDERS; rest++) {
        const uint64_t padding = padded(first + rest * width, model->alignment) - (first + rest * width);
        sum += tally->arrays[rest] * (first + padding);
    }
    return sum;
}

/* ---- instances ---- */

static void add_gap(hprof_layout *to, uint64_t offset, uint64_t size)
{
    if (size == 0 || to->gap_count == HPROF_MAX_GAPS || offset > UINT32_MAX) return;
    to->gap_offset[to->gap_count] = (uint32_t)offset;
    to->gap_size[to->gap_count++] = (uint8_t)size; /* less than a field: at most 7 */
}

/* Puts a field into the smallest gap that takes it. */
static bool fill_gap(hprof_layout *to, unsigned width)
{
    unsigned best = HPROF_MAX_GAPS;
    for (unsigned i = 0; i < to->gap_count; i++) {
        const uint64_t first = padded(to->gap_offset[i], width);
        if (first + width > (uint64_t)to->gap_offset[i] + to->gap_size[i]) continue;
        if (best == HPROF_MAX_GAPS || to->gap_size[i] < to->gap_size[best]) best = i;
    }
    if (best == HPROF_MAX_GAPS) return false;
    const uint64_t offset = to->gap_offset[best], end = offset + to->gap_size[best];
    const uint64_t first = padded(offset, width);
    to->gap_offset[best] = (uint32_t)(first + width);
    to->gap_size[best] = (uint8_t)(end - first - width);
    add_gap(to, offset, first - offset);
    return true;
}

static void put_field(hprof_layout *to, unsigned width)
{
    if (fill_gap(to, width)) return;
    const uint64_t first = padded(to->end, width);
    add_gap(to, to->end, first - to->end);
    to->end = first + width;
}

typedef struct field_counts { /* own fields of one class */
    uint64_t references;
    uint64_t of_width[9]; /* primitives: index 1, 2, 4, 8 */
} field_counts;

/* Own fields of a class, those of its @Contended group apart. */
typedef struct own_fields {
    field_counts plain, contended;
    bool has_group;
} own_fields;

static void count_field(field_counts *counts, uint8_t type)
{
    if (hsd_hprof_is_reference(type))
        counts->references++;
    else
        counts->of_width[hsd_hprof_width[type]]++;
}

/* Some JDKs pad a class and others do not: where the next object stands nearer, this one does not. */
static bool has_room_for_padding(const hprof *self, const hprof_class *of)
{
    const hprof_tally *tally = &self->classes.tallies[of - self->classes.items];
    return tally->nearest >= (uint64_t)2 * CONTENDED_PADDING;
}

static void count_plain(const hprof *self, const hprof_class *of, own_fields *own)
{
    for (uint32_t i = 0; i < of->field_count; i++)
        count_field(&own->plain, self->classes.fields[of->first_field + i].type);
}

/* Moves the fields of a @Contended group from the plain ones to the others. */
static void set_group_apart(const hprof *self, const hprof_class *of, const hsc_java_extra *extra, own_fields *own)
{
    if (extra->contended[0] == NULL || !has_room_for_padding(self, of)) return;
    for (uint32_t i = 0; i < of->field_count; i++) {
        const hprof_field *field = &self->classes.fields[of->first_field + i];
        if (!hsc_java_is_contended(extra, hsd_hprof_java(hsd_hprof_name(&self->names, field->name)))) continue;
        count_field(&own->contended, field->type);
        own->has_group = true;
        if (hsd_hprof_is_reference(field->type))
            own->plain.references--;
        else
            own->plain.of_width[hsd_hprof_width[field->type]]--;
    }
}

static own_fields count_fields(const hprof *self, const hprof_class *of)
{
    uint8_t space[128];
    own_fields own = {0};
    count_plain(self, of, &own);
    const hsd_bytes raw = hsd_hprof_name(&self->names, of->name);
    const hsd_bytes name = hsd_hprof_dotted(raw, space, sizeof space);
    const hsc_java_extra *extra = hsc_java_known_extra(hsd_hprof_java(name), NULL);
    for (; extra != NULL; extra = hsc_java_known_extra(hsd_hprof_java(name), extra)) {
        if (extra->if_field != NULL && !hsd_hprof_declares(&self->classes, &self->names, of, extra->if_field)) continue;
        if (extra->if_no_field != NULL && hsd_hprof_declares(&self->classes, &self->names, of, extra->if_no_field))
            continue;
        own.plain.of_width[self->reader.id_bytes == 4 ? 4 : 8] += extra->pointers;
        own.plain.of_width[4] += extra->ints;
        own.plain.of_width[2] += extra->shorts;
        own.plain.of_width[1] += extra->bytes;
        own.plain.references += extra->references;
        set_group_apart(self, of, extra, &own);
    }
    return own;
}

/* JDK 15 and later: largest primitives first, then references, gaps are filled wherever they are. */
static void lay_out_filling(hprof_layout *to, const field_counts *counts, unsigned reference)
{
    for (unsigned width = 8; width > 0; width /= 2)
        for (uint64_t i = 0; i < counts->of_width[width]; i++)
            put_field(to, width);
    for (uint64_t i = 0; i < counts->references; i++)
        put_field(to, reference);
}

static void append_fields(hprof_layout *to, uint64_t count, unsigned width)
{
    if (count > 0) to->end = padded(to->end, width) + count * width;
}

/* Up to JDK 14: behind the superclass; only the gap before 8-byte fields is filled. */
static void lay_out_appending(hprof_layout *to, const field_counts *counts, unsigned reference)
{
    field_counts left = *counts;
    to->end = padded(to->end, reference);
    if (left.of_width[8] > 0) {
        uint64_t gap = padded(to->end, 8) - to->end;
        to->end += gap;
        if (gap >= 4 && left.of_width[4] > 0) left.of_width[4]--, gap -= 4;
        for (; gap >= 2 && left.of_width[2] > 0; gap -= 2)
            left.of_width[2]--;
        for (; gap >= 1 && left.of_width[1] > 0; gap--)
            left.of_width[1]--;
        if (gap >= reference && left.references > 0) left.references--;
    }
    for (unsigned width = 8; width > 0; width /= 2)
        append_fields(to, left.of_width[width], width);
    append_fields(to, left.references, reference);
}

/* … but classes whose offsets the JVM of that time knew by heart: references first, no gap filled. */
static void lay_out_by_heart(hprof_layout *to, const field_counts *counts, unsigned reference)
{
    to->end = padded(to->end, reference);
    append_fields(to, counts->references, reference);
    for (unsigned width = 8; width > 0; width /= 2)
        append_fields(to, counts->of_width[width], width);
}

/* A @Contended group stands behind all others, with padding on both sides; nothing fills a gap. */
static void lay_out_group(hprof_layout *to, const field_counts *counts, unsigned reference)
{
    to->end += CONTENDED_PADDING;
    for (unsigned width = 8; width > 0; width /= 2)
        append_fields(to, counts->of_width[width], width);
    append_fields(to, counts->references, reference);
    to->end += CONTENDED_PADDING;
    to->gap_count = 0;
}

static bool is_known_by_heart(const hprof *self, const hprof_class *of)
{
    static const char *const names[] = {"java.lang.Class",
                                        "java.lang.ClassLoader",
                                        "java.lang.AssertionStatusDirectives",
                                        "java.lang.StackTraceElement",
                                        "java.lang.String",
                                        "java.lang.Throwable",
                                        "java.lang.ref.Reference",
                                        "java.lang.ref.SoftReference"};
    for (size_t i = 0; i < HSD_ARRAY_LEN(names); i++)
        if (hsd_hprof_is_class(&self->names, of, names[i])) return true;
    return false;
}

/* Own fields of a class, behind those of its superclass. */
static void lay_out_hprof_size(const hprof *self, const hprof_model *model, const hprof_class *of, hprof_layout *to)
{
    const own_fields own = count_fields(self, of);
    if (model->fills_gaps)
        lay_out_filling(to, &own.plain, model->reference);
    else if (is_known_by_heart(self, of))
        lay_out_by_heart(to, &own.plain, model->reference);
    else
        lay_out_appending(to, &own.plain, model->reference);
    if (own.has_group) lay_out_group(to, &own.contended, model->reference);
}

/* Lays out a class that is new, its superclasses first: each once. A class that is met again while it
 * is busy is its own ancestor, and is taken to have none. */
static void lay_out_chain(const hprof *self, const hprof_model *model, hprof_layout *layouts, uint32_t number)
{
    const hprof_classes *classes = &self->classes;
    uint32_t chain[HPROF_MAX_DEPTH];
    unsigned depth = 0;
    while (number != 0 && layouts[number].state == HPROF_NEW && depth < HPROF_MAX_DEPTH) {
        layouts[number].state = HPROF_BUSY;
        chain[depth++] = number;
        const uint64_t super_id = classes->items[number].super_id;
        number = super_id == 0 ? 0 : hsd_id_table_find(&classes->table, super_id);
    }
    const bool is_laid_out = number != 0 && layouts[number].state == HPROF_LAID_OUT;
    hprof_layout fields = is_laid_out ? layouts[number] : (hprof_layout){.end = model->header, .state = HPROF_LAID_OUT};
    while (depth > 0) {
        lay_out_hprof_size(self, model, &classes->items[chain[--depth]], &fields);
        layouts[chain[depth]] = fields;
    }
}

void hsd_hprof_lay_out(const hprof *self, const hprof_model *model, hprof_layout *layouts)
{
    for (uint32_t i = 1; i <= self->classes.table.count; i++)
        lay_out_chain(self, model, layouts, i);
}

uint64_t hsd_hprof_laid_out_size(const hprof_model *model, const hprof_layout *layout)
{
    return padded(layout->end, model->alignment);
}

/* Objects do not overlap: one that the next stands nearer to is no larger than that. */
uint64_t hsd_hprof_instance_size(const hprof *self, const hprof_class *of)
{
    const size_t number = (size_t)(of - self->classes.items);
    if (!of->has_dump) return self->model.header; /* and as many bytes as the instance has */
    if (self->model.is_given) return of->instance_bytes;
    const uint64_t size = hsd_hprof_laid_out_size(&self->model, &self->layouts[number]);
    const uint64_t nearest = self->classes.tallies[number].nearest;
    const bool is_bounded =
        self->flavour == HPROF_HOTSPOT && nearest >= padded(self->model.header, self->model.alignment);
    return is_bounded ? hsd_min_u64(size, nearest) : size;
}

/* Statics that stand in the dump alone: constants, <resolved_references>, $classOverhead, and on
 * Android the fields of the class object itself. */
static bool is_made_up(hsd_bytes name)
{
    static const char android[] = "$class";
    return name.size == 0 || name.data[0] == '<' ||
           (name.size >= sizeof android - 1 && memcmp(name.data, android, sizeof android - 1) == 0);
}

/* Statics stand behind the fields of the class object: references, then primitives by width, largest
 * first; no gap is filled. */
uint64_t hsd_hprof_class_object_size(const hprof *self, const hprof_class *of)
{
    field_counts counts = {0};
    hprof_layout fields = {.end = self->class_size};
    for (uint32_t i = 0; i < of->static_count && !self->has_bare_classes; i++) {
        const hprof_static *entry = &self->classes.statics[of->first_static + i];
        if (!is_made_up(hsd_hprof_name(&self->names, entry->name))) count_field(&counts, entry->type);
    }
    append_fields(&fields, counts.references, self->model.reference);
    for (unsigned width = 8; width > 0; width /= 2)
        append_fields(&fields, counts.of_width[width], width);
    return padded(fields.end, self->model.alignment);
}

const char *hsd_hprof_prim_array_name(uint8_t element)
{
    static const char *const names[HPROF_TYPE_COUNT] = {
        [HPROF_BOOLEAN] = "boolean[]", [HPROF_CHAR] = "char[]", [HPROF_FLOAT] = "float[]",
        [HPROF_DOUBLE] = "double[]",   [HPROF_BYTE] = "byte[]", [HPROF_SHORT] = "short[]",
        [HPROF_INT] = "int[]",         [HPROF_LONG] = "long[]"};
    return element < HPROF_TYPE_COUNT && names[element] != NULL ? names[element] : "";
}
