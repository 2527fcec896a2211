/*
 * Types and labels. See kinds.h.
 */
#include "export/heapsnapshot/kinds.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include <hscapture/hscapture.h>

typedef struct known_type {
    const char *name;
    uint8_t node;
    bool is_class;
} known_type;

/* What the importer calls classes that V8 knows by their type. */
static const known_type of_v8[] = {
    {"(system)", HSD_SNAP_NODE_HIDDEN, false},
    {"(array)", HSD_SNAP_NODE_ARRAY, false},
    {"(string)", HSD_SNAP_NODE_STRING, false},
    {"(compiled code)", HSD_SNAP_NODE_CODE, false},
    {"Function", HSD_SNAP_NODE_CLOSURE, false},
    {"RegExp", HSD_SNAP_NODE_REGEXP, false},
    {"(number)", HSD_SNAP_NODE_NUMBER, false},
    {"(synthetic)", HSD_SNAP_NODE_SYNTHETIC, false},
    {"(concatenated string)", HSD_SNAP_NODE_CONCATENATED, false},
    {"(sliced string)", HSD_SNAP_NODE_SLICED, false},
    {"(symbol)", HSD_SNAP_NODE_SYMBOL, false},
    {"(bigint)", HSD_SNAP_NODE_BIGINT, false},
    {"(object shape)", HSD_SNAP_NODE_SHAPE, false},
    {"(wasm object)", HSD_SNAP_NODE_WASM, false},
    {"true", HSD_SNAP_NODE_NATIVE, true},
    {"false", HSD_SNAP_NODE_NATIVE, true},
    {"null", HSD_SNAP_NODE_NATIVE, true},
    {"undefined", HSD_SNAP_NODE_NATIVE, true},
};

/* Of Lua and its kin. */
static const known_type of_lua[] = {
    {"string", HSD_SNAP_NODE_STRING, false},      {"function", HSD_SNAP_NODE_CLOSURE, false},
    {"C function", HSD_SNAP_NODE_CLOSURE, false}, {"proto", HSD_SNAP_NODE_CODE, false},
    {"userdata", HSD_SNAP_NODE_NATIVE, true},     {"thread", HSD_SNAP_NODE_NATIVE, true},
    {"coroutine", HSD_SNAP_NODE_NATIVE, true},    {"upvalue", HSD_SNAP_NODE_NATIVE, true},
    {"buffer", HSD_SNAP_NODE_NATIVE, true},
};

/* "function demo.lua:12", "C function print": a class that DevTools does not know, but says of each what it is. */
static const known_type function_of_lua = {"", HSD_SNAP_NODE_CLOSURE, true};

/* "Function onChange (server.js:6)" of V8: a closure that says where it stands. */
static const known_type placed_function = {"", HSD_SNAP_NODE_CLOSURE, true};

static const known_type of_others[] = {{"string", HSD_SNAP_NODE_STRING, false},
                                       {"(string)", HSD_SNAP_NODE_STRING, false}};

static bool is_text(hsd_bytes text, const char *word)
{
    return text.size == strlen(word) && memcmp(text.data, word, text.size) == 0;
}

/* ---- types ---- */

static const known_type *find_in_kinds(const known_type *known, size_t count, hsd_bytes name)
{
    for (size_t i = 0; i < count; i++)
        if (is_text(name, known[i].name)) return &known[i];
    return NULL;
}

static const known_type *find_known(const hsd_snap_kinds *kinds, hsd_bytes name)
{
    if (kinds->is_v8)
        return hsd_bytes_begin(name, "Function ") ? &placed_function : find_in_kinds(of_v8, HSD_ARRAY_LEN(of_v8), name);
    if (!kinds->is_lua) return find_in_kinds(of_others, HSD_ARRAY_LEN(of_others), name);
    const known_type *known = find_in_kinds(of_lua, HSD_ARRAY_LEN(of_lua), name);
    const bool is_function = hsd_bytes_begin(name, "function ") || hsd_bytes_begin(name, "C function ");
    return known == NULL && is_function ? &function_of_lua : known;
}

/* Of what V8 calls its own, contexts are objects and all else is native. A part of anybody else's counts as its owner's
 * where it is hidden. */
static uint8_t node_of_class(const hsd_snap_kinds *kinds, hsd_bytes name, uint32_t flags)
{
    if (kinds->is_v8)
        return hsd_bytes_begin(name, "system / ") && !hsd_bytes_begin(name, "system / Context") ? HSD_SNAP_NODE_NATIVE
                                                                                                : HSD_SNAP_NODE_OBJECT;
    return (flags & HSC_TYPE_PART) != 0 ? HSD_SNAP_NODE_HIDDEN : HSD_SNAP_NODE_OBJECT;
}

static hsd_status make_kind(hsd_snap_kinds *kinds, uint32_t type, hsd_snap_names *names, hsd_error *err)
{
    static const char detached[] = "Detached ";
    const hsd_bytes name = hsd_names_get(&kinds->type_names.names, type);
    const known_type *known = find_known(kinds, name);
    hsd_snap_kind *kind = &kinds->kinds[type];
    *kind = known != NULL
                ? (hsd_snap_kind){.node = known->node, .is_class = known->is_class}
                : (hsd_snap_kind){.node = node_of_class(kinds, name, kinds->type_names.flags[type]), .is_class = true};
    const bool can_be_part = kind->node == HSD_SNAP_NODE_HIDDEN || kind->node == HSD_SNAP_NODE_ARRAY;
    kinds->has_no_user_roots |= kinds->is_v8 && can_be_part && (kinds->type_names.flags[type] & HSC_TYPE_PART) == 0;
    HSD_TRY(hsd_snap_names_put(names, name, &kind->name, err));
    kind->detached_name = kind->name;
    if (!hsd_bytes_begin(name, detached)) return HSD_OK;
    kinds->has_detached |= kinds->is_v8;
    const size_t skip = sizeof detached - 1;
    return hsd_snap_names_put(names, (hsd_bytes){name.data + skip, name.size - skip}, &kind->detached_name, err);
}

