#define _GNU_SOURCE /* memmem */
/*
 * Objects with what their class makes of their references, types, and roots.
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "import/firefox/firefox.h"

enum { COARSE_SCRIPT = 2, COARSE_DOM = 4 };

static bool is(hsd_bytes text, const char *what) { return text.size == strlen(what) && hsd_bytes_begin(text, what); }

/* ---- roots ---- */

typedef struct known_root {
    const char *front;
    hsc_root_kind kind;
    uint32_t flags;
} known_root;

static const known_root known_roots[] = {
    {"exact-", HSC_ROOT_STACK, HSC_ROOT_SECONDARY},
    {"vm_stack", HSC_ROOT_STACK, HSC_ROOT_SECONDARY},
    {"fp ", HSC_ROOT_STACK, HSC_ROOT_SECONDARY},
    {"env chain", HSC_ROOT_STACK, HSC_ROOT_SECONDARY},
    {"on-stack ", HSC_ROOT_STACK, HSC_ROOT_SECONDARY},
    {"ProfilingStackFrame", HSC_ROOT_STACK, HSC_ROOT_SECONDARY},
    {"JS::Rooted", HSC_ROOT_STACK, HSC_ROOT_SECONDARY},
    {"baseline-", HSC_ROOT_STACK, HSC_ROOT_SECONDARY},
    {"persistent-", HSC_ROOT_HANDLE, 0},
    {"Preserved wrapper", HSC_ROOT_HANDLE, 0},
    {"pinned atom", HSC_ROOT_INTERNED, 0},
    {"", HSC_ROOT_RUNTIME, 0},
};

hsd_status hsd_firefox_write_root(firefox *fx, const firefox_edge *edge, hsd_error *err)
{
    const hsd_bytes name = hsd_firefox_text(fx, edge->name);
    const known_root *row = known_roots;
    while (!hsd_bytes_begin(name, row->front))
        row++;
    const hsc_root_record root = {
        .kind = row->kind, .label = hsd_firefox_string(fx, edge->name), .target = edge->target, .flags = row->flags};
    HSD_WRITE(fx->import, hsc_root(fx->import->writer, &root), err);
    return HSD_OK;
}

/* ---- types ---- */

static uint32_t flags_of(const firefox *fx)
{
    const hsd_bytes type = hsd_firefox_text(fx, fx->node.type);
    const bool is_internal =
        !fx->node.is_object && (hsd_bytes_begin(type, "js::") || hsd_bytes_begin(type, "JS::ubi::"));
    return (is_internal ? HSC_TYPE_INTERNAL : 0) |
           (fx->node.coarse == COARSE_SCRIPT && !fx->node.is_object ? HSC_TYPE_CODE : 0);
}

/* What says most of an object: its class in JavaScript, the name of its element, its class in C++. */
static hsd_status spell_type(firefox *fx, hsd_bytes *out, hsd_error *err)
{
    const firefox_node *node = &fx->node;
    hsd_buffer *scratch = &fx->names.scratch;
    const hsd_bytes type = hsd_firefox_text(fx, node->type), class_name = hsd_firefox_text(fx, node->class_name);
    const hsd_bytes description = hsd_firefox_text(fx, node->description);
    const bool is_element = node->coarse == COARSE_DOM && description.size > 0 && description.data[0] != '#';
    *out = node->is_object && class_name.size > 0               ? class_name
           : node->coarse == COARSE_DOM && description.size > 0 ? description
                                                                : type;
    if (out->size == 0) *out = (hsd_bytes){(const uint8_t *)"(unknown type)", 14};
    if (!is_element || node->is_object) return HSD_OK;
    hsd_buffer_clear(scratch);
    HSD_TRY(hsd_buffer_append(scratch, "<", 1, err));
    HSD_TRY(hsd_buffer_append(scratch, description.data, description.size, err));
    HSD_TRY(hsd_buffer_append(scratch, ">", 1, err));
    *out = (hsd_bytes){scratch->data, scratch->size};
    return HSD_OK;
}

