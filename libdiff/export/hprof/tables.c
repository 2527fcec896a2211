/*
 * What things are called in the dump. Tools read names of classes as Java's: dots between packages (slashes become
 * dots, too), arrays end in
 * "[]" and begin with no bracket. In a dump of a JVM they are written as HotSpot does, "java/lang/String" and "[I".
 */
#include <stdlib.h>

#include "export/hprof/hout.h"

static hsd_bytes word_of(const char *word) { return (hsd_bytes){(const uint8_t *)word, strlen(word)}; }

static bool hprof_table_equals(hsd_bytes text, const char *word)
{
    return text.size == strlen(word) && memcmp(text.data, word, text.size) == 0;
}

hsd_status hsd_hout_intern(hout *h, const void *text, size_t size, uint32_t *number, hsd_error *err)
{
    return hsd_names_put(&h->strings, (hsd_bytes){text, size}, number, err);
}

hsd_status hsd_hout_intern_word(hout *h, const char *word, uint32_t *number, hsd_error *err)
{
    return hsd_names_put(&h->strings, word_of(word), number, err);
}

hsd_status hsd_hout_intern_text(hout *h, uint32_t string, uint32_t *number, hsd_error *err)
{
    return hsd_names_put(&h->strings, hsd_texts_get(&h->texts, string), number, err);
}

/* ---- names of classes ---- */

/* "[]*Node" and "[4]int" of Go as "*Node[]" and "int[4]": tools take a bracket in front for HotSpot's way to write
 * arrays. */
static hsd_status turn_brackets(hsd_bytes name, hsd_buffer *out, hsd_error *err)
{
    size_t begin = 0;
    hsd_buffer_clear(out);
    for (size_t at = 0; at < name.size && name.data[at] == '[';) {
        while (at < name.size && name.data[at] != ']')
            at++;
        if (at + 1 >= name.size) break;
        begin = ++at;
    }
    if (begin == 0) HSD_TRY(hsd_buffer_append(out, "_", 1, err)); /* a bracket that is never closed */
    HSD_TRY(hsd_buffer_append(out, name.data + begin, name.size - begin, err));
    return hsd_buffer_append(out, name.data, begin, err);
}

static char letter_of(hsd_bytes name)
{
    static const struct {
        const char *name;
        char letter;
    } letters[] = {{"boolean", 'Z'}, {"char", 'C'},  {"float", 'F'}, {"double", 'D'},
                   {"byte", 'B'},    {"short", 'S'}, {"int", 'I'},   {"long", 'J'}};
    for (size_t i = 0; i < HSD_ARRAY_LEN(letters); i++)
        if (hprof_table_equals(name, letters[i].name)) return letters[i].letter;
    return '\0';
}

/* "lambda in com.x.Srv" is what a lambda's class is called here; tools of the JVM know it as com.x.Srv$$Lambda. */
static hsd_status put_class_name(hsd_bytes name, hsd_buffer *out, hsd_error *err)
{
    static const char word[] = "lambda in ", mark[] = "$$Lambda";
    const size_t size = sizeof word - 1;
    const bool is_lambda = name.size > size && memcmp(name.data, word, size) == 0;
    if (!is_lambda) return hsd_buffer_append(out, name.data, name.size, err);
    HSD_TRY(hsd_buffer_append(out, name.data + size, name.size - size, err));
    return hsd_buffer_append(out, mark, sizeof mark - 1, err);
}

static hsd_status as_hotspot(hsd_bytes name, hsd_buffer *out, hsd_error *err)
{
    size_t depth = 0;
    hsd_buffer_clear(out);
    while (name.size > 2 && memcmp(name.data + name.size - 2, "[]", 2) == 0) {
        name.size -= 2;
        depth++;
        HSD_TRY(hsd_buffer_append(out, "[", 1, err));
    }
    const char letter = depth > 0 ? letter_of(name) : '\0';
    if (letter != '\0') return hsd_buffer_append(out, &letter, 1, err);
    if (depth > 0) HSD_TRY(hsd_buffer_append(out, "L", 1, err));
    const size_t start = out->size;
    HSD_TRY(put_class_name(name, out, err));
    for (size_t i = start; i < out->size; i++)
        if (out->data[i] == '.') out->data[i] = '/';
    return depth > 0 ? hsd_buffer_append(out, ";", 1, err) : HSD_OK;
}

/* Tools take a slash for a dot: "net/http.Request" gets one that only looks like it. */
static hsd_status as_it_is(hsd_bytes name, hsd_buffer *out, hsd_error *err)
{
    static const char division_slash[] = "\xe2\x88\x95";
    hsd_buffer_clear(out);
    for (size_t begin = 0, i = 0; i <= name.size; i++) {
        if (i < name.size && name.data[i] != '/') continue;
        HSD_TRY(hsd_buffer_append(out, name.data + begin, i - begin, err));
        if (i < name.size) HSD_TRY(hsd_buffer_append(out, division_slash, sizeof division_slash - 1, err));
        begin = i + 1;
    }
    return HSD_OK;
}

