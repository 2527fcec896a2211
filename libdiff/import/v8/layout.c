/*
 * Reads the header of a heap snapshot:
 *
 *      {"meta":{"node_fields":["type","name",…],"node_types":[["hidden",…],"string",…],
 *               "edge_fields":[…],"edge_types":[[…],…], … },
 *       "node_count":N,"edge_count":E,"trace_function_count":T,"extra_native_bytes":B}
 *
 * All else in it is skipped.
 */
#include "import/v8/layout.h"

#include <stdio.h>
#include <string.h>

#include "base/check.h"

#define NAME_LIMIT_BYTES ((size_t)64)

static const char *const class_names[HSD_V8_CLASS_COUNT] = {
    [HSD_V8_OTHER] = "unknown",
    [HSD_V8_HIDDEN] = "hidden",
    [HSD_V8_ARRAY] = "array",
    [HSD_V8_STRING] = "string",
    [HSD_V8_OBJECT] = "object",
    [HSD_V8_CODE] = "code",
    [HSD_V8_CLOSURE] = "closure",
    [HSD_V8_REGEXP] = "regexp",
    [HSD_V8_NUMBER] = "number",
    [HSD_V8_NATIVE] = "native",
    [HSD_V8_SYNTHETIC] = "synthetic",
    [HSD_V8_CONCATENATED_STRING] = "concatenated string",
    [HSD_V8_SLICED_STRING] = "sliced string",
    [HSD_V8_SYMBOL] = "symbol",
    [HSD_V8_BIGINT] = "bigint",
    [HSD_V8_OBJECT_SHAPE] = "object shape",
    [HSD_V8_WASM_OBJECT] = "wasm object",
};

static const char *const edge_names[HSD_V8_EDGE_COUNT] = {
    [HSD_V8_EDGE_OTHER] = "unknown",     [HSD_V8_EDGE_CONTEXT] = "context",   [HSD_V8_EDGE_ELEMENT] = "element",
    [HSD_V8_EDGE_PROPERTY] = "property", [HSD_V8_EDGE_INTERNAL] = "internal", [HSD_V8_EDGE_HIDDEN] = "hidden",
    [HSD_V8_EDGE_SHORTCUT] = "shortcut", [HSD_V8_EDGE_WEAK] = "weak",
};

/* A list of names, as node_fields and the inner list of node_types are. */
typedef struct names {
    char text[HSD_V8_MAX_TYPES + 1][NAME_LIMIT_BYTES];
    unsigned count;
} names;

/* While the header is read; the lists may come in any order. */
typedef struct header {
    hsd_import_json *json;
    names node_fields, edge_fields, node_types, edge_types, location_fields, trace_fields, trace_node_fields;
    unsigned node_types_at, edge_types_at; /* which column the lists of types belong to */
    bool has_meta;
    uint64_t root_index;
} header;

const char *hsd_v8_class_name(hsd_v8_class class)
{
    return class < HSD_V8_CLASS_COUNT ? class_names[class] : class_names[HSD_V8_OTHER];
}

static hsd_status fail_v8_layout(const header *h, const char *text, hsd_error *err)
{
    return hsd_fail_at(err, HSD_E_CORRUPT, hsd_source_offset(h->json->source), "not a valid heap snapshot: %s", text);
}

static hsd_status read_names(header *h, names *list, hsd_error *err)
{
    hsd_import_json *json = h->json;
    bool is_first = true;
    hsd_status status;
    list->count = 0;
    while ((status = hsd_import_json_next_item(json, &is_first, err)) == HSD_OK) {
        if (list->count == HSD_V8_MAX_TYPES)
            return hsd_fail_at(err, HSD_E_UNSUPPORTED, hsd_source_offset(json->source),
                               "more than %d columns or types in the header", HSD_V8_MAX_TYPES);
        HSD_TRY(hsd_import_json_string(json, NAME_LIMIT_BYTES - 1, err));
        char *text = list->text[list->count++];
        memcpy(text, json->text.data, json->text.size);
        text[json->text.size] = '\0';
    }
    return status == HSD_END ? HSD_OK : status;
}