static hsd_status put_type(firefox *fx, uint32_t *number, hsd_error *err)
{
    const firefox_node *node = &fx->node;
    const uint32_t detail = node->is_object              ? node->class_name
                            : node->coarse == COARSE_DOM ? node->description
                                                         : FIREFOX_NONE;
    const uint32_t before = fx->types.count;
    hsd_bytes name;
    HSD_TRY(hsd_id_table_put(&fx->types, (uint64_t)node->type << 32 | detail, number, err));
    if (fx->types.count == before) return HSD_OK;
    HSD_TRY(spell_type(fx, &name, err));
    HSD_WRITE(fx->import, hsc_define_type(fx->import->writer, *number, name.data, name.size, flags_of(fx)), err);
    HSD_TRY(hsd_import_grow((void **)&fx->totals, &fx->totals_capacity, *number, sizeof *fx->totals, err));
    return hsd_firefox_check_memory(fx, err);
}

/* ---- references ---- */

/* Classes of the objects that scripts see as the world: what their fields hold is owned by them, field by field. */
static bool is_global(hsd_bytes class_name)
{
    return is(class_name, "Window") || is(class_name, "Sandbox") || is(class_name, "BackstagePass") ||
           hsd_bytes_end(class_name, "Global") || hsd_bytes_end(class_name, "GlobalScope");
}

static bool is_scope(hsd_bytes class_name)
{
    return is(class_name, "Call") || is(class_name, "LexicalEnvironment") ||
           is(class_name, "ModuleEnvironmentObject") || is(class_name, "Var");
}

/* What the engine itself refers to from an object. */
static bool is_internal(hsd_bytes name)
{
    static const char *const names[] = {"shape", "JSFunction script", "enclosing_environment", "callee_slot",
                                        "vector element"};
    for (size_t i = 0; i < HSD_ARRAY_LEN(names); i++)
        if (is(name, names[i])) return true;
    return hsd_bytes_begin(name, "**") || hsd_bytes_begin(name, "CLASS_OBJECT(") ||
           hsd_bytes_begin(name, "CLASS_PROTO(") || hsd_bytes_begin(name, "global-") ||
           hsd_bytes_end(name, "-object-template") || memmem(name.data, name.size, "::", 2) != NULL;
}

/* The label of a field, by the class of the object: FIELD, VARIABLE or GLOBAL. */
static firefox_label field_label(const firefox *fx)
{
    const hsd_bytes class_name = hsd_firefox_text(fx, fx->node.class_name);
    return !fx->node.is_object     ? FIREFOX_INTERNAL
           : is_global(class_name) ? FIREFOX_GLOBAL
           : is_scope(class_name)  ? FIREFOX_VARIABLE
                                   : FIREFOX_FIELD;
}

static firefox_label judge_firefox_object(hsd_bytes name)
{
    /* the latter: inline caches of scripts */
    if (is(name, "WeakRefObject::target") || hsd_bytes_begin(name, "cacheir-weak-")) return FIREFOX_WEAK;
    if (is(name, "HashableValue")) return FIREFOX_KEY;
    if (is(name, "OrderedHashMapObject value") || is(name, "WeakMap entry value")) return FIREFOX_VALUE;
    return is_internal(name) ? FIREFOX_INTERNAL : FIREFOX_LABELS;
}

static firefox_label label_of(firefox *fx, uint32_t name, firefox_label field)
{
    uint8_t *known = &fx->names.labels[name];
    if (*known == 0) *known = (uint8_t)(judge_firefox_object(hsd_firefox_text(fx, name)) + 1);
    return *known == FIREFOX_LABELS + 1 ? field : (firefox_label)(*known - 1);
}

/* Fills fx->targets, labels and indexes with up to FIREFOX_BATCH of the edges that wait. */
static void prepare_firefox_object(firefox *fx, size_t first, size_t count, firefox_label field)
{
    uint32_t last = FIREFOX_NONE, last_label = 0;
    for (size_t i = 0; i < count; i++) {
        const firefox_edge *edge = &fx->edges[first + i];
        const bool is_element = edge->index != UINT64_MAX;
        fx->targets[i] = edge->target;
        fx->indexes[i] = is_element ? edge->index : 0;
        fx->labels[i] = is_element ? FIREFOX_LABEL_ELEMENT : 0;
        fx->has_elements = fx->has_elements || is_element;
        if (edge->name == FIREFOX_NONE) continue;
        if (edge->name != last) last_label = hsd_firefox_label(fx, last = edge->name, label_of(fx, edge->name, field));
        fx->labels[i] = last_label;
    }
}