hsd_status hsd_hout_class_name(hout *h, hsd_bytes name, uint32_t *number, hsd_error *err)
{
    if (name.size == 0) name = word_of("(unnamed)");
    if (name.data[0] == '[')
        HSD_TRY(turn_brackets(name, &h->text, err));
    else if (h->is_jvm)
        HSD_TRY(as_hotspot(name, &h->text, err));
    else
        HSD_TRY(as_it_is(name, &h->text, err));
    return hsd_hout_intern(h, h->text.data, h->text.size, number, err);
}

/* ---- labels ---- */

static const char *word_of_kind(uint8_t kind)
{
    switch (kind) {
    case HSC_LABEL_VARIABLE: return "variable";
    case HSC_LABEL_STATIC: return "static";
    case HSC_LABEL_KEY: return "key";
    case HSC_LABEL_VALUE: return "value";
    case HSC_LABEL_INTERNAL: return "internal";
    case HSC_LABEL_CLASS: return "class";
    default: return "reference";
    }
}

/* The runtime's own references are <name>; those of a JVM's class objects have headers of their own. */
static hsd_status name_label(hout *h, const hsd_label *from, hout_label *to, hsd_error *err)
{
    const hsd_bytes name = hsd_texts_get(&h->texts, from->name);
    if (name.size == 0) return hsd_hout_intern_word(h, word_of_kind(to->kind), &to->name, err);
    if (to->kind != HSC_LABEL_INTERNAL || h->is_jvm) return hsd_names_put(&h->strings, name, &to->name, err);
    hsd_buffer_clear(&h->text);
    HSD_TRY(hsd_buffer_append(&h->text, "<", 1, err));
    HSD_TRY(hsd_buffer_append(&h->text, name.data, name.size, err));
    HSD_TRY(hsd_buffer_append(&h->text, ">", 1, err));
    return hsd_hout_intern(h, h->text.data, h->text.size, &to->name, err);
}

static hsd_status make_label(hout *h, const hsd_label *from, hout_label *to, hsd_error *err)
{
    *to = (hout_label){.kind = (uint8_t)from->kind,
                       .is_weak = (from->flags & HSC_STRENGTH_MASK) == HSC_STRENGTH_WEAK,
                       .is_soft = (from->flags & HSC_STRENGTH_MASK) == HSC_STRENGTH_SOFT};
    HSD_TRY(name_label(h, from, to, err));
    const bool is_referent = h->is_jvm && to->kind == HSC_LABEL_FIELD &&
                             hprof_table_equals(hsd_names_get(&h->strings, to->name), "referent");
    to->is_made_again = h->is_jvm && to->kind == HSC_LABEL_INTERNAL &&
                        hprof_table_equals(hsd_names_get(&h->strings, to->name), "cleaner");
    /* weak ones of a JVM's objects stood in a dump like all others: readers reach classes by their loader */
    to->is_left_out = to->is_made_again || (to->is_weak && !h->is_jvm);
    to->is_soft &= !is_referent;
    return HSD_OK;
}

static hsd_status make_labels(hout *h, hsd_error *err)
{
    const hsd_label undefined = {.kind = HSC_LABEL_FIELD};
    h->labels = calloc((size_t)h->label_table.count + 1, sizeof *h->labels);
    if (h->labels == NULL) return hsd_fail(err, HSD_E_NOMEM, "no memory for %u labels", h->label_table.count);
    for (uint32_t i = 0; i <= h->label_table.count; i++)
        HSD_TRY(make_label(h, i < h->label_table.count ? &h->label_table.labels[i] : &undefined, &h->labels[i], err));
    return HSD_OK;
}

/* ---- all ---- */

static hsd_status make_words(hout *h, hsd_error *err)
{
    HSD_TRY(hsd_hout_intern_word(h, "class", &h->class_word, err));
    HSD_TRY(hsd_hout_intern_word(h, "(bytes)", &h->bytes_word, err));
    HSD_TRY(hsd_hout_intern_word(h, "(elements)", &h->inside_word, err));
    HSD_TRY(hsd_hout_intern_word(h, "value", &h->value_word, err));
    return hsd_hout_intern_word(h, "(not captured)", &h->no_word, err);
}

hsd_status hsd_hout_load_tables(hout *h, hsd_error *err)
{
    static const char class_name[] = "java.lang.Class";
    HSD_TRY(hsd_type_names_init(&h->type_names, err));
    HSD_TRY(hsd_type_table_load(&h->types, h->capture, &h->type_names, err));
    h->class_type = hsd_names_find(&h->type_names.names, word_of(class_name));
    h->is_jvm = h->class_type != HSD_NAME_NONE;
    h->is_moving = h->is_jvm && h->info->identity == HSD_IDENTITY_MOVING;
    HSD_TRY(hsd_label_table_load(&h->label_table, h->capture, err));
    for (uint32_t i = 0; i < h->label_table.count; i++)
        HSD_TRY(hsd_texts_want(&h->texts, h->label_table.labels[i].name, err));
    HSD_TRY(hsd_hout_want_roots(h, err));
    HSD_TRY(hsd_hout_load_stacks(h, err));
    HSD_TRY(hsd_texts_load(&h->texts, h->capture, err));
    HSD_TRY(make_words(h, err));
    HSD_TRY(make_labels(h, err));
    return hsd_hout_check_memory(h, err);
}