/* A list whose items are words, but for one that is a list of names: the types. */
static hsd_status read_types(header *h, names *list, unsigned *at, hsd_error *err)
{
    bool is_first = true;
    hsd_status status;
    unsigned item = 0;
    list->count = 0;
    *at = HSD_V8_NO_COLUMN;
    while ((status = hsd_import_json_next_item(h->json, &is_first, err)) == HSD_OK) {
        uint8_t byte;
        HSD_TRY(hsd_import_json_look(h->json, &byte, err));
        if (byte == '[' && *at == HSD_V8_NO_COLUMN) {
            *at = item;
            HSD_TRY(read_names(h, list, err));
        } else {
            HSD_TRY(hsd_import_json_skip(h->json, err));
        }
        item++;
    }
    return status == HSD_END ? HSD_OK : status;
}

static hsd_status read_meta(header *h, hsd_error *err)
{
    hsd_import_json *json = h->json;
    bool is_first = true;
    hsd_status status;
    while ((status = hsd_import_json_next_key(json, &is_first, err)) == HSD_OK) {
        if (hsd_import_json_is(json, "node_fields"))
            status = read_names(h, &h->node_fields, err);
        else if (hsd_import_json_is(json, "edge_fields"))
            status = read_names(h, &h->edge_fields, err);
        else if (hsd_import_json_is(json, "location_fields"))
            status = read_names(h, &h->location_fields, err);
        else if (hsd_import_json_is(json, "trace_function_info_fields"))
            status = read_names(h, &h->trace_fields, err);
        else if (hsd_import_json_is(json, "trace_node_fields"))
            status = read_names(h, &h->trace_node_fields, err);
        else if (hsd_import_json_is(json, "node_types"))
            status = read_types(h, &h->node_types, &h->node_types_at, err);
        else if (hsd_import_json_is(json, "edge_types"))
            status = read_types(h, &h->edge_types, &h->edge_types_at, err);
        else
            status = hsd_import_json_skip(json, err);
        HSD_TRY(status);
    }
    h->has_meta = true;
    return status == HSD_END ? HSD_OK : status;
}

static hsd_status read_member(header *h, hsd_v8_layout *layout, hsd_error *err)
{
    hsd_import_json *json = h->json;
    if (hsd_import_json_is(json, "meta")) return read_meta(h, err);
    if (hsd_import_json_is(json, "node_count")) return hsd_import_json_number(json, &layout->node_count, err);
    if (hsd_import_json_is(json, "edge_count")) return hsd_import_json_number(json, &layout->edge_count, err);
    if (hsd_import_json_is(json, "trace_function_count"))
        return hsd_import_json_number(json, &layout->trace_count, err);
    if (hsd_import_json_is(json, "root_index")) return hsd_import_json_number(json, &h->root_index, err);
    if (!hsd_import_json_is(json, "extra_native_bytes")) return hsd_import_json_skip(json, err);
    layout->has_extra_native_bytes = true;
    return hsd_import_json_number(json, &layout->extra_native_bytes, err);
}

static unsigned find_name(const names *list, const char *name)
{
    for (unsigned i = 0; i < list->count && i < HSD_V8_MAX_COLUMNS; i++)
        if (strcmp(list->text[i], name) == 0) return i;
    return HSD_V8_NO_COLUMN;
}

/* Finds the columns. */
static hsd_status find_columns(const header *h, hsd_v8_layout *layout, hsd_error *err)
{
    const struct {
        const names *list;
        const char *name;
        unsigned *column;
        bool is_needed;
    } wanted[] = {
        {&h->node_fields, "type", &layout->type, true},
        {&h->node_fields, "name", &layout->name, true},
        {&h->node_fields, "id", &layout->id, true},
        {&h->node_fields, "self_size", &layout->self_size, true},
        {&h->node_fields, "edge_count", &layout->edge_count_column, true},
        {&h->node_fields, "detachedness", &layout->detachedness, false},
        {&h->node_fields, "trace_node_id", &layout->trace, false},
        {&h->edge_fields, "type", &layout->edge_type, true},
        {&h->edge_fields, "name_or_index", &layout->edge_name, true},
        {&h->edge_fields, "to_node", &layout->to_node, true},
        {&h->location_fields, "object_index", &layout->location_object, false},
        {&h->location_fields, "script_id", &layout->location_script, false},
        {&h->location_fields, "line", &layout->location_line, false},
        {&h->location_fields, "column", &layout->location_column, false},
    };
    for (size_t i = 0; i < HSD_ARRAY_LEN(wanted); i++) {
        *wanted[i].column = find_name(wanted[i].list, wanted[i].name);
        if (*wanted[i].column == HSD_V8_NO_COLUMN && wanted[i].is_needed)
            return hsd_fail_at(err, HSD_E_CORRUPT, hsd_source_offset(h->json->source),
                               "not a valid heap snapshot: its header names no column \"%s\"", wanted[i].name);
    }
    layout->node_width = h->node_fields.count;
    layout->edge_width = h->edge_fields.count;
    layout->location_width = h->location_fields.count;
    layout->node_reciprocal = UINT64_MAX / layout->node_width + 1; /* no less than five columns */
    return HSD_OK;
}