static hsd_status make_kinds(hsd_snap_kinds *kinds, hsd_snap_names *names, hsd_error *err)
{
    const uint32_t count = kinds->type_names.names.count;
    kinds->kinds = malloc(count * sizeof *kinds->kinds);
    if (kinds->kinds == NULL) return hsd_fail_nomem(err, "types and labels");
    for (uint32_t type = 0; type < count; type++)
        HSD_TRY(make_kind(kinds, type, names, err));
    return HSD_OK;
}

/* ---- labels ---- */

static hsd_snap_relation named_heapsnapshot_kind(hsd_snap_edge edge, uint32_t name, uint32_t otherwise)
{
    return (hsd_snap_relation){(uint8_t)edge, name == HSD_SNAP_EMPTY ? otherwise : name};
}

/* Properties without names would make DevTools see classes of objects: {(item), (item), …}. */
static hsd_snap_relation property(uint32_t name)
{
    return name == HSD_SNAP_EMPTY ? (hsd_snap_relation){HSD_SNAP_EDGE_ELEMENT, HSD_SNAP_BY_COUNT}
                                  : named_heapsnapshot_kind(HSD_SNAP_EDGE_PROPERTY, name, name);
}

static hsd_snap_relation strong_relation(const hsd_snap_kinds *kinds, const hsd_label *label, uint32_t name)
{
    switch (label->kind) {
    case HSC_LABEL_ELEMENT: return (hsd_snap_relation){HSD_SNAP_EDGE_ELEMENT, HSD_SNAP_BY_INDEX};
    case HSC_LABEL_VARIABLE: return named_heapsnapshot_kind(HSD_SNAP_EDGE_CONTEXT, name, HSD_SNAP_VARIABLE);
    case HSC_LABEL_KEY:
        /* An item of a dictionary, of which V8 knows no key apart. */
        return kinds->is_v8 ? property(name) : named_heapsnapshot_kind(HSD_SNAP_EDGE_INTERNAL, name, HSD_SNAP_KEY);
    case HSC_LABEL_CLASS: return named_heapsnapshot_kind(HSD_SNAP_EDGE_INTERNAL, name, HSD_SNAP_CLASS);
    case HSC_LABEL_FIELD:
    case HSC_LABEL_STATIC:
    case HSC_LABEL_VALUE: return property(name);
    default: break;
    }
    const bool has_name = name != HSD_SNAP_EMPTY && name != HSD_SNAP_INTERNAL;
    return has_name ? (hsd_snap_relation){HSD_SNAP_EDGE_INTERNAL, name}
                    : (hsd_snap_relation){HSD_SNAP_EDGE_HIDDEN, HSD_SNAP_BY_INDEX};
}

/* Weak edges by index have it as a string. */
static hsd_snap_relation relation_of(const hsd_snap_kinds *kinds, const hsd_label *label, uint32_t name)
{
    hsd_snap_relation relation = strong_relation(kinds, label, name);
    if ((label->flags & HSC_STRENGTH_MASK) != HSC_STRENGTH_WEAK) return relation;
    if (relation.edge == HSD_SNAP_EDGE_HIDDEN || relation.name == HSD_SNAP_BY_COUNT) relation.name = HSD_SNAP_INTERNAL;
    relation.edge = HSD_SNAP_EDGE_WEAK;
    return relation;
}

static hsd_status make_relations(hsd_snap_kinds *kinds, const hsd_snap_names *names, hsd_error *err)
{
    kinds->relations = malloc(((size_t)kinds->labels.count + 1) * sizeof *kinds->relations);
    if (kinds->relations == NULL) return hsd_fail_nomem(err, "types and labels");
    for (uint32_t i = 0; i < kinds->labels.count; i++) {
        const hsd_label *label = &kinds->labels.labels[i];
        kinds->relations[i] = relation_of(kinds, label, hsd_snap_names_of(names, label->name));
    }
    return HSD_OK;
}

/* ---- the whole ---- */

bool hsd_snap_is_group(const hsd_snap_kinds *kinds, const hsd_object *object)
{
    if (!kinds->is_v8 || (object->flags & HSC_OBJECT_PSEUDO) == 0) return false;
    return hsd_snap_kind_of(kinds, object->type).node == HSD_SNAP_NODE_SYNTHETIC;
}

hsd_status hsd_snap_kinds_open(hsd_snap_kinds *kinds, hsd_capture *capture, hsd_snap_names *names, hsd_error *err)
{
    const hsd_capture_info *info = hsd_capture_get_info(capture);
    *kinds = (hsd_snap_kinds){.is_v8 = info->identity == HSD_IDENTITY_EXACT && strcmp(info->source_format, "v8") == 0,
                              .is_lua = strncmp(info->runtime, "Lua", 3) == 0};
    HSD_TRY(hsd_type_names_init(&kinds->type_names, err));
    HSD_TRY(hsd_type_table_load(&kinds->types, capture, &kinds->type_names, err));
    HSD_TRY(hsd_label_table_load(&kinds->labels, capture, err));
    HSD_TRY(make_kinds(kinds, names, err));
    return make_relations(kinds, names, err);
}

void hsd_snap_kinds_release(hsd_snap_kinds *kinds)
{
    hsd_type_table_release(&kinds->types);
    hsd_type_names_release(&kinds->type_names);
    hsd_label_table_release(&kinds->labels);
    free(kinds->kinds);
    free(kinds->relations);
    *kinds = (hsd_snap_kinds){0};
}
