/*
 * Class objects: an object of type java.lang.Class for each CLASS_DUMP, with the name of the class.
 * Its statics start owners of their own, so that growth is told as "static com.x.Cache.map".
 */
#include "import/hprof/write.h"

#include "import/hprof/java.h"

/* A list of threads each of which is a root. */
static bool is_list_of_threads(const hprof_writing *w, const hprof_class *of, hsd_bytes field)
{
    uint8_t space[128];
    const hsd_bytes name = hsd_hprof_name(&w->self->names, of->name);
    return w->self->stacks.has_virtual &&
           hsc_java_known_of_threads(hsd_hprof_java(hsd_hprof_dotted(name, space, sizeof space)),
                                     hsd_hprof_java(field));
}

/* Label of a static field. What HotSpot and ART make up is not the program's. Only a class that goes with the program
 * has statics that are roots: those of others live as long as their class loader, and hang from what holds that. */
static hsd_status static_label(hprof_writing *w, const hprof_class *of, uint32_t name, uint32_t *label, hsd_error *err)
{
    static const char art_field[] = "$class$";
    const size_t art_size = sizeof art_field - 1;
    hsd_bytes text = hsd_hprof_name(&w->self->names, name);
    hsc_label_kind kind = HSC_LABEL_STATIC;
    uint32_t flags = of->is_lasting ? HSC_LABEL_NAMED_ROOT : 0, string = 0;
    if (name == 0) {
        *label = w->constant_label;
        return HSD_OK;
    }
    if (text.size > art_size && memcmp(text.data, art_field, art_size) == 0) {
        text = (hsd_bytes){text.data + art_size, text.size - art_size};
        kind = HSC_LABEL_FIELD;
        flags = 0;
    } else if (text.size > 2 && text.data[0] == '<' && text.data[text.size - 1] == '>') {
        text = (hsd_bytes){text.data + 1, text.size - 2};
        kind = HSC_LABEL_INTERNAL;
        flags = 0;
    } else if (hsd_hprof_equals(text, "$classOverhead")) {
        kind = HSC_LABEL_INTERNAL;
        flags = 0;
    }
    if (is_list_of_threads(w, of, text)) flags |= HSC_STRENGTH_WEAK;
    HSD_TRY(hsd_hprof_put_string(&w->output, text, &string, err));
    return hsd_hprof_put_label(&w->output, kind, flags, string, label, err);
}

static hsd_status write_statics(hprof_writing *w, const hprof_class *of, hsd_error *err)
{
    for (uint32_t i = 0; i < of->static_count; i++) {
        const hprof_static *entry = &w->self->classes.statics[of->first_static + i];
        uint32_t label = 0;
        if (entry->value == 0) continue;
        HSD_TRY(static_label(w, of, entry->name, &label, err));
        HSD_TRY(hsd_hprof_refer(w, entry->value, label, 0, err));
    }
    return HSD_OK;
}

/* Where several statics hold the same, their class is what holds it: then it is a root of its own name. */
static hsd_status root_of_class(hprof_writing *w, const hprof_class *of, hsd_buffer *text, hsd_error *err)
{
    static const char together[] = "(application classes)", word[] = "class ";
    uint32_t references = 0;
    for (uint32_t i = 0; i < of->static_count && references < 2; i++) {
        const hprof_static *entry = &w->self->classes.statics[of->first_static + i];
        const hsd_bytes name = hsd_hprof_name(&w->self->names, entry->name);
        references += hsd_hprof_is_reference(entry->type) && name.size > 0 && name.data[0] != '<';
    }
    if (references < 2) return hsd_buffer_append(text, together, sizeof together - 1, err);
    HSD_TRY(hsd_buffer_append(text, word, sizeof word - 1, err));
    return hsd_hprof_class_name(hsd_hprof_name(&w->self->names, of->name), text, err);
}

static hsd_status write_class_root(hprof_writing *w, const hprof_class *of, hsd_error *err)
{
    hsc_root_record root = {.kind = HSC_ROOT_STATIC, .target = of->id};
    hsd_buffer text = {0};
    if (!of->is_permanent) return HSD_OK;
    hsd_status status = root_of_class(w, of, &text, err);
    if (status == HSD_OK)
        status = hsd_hprof_put_string(&w->output, (hsd_bytes){text.data, text.size}, &root.label, err);
    hsd_buffer_release(&text);
    HSD_TRY(status);
    HSD_WRITE(w->import, hsc_root(w->out, &root), err);
    return HSD_OK;
}

static hsd_status name_class(hprof_writing *w, const hprof_class *of, uint32_t *string, hsd_error *err)
{
    hsd_buffer name = {0};
    hsd_status status = of->name == 0 ? HSD_OK : hsd_hprof_name_of_class(w->self, of, &name, err);
    if (status == HSD_OK) status = hsd_hprof_put_string(&w->output, (hsd_bytes){name.data, name.size}, string, err);
    hsd_buffer_release(&name);
    return status;
}

hsd_status hsd_hprof_write_class(hprof_writing *w, uint64_t id, hsd_error *err)
{
    const uint32_t number = hsd_id_table_find(&w->self->classes.table, id);
    const hprof_class *of = &w->self->classes.items[number];
    const hsd_status status = hsd_hprof_skip_class(&w->reader, err);
    if (status != HSD_OK) return status < 0 ? status : HSD_OK; /* cut: the next read says so */
    if (number == 0 || !of->has_dump || (w->written[number / 8] >> (number % 8) & 1) != 0) return HSD_OK;
    w->written[number / 8] |= (uint8_t)(1u << (number % 8));
    hsc_object object = {.id = id, .type = w->class_type, .size_bytes = hsd_hprof_class_object_size(w->self, of)};
    HSD_TRY(name_class(w, of, &object.name, err));
    HSD_TRY(hsd_hprof_begin_object(w, &object, 0, err));
    HSD_TRY(write_statics(w, of, err));
    HSD_TRY(hsd_hprof_refer(w, of->super_id, w->super_label, 0, err));
    HSD_TRY(hsd_hprof_refer(w, of->loader, w->loader_label, 0, err));
    HSD_TRY(hsd_hprof_refer(w, of->signers, w->signers_label, 0, err));
    HSD_TRY(hsd_hprof_refer(w, of->domain, w->domain_label, 0, err));
    HSD_TRY(hsd_hprof_end_object(w, err));
    return write_class_root(w, of, err);
}