static bool has_names(const names *list, const char *const *wanted, unsigned count)
{
    bool is_equal = list->count == count;
    for (unsigned i = 0; i < count && is_equal; i++)
        is_equal = strcmp(list->text[i], wanted[i]) == 0;
    return is_equal;
}

/* Every version of V8 has had these, in this order; another one's stacks are passed over. */
static bool knows_traces(const header *h)
{
    static const char *const functions[] = {"function_id", "name", "script_name", "script_id", "line", "column"},
                             *const nodes[] = {"id", "function_info_index", "count", "size", "children"};
    return has_names(&h->trace_fields, functions, HSD_ARRAY_LEN(functions)) &&
           has_names(&h->trace_node_fields, nodes, HSD_ARRAY_LEN(nodes));
}

static uint8_t number_of(const char *name, const char *const *known, unsigned count)
{
    for (unsigned i = 1; i < count; i++)
        if (strcmp(name, known[i]) == 0) return (uint8_t)i;
    return 0;
}

static hsd_status number_types(const header *h, hsd_v8_layout *layout, hsd_error *err)
{
    if (h->node_types_at != layout->type || h->edge_types_at != layout->edge_type)
        return fail_v8_layout(h, "its header does not list the types of nodes and edges", err);
    layout->node_type_count = h->node_types.count;
    layout->edge_type_count = h->edge_types.count;
    for (unsigned i = 0; i < h->node_types.count; i++) {
        layout->node_class[i] = number_of(h->node_types.text[i], class_names, HSD_V8_CLASS_COUNT);
        snprintf(layout->node_type_name[i], sizeof layout->node_type_name[i], "%.31s", h->node_types.text[i]);
    }
    for (unsigned i = 0; i < h->edge_types.count; i++)
        layout->edge_kind[i] = number_of(h->edge_types.text[i], edge_names, HSD_V8_EDGE_COUNT);
    return HSD_OK;
}

hsd_status hsd_v8_layout_read(hsd_v8_layout *layout, hsd_import_json *json, hsd_error *err)
{
    header h = {.json = json, .node_types_at = HSD_V8_NO_COLUMN, .edge_types_at = HSD_V8_NO_COLUMN};
    bool is_first = true;
    hsd_status status;
    *layout = (hsd_v8_layout){0};
    while ((status = hsd_import_json_next_key(json, &is_first, err)) == HSD_OK)
        HSD_TRY(read_member(&h, layout, err));
    if (status != HSD_END) return status;
    if (!h.has_meta) return fail_v8_layout(&h, "its header has no \"meta\"", err);
    if (h.node_fields.count > HSD_V8_MAX_COLUMNS || h.edge_fields.count > HSD_V8_MAX_COLUMNS ||
        h.location_fields.count > HSD_V8_MAX_COLUMNS)
        return hsd_fail_at(err, HSD_E_UNSUPPORTED, hsd_source_offset(json->source),
                           "more than %d columns in the header", HSD_V8_MAX_COLUMNS);
    HSD_TRY(find_columns(&h, layout, err));
    HSD_TRY(number_types(&h, layout, err));
    layout->has_known_traces = knows_traces(&h);
    if (h.root_index != 0)
        return hsd_fail_at(err, HSD_E_UNSUPPORTED, hsd_source_offset(json->source),
                           "a heap snapshot whose root is node %llu instead of the first",
                           (unsigned long long)h.root_index);
    return HSD_OK;
}