static hsd_status write_references(firefox *fx, hsd_error *err)
{
    const firefox_label field = field_label(fx);
    for (size_t first = 0; first < fx->edge_count; first += FIREFOX_BATCH) {
        const size_t count = (size_t)hsd_min_u64(FIREFOX_BATCH, fx->edge_count - first);
        prepare_firefox_object(fx, first, count, field);
        HSD_WRITE(fx->import, hsc_references(fx->import->writer, fx->targets, fx->labels, fx->indexes, count), err);
    }
    fx->import->result->references += fx->edge_count;
    return HSD_OK;
}

hsd_status hsd_firefox_spill(firefox *fx, hsd_error *err)
{
    for (size_t first = 0; first < fx->edge_count; first += FIREFOX_BATCH) {
        const size_t count = (size_t)hsd_min_u64(FIREFOX_BATCH, fx->edge_count - first);
        /* its class is not known yet */
        prepare_firefox_object(fx, first, count, fx->node.is_object ? FIREFOX_FIELD : FIREFOX_INTERNAL);
        for (size_t i = 0; i < count; i++)
            HSD_WRITE(fx->import,
                      hsc_edge(fx->import->writer, fx->node.id, fx->targets[i], fx->labels[i], fx->indexes[i]), err);
    }
    fx->import->result->references += fx->edge_count;
    fx->edge_count = 0;
    fx->node.is_spilled = true;
    return HSD_OK;
}

/* ---- objects ---- */

static hsd_status category_of(firefox *fx, uint32_t *string, hsd_error *err)
{
    static const char *const names[] = {"Other", "Object", "Script", "String", "DOMNode"};
    uint32_t name;
    if (fx->node.coarse >= HSD_ARRAY_LEN(names)) return HSD_OK;
    if (fx->categories[fx->node.coarse] == 0) {
        HSD_TRY(hsd_firefox_put(fx, names[fx->node.coarse], &name, err));
        fx->categories[fx->node.coarse] = hsd_firefox_string(fx, name);
    }
    *string = fx->categories[fx->node.coarse];
    return HSD_OK;
}

/* A global object is called what it is, so that its fields are roots of a name; a script by its file. */
static uint32_t name_of(firefox *fx)
{
    const firefox_node *node = &fx->node;
    if (node->is_object && is_global(hsd_firefox_text(fx, node->class_name)))
        return hsd_firefox_string(fx, node->class_name);
    return node->script == FIREFOX_NONE ? 0 : hsd_firefox_string(fx, node->script);
}

hsd_status hsd_firefox_write_node(firefox *fx, hsd_error *err)
{
    const firefox_node *node = &fx->node;
    hsd_import *import = fx->import;
    hsc_object object = {.id = node->id, .size_bytes = node->size, .site = node->site};
    HSD_TRY(put_type(fx, &object.type, err));
    import->result->objects++;
    import->result->bytes = hsd_add_saturating(import->result->bytes, node->size);
    if (import->options->summary_only) {
        fx->totals[object.type].objects++;
        fx->totals[object.type].bytes = hsd_add_saturating(fx->totals[object.type].bytes, node->size);
        return HSD_OK;
    }
    HSD_TRY(category_of(fx, &object.category, err));
    object.name = name_of(fx);
    HSD_WRITE(import, hsc_begin_object(import->writer, &object), err);
    HSD_TRY(write_references(fx, err));
    HSD_WRITE(import, hsc_end_object(import->writer), err);
    return HSD_OK;
}

hsd_status hsd_firefox_write_totals(firefox *fx, hsd_error *err)
{
    for (uint32_t type = 1; type <= fx->types.count; type++)
        HSD_WRITE(fx->import, hsc_count(fx->import->writer, type, fx->totals[type].objects, fx->totals[type].bytes),
                  err);
    return HSD_OK;
}
