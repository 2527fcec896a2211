/*
 * The end of an import: everything that had to wait until all names were known. Types made of node
 * types, labels, roots, the importer's own strings, and the totals of a summary.
 */
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "import/v8/heaps.h"

static hsd_status define_string(hsd_v8 *v8, uint32_t number, hsd_bytes text, hsd_error *err)
{
    return hsd_v8_write_string(v8, number, text.data, text.size, err);
}

static hsd_bytes text_of(const char *text) { return (hsd_bytes){(const uint8_t *)text, strlen(text)}; }

static hsd_status define_text(hsd_v8 *v8, uint32_t number, const char *text, hsd_error *err)
{
    return define_string(v8, number, text_of(text), err);
}

/* ---- types ---- */

/* DevTools' name for nodes that are classed by their type alone; see bench/peers/devtools/RULES.md. */
static void class_of_type(const hsd_v8 *v8, unsigned type, char *name, size_t capacity)
{
    const hsd_v8_class class = hsd_v8_class_of(&v8->layout, type);
    switch ((unsigned)class) {
    case HSD_V8_HIDDEN: snprintf(name, capacity, "(system)"); return;
    case HSD_V8_CODE: snprintf(name, capacity, "(compiled code)"); return;
    case HSD_V8_CLOSURE: snprintf(name, capacity, "Function"); return;
    case HSD_V8_REGEXP: snprintf(name, capacity, "RegExp"); return;
    case HSD_V8_OTHER:
        snprintf(name, capacity, "(%s)",
                 type < v8->layout.node_type_count ? v8->layout.node_type_name[type] : "unknown");
        return;
    default: snprintf(name, capacity, "(%s)", hsd_v8_class_name(class));
    }
}

static uint32_t flags_of_type(const hsd_v8 *v8, unsigned type)
{
    const uint32_t part = v8->roots.has_user_root || v8->import->options->summary_only ? HSC_TYPE_PART : 0;
    switch ((unsigned)hsd_v8_class_of(&v8->layout, type)) {
    case HSD_V8_HIDDEN: return HSC_TYPE_INTERNAL | HSC_TYPE_CODE | part;
    case HSD_V8_ARRAY: return HSC_TYPE_INTERNAL | part;
    case HSD_V8_CODE:
    case HSD_V8_OBJECT_SHAPE: return HSC_TYPE_INTERNAL | HSC_TYPE_CODE;
    case HSD_V8_SYNTHETIC: return HSC_TYPE_INTERNAL;
    default: return 0;
    }
}

static hsd_status define_functions(hsd_v8 *v8, hsd_error *err)
{
    char name[HSD_V8_FUNCTION_TYPE_BYTES];
    for (uint32_t i = 0; i < v8->functions.count; i++) {
        const size_t size = hsd_v8_functions_type(&v8->functions, &v8->names, &v8->files, i, name);
        HSD_TRY(hsd_v8_write_type(v8, v8->functions.items[i].type, name, size, 0, err));
    }
    return HSD_OK;
}

static hsd_status define_types(hsd_v8 *v8, hsd_error *err)
{
    char name[64];
    for (unsigned type = 0; type <= HSD_V8_MAX_TYPES; type++) {
        if (!v8->type_used[type]) continue;
        class_of_type(v8, type, name, sizeof name);
        HSD_TRY(hsd_v8_write_type(v8, type + 1, name, strlen(name), flags_of_type(v8, type), err));
    }
    HSD_TRY(define_functions(v8, err));
    if (v8->names.refused == 0) return HSD_OK;
    return hsd_v8_write_type(v8, HSD_V8_TYPE_OTHER, "(other classes)", 15, 0, err);
}

/* ---- labels ---- */

typedef struct label {
    hsc_label_kind kind;
    uint32_t flags;
    uint32_t text;
} label;

static bool is_named_scope(const hsd_v8 *v8, const hsd_v8_entry *entry)
{
    if (entry->wait == HSD_V8_WAIT_GLOBAL_FIELD) return v8->scopes.globals[entry->owner].name.size > 0;
    const hsd_v8_scope *scope = &v8->scopes.scopes[entry->owner];
    return !scope->is_copy && hsd_v8_files_name(&v8->files, scope->file).size > 0;
}

/* PropertyCell -> value, unless that is movable. */
static bool is_value_of_cell(const hsd_v8 *v8, const hsd_v8_entry *entry)
{
    if ((entry->flags & HSD_V8_ENTRY_VALUE) == 0 || (entry->flags & HSD_V8_ENTRY_MOVABLE) != 0) return false;
    return entry->owner > 0 && (v8->names.entries[entry->owner - 1].flags & HSD_V8_ENTRY_VALUE) != 0;
}

/* What looked like a context's scope info is called so. */
static bool is_variable_of_block(const hsd_v8 *v8, const hsd_v8_entry *entry)
{
    return hsd_v8_is_proven(&v8->names, v8->blocks.blocks[entry->owner].proof, HSD_V8_PROOF_SCOPE);
}

static bool is_exports_of_module(const hsd_v8 *v8, const hsd_v8_entry *entry)
{
    return (entry->flags & HSD_V8_ENTRY_MODULE) != 0 &&
           hsd_v8_is_proven(&v8->names, entry->owner - 1, HSD_V8_PROOF_MODULE);
}

/* Of an ES module whose file is known. */
static bool is_of_module(const hsd_v8 *v8, const hsd_v8_entry *entry)
{
    return hsd_v8_files_name(&v8->files, v8->modules.items[entry->owner].file).size > 0;
}

/* By its source, where that is known. */
static label label_of_variable(const hsd_v8 *v8, const hsd_v8_entry *entry)
{
    bool is_whole = false;
    const uint32_t text = hsd_v8_originals_variable(&v8->originals, (uint32_t)(entry - v8->names.entries), &is_whole);
    label l = {.kind = HSC_LABEL_VARIABLE, .text = text != 0 ? text : entry->text};
    if (is_named_scope(v8, entry)) l.flags = HSC_LABEL_NAMED_ROOT | (is_whole ? HSC_LABEL_WHOLE_NAME : 0);
    return l;
}

static label label_of(const hsd_v8 *v8, const hsd_v8_entry *entry)
{
    label l = {.kind = HSC_LABEL_INTERNAL, .text = entry->text};
    switch (entry->wait) {
    case HSD_V8_WAIT_FIELD:
        l.kind = (entry->flags & HSD_V8_ENTRY_SEEN) != 0 && l.text == 0 ? HSC_LABEL_VALUE : HSC_LABEL_FIELD;
        break;
    case HSD_V8_WAIT_GLOBAL_FIELD:
        l.kind = HSC_LABEL_FIELD;
        l.flags = is_named_scope(v8, entry) ? HSC_LABEL_NAMED_ROOT : 0;
        break;
    case HSD_V8_WAIT_VARIABLE: l.kind = HSC_LABEL_VARIABLE; break;
    case HSD_V8_WAIT_BLOCK:
        if (!is_variable_of_block(v8, entry)) {
            l.text = HSD_V8_STRING_INTERNAL;
            break;
        }
        l.kind = HSC_LABEL_VARIABLE;
        if (l.text == 0) l.text = HSD_V8_STRING_BLOCK;
        break;
    case HSD_V8_WAIT_SCOPE_VARIABLE: return label_of_variable(v8, entry);
    case HSD_V8_WAIT_MODULE_FIELD:
        l.kind = HSC_LABEL_FIELD;
        if (is_exports_of_module(v8, entry)) {
            l.flags = HSC_LABEL_NAMED_ROOT;
            if (v8->modules.exports_text != 0) l.text = v8->modules.exports_text;
        }
        break;
    case HSD_V8_WAIT_EXPORT:
        l.kind = HSC_LABEL_VARIABLE;
        l.flags = l.text != 0 && is_of_module(v8, entry) ? HSC_LABEL_NAMED_ROOT : 0;
        break;
    case HSD_V8_WAIT_MODULE_TWICE:
        l.flags = hsd_v8_is_proven(&v8->names, entry->owner - 1, HSD_V8_PROOF_MODULE) ? HSC_STRENGTH_WEAK : 0;
        break;
    case HSD_V8_WAIT_CELLS:
        l.kind = HSC_LABEL_VALUE;
        l.flags = is_of_module(v8, entry) ? HSC_STRENGTH_WEAK : 0;
        break;
    case HSD_V8_WAIT_INTERNAL: l.flags = (entry->flags & HSD_V8_ENTRY_FOLD) != 0 ? HSC_LABEL_FOLD : 0; break;
    case HSD_V8_WAIT_CELL: l.flags = is_value_of_cell(v8, entry) ? HSC_STRENGTH_WEAK : 0; break;
    case HSD_V8_WAIT_SHORTCUT: l.flags = (entry->flags & HSD_V8_ENTRY_MOVABLE) == 0 ? HSC_STRENGTH_WEAK : 0; break;
    case HSD_V8_WAIT_WEAK: l.flags = HSC_STRENGTH_WEAK; break;
    case HSD_V8_WAIT_TABLE:
        l.kind = HSC_LABEL_VALUE;
        l.flags = (entry->flags & HSD_V8_ENTRY_PAIR) != 0 ? HSC_STRENGTH_WEAK : 0;
        break;
    default: break;
    }
    return l;
}

static bool is_label(const hsd_v8_entry *entry)
{
    return (entry->wait >= HSD_V8_WAIT_FIELD && entry->wait <= HSD_V8_WAIT_MODULE_TWICE) ||
           (entry->wait >= HSD_V8_WAIT_GLOBAL_FIELD && entry->wait <= HSD_V8_WAIT_TABLE);
}

static hsd_status define_label(hsd_v8 *v8, uint32_t number, const label *l, hsd_error *err)
{
    HSD_WRITE(v8->import,
              hsc_define_label(v8->import->writer, v8->heap.first_label + number, l->kind, l->flags,
                               hsd_v8_string_in_capture(v8, l->text)),
              err);
    return HSD_OK;
}

static hsd_status define_labels(hsd_v8 *v8, hsd_error *err)
{
    static const struct {
        uint32_t number;
        hsc_label_kind kind;
        uint32_t flags, text;
    } own[] = {
        {HSD_V8_LABEL_KEY, HSC_LABEL_VALUE, 0, 0},
        {HSD_V8_LABEL_ELEMENT, HSC_LABEL_ELEMENT, 0, 0},
        {HSD_V8_LABEL_SLOT, HSC_LABEL_VALUE, 0, 0},
        {HSD_V8_LABEL_SLOT_WEAK, HSC_LABEL_VALUE, HSC_STRENGTH_WEAK, 0},
        {HSD_V8_LABEL_INTERNAL, HSC_LABEL_INTERNAL, 0, HSD_V8_STRING_INTERNAL},
        {HSD_V8_LABEL_WEAK, HSC_LABEL_INTERNAL, HSC_STRENGTH_WEAK, HSD_V8_STRING_INTERNAL},
    };
    for (size_t i = 0; i < HSD_ARRAY_LEN(own); i++)
        HSD_TRY(define_label(v8, own[i].number, &(label){own[i].kind, own[i].flags, own[i].text}, err));
    for (uint32_t i = 0; i < v8->names.count; i++) {
        const hsd_v8_entry *entry = &v8->names.entries[i];
        if (!is_label(entry)) continue;
        const label l = label_of(v8, entry);
        HSD_TRY(define_label(v8, entry->number, &l, err));
    }
    return HSD_OK;
}

/* ---- what never got its string ---- */

/* In a snapshot that was cut off, or lies: classes are told apart by the number of their name. */
static hsd_status define_missing(hsd_v8 *v8, hsd_error *err)
{
    char text[32];
    for (uint32_t i = 0; i < v8->names.count; i++) {
        const hsd_v8_entry *entry = &v8->names.entries[i];
        if ((entry->flags & HSD_V8_ENTRY_SEEN) != 0) continue;
        const int size = snprintf(text, sizeof text, "(name %u)", (unsigned)entry->name);
        if (entry->wait <= HSD_V8_WAIT_DETACHED)
            HSD_TRY(hsd_v8_write_type(v8, entry->number, text, (size_t)size, 0, err));
        if (entry->wait == HSD_V8_WAIT_NAME) HSD_TRY(define_text(v8, entry->name + 1, "", err));
    }
    return HSD_OK;
}

/* ---- strings of the importer's own ---- */

/* What each heap has one of is told apart from that of the main thread. */
static hsd_status define_global(hsd_v8 *v8, uint32_t number, hsd_bytes name, hsd_error *err)
{
    static const char worker[] = "worker ";
    if (v8->heap.index == 0 || name.size == 0) return define_string(v8, number, name, err);
    hsd_buffer text = {0};
    hsd_status status = hsd_buffer_append(&text, worker, sizeof worker - 1, err);
    if (status == HSD_OK) status = hsd_buffer_append(&text, name.data, name.size, err);
    if (status == HSD_OK) status = define_string(v8, number, (hsd_bytes){text.data, text.size}, err);
    hsd_buffer_release(&text);
    return status;
}

/* "server.js (block)", and of several "server.js (block around line 7)". */
static hsd_status define_block(hsd_v8 *v8, uint32_t number, uint32_t file, uint32_t line, hsd_error *err)
{
    char block[40] = " (block)";
    const hsd_bytes name = hsd_v8_files_name(&v8->files, file);
    hsd_buffer text = {0};
    if (name.size == 0) return define_string(v8, number, name, err);
    if (line != 0) snprintf(block, sizeof block, " (block around line %u)", (unsigned)line);
    hsd_status status = hsd_buffer_append(&text, name.data, name.size, err);
    if (status == HSD_OK) status = hsd_buffer_append(&text, block, strlen(block), err);
    if (status == HSD_OK) status = define_string(v8, number, (hsd_bytes){text.data, text.size}, err);
    hsd_buffer_release(&text);
    return status;
}

static hsd_status define_contexts(hsd_v8 *v8, hsd_error *err)
{
    for (uint32_t i = 0; i < v8->scopes.scope_count; i++) {
        const hsd_v8_scope *scope = &v8->scopes.scopes[i];
        if (scope->is_block)
            HSD_TRY(define_block(v8, HSD_V8_STRING_SCOPES + i, scope->file, scope->line, err));
        else
            HSD_TRY(define_string(v8, HSD_V8_STRING_SCOPES + i, hsd_v8_files_name(&v8->files, scope->file), err));
    }
    for (uint32_t i = 0; i < v8->scopes.inner_count; i++) {
        const hsd_v8_inner *inner = &v8->scopes.inner[i];
        if (inner->scope != HSD_V8_NO_SCOPE)
            HSD_TRY(define_block(v8, HSD_V8_STRING_BLOCKS + i, v8->scopes.scopes[inner->scope].file, inner->line, err));
    }
    return HSD_OK;
}

/* What only looked like a global object or a module has an empty name. */
static hsd_status define_scopes(hsd_v8 *v8, hsd_error *err)
{
    for (uint32_t i = 0; i < v8->scopes.global_count; i++)
        HSD_TRY(define_global(v8, HSD_V8_STRING_GLOBALS + i, v8->scopes.globals[i].name, err));
    HSD_TRY(define_contexts(v8, err));
    for (uint32_t i = 0; i < v8->modules.count; i++)
        HSD_TRY(define_string(v8, HSD_V8_STRING_MODULES + i, hsd_v8_files_name(&v8->files, v8->modules.items[i].file),
                              err));
    return HSD_OK;
}

/* "(seen or count)" of labels whose name is not sure. */
static hsd_status define_choices(hsd_v8 *v8, hsd_error *err)
{
    hsd_buffer text = {0};
    hsd_status status = HSD_OK;
    for (uint32_t i = 0; i < v8->blocks.choice_count && status == HSD_OK; i++) {
        text.size = 0;
        status = hsd_v8_blocks_choice(&v8->blocks, i, &text, err);
        if (status != HSD_OK || text.size == 0) continue;
        v8->names.entries[v8->blocks.choices[i].label].text = HSD_V8_STRING_CHOICES + i;
        status = define_string(v8, HSD_V8_STRING_CHOICES + i, (hsd_bytes){text.data, text.size}, err);
    }
    hsd_buffer_release(&text);
    return status;
}

static hsd_status define_strings(hsd_v8 *v8, hsd_error *err)
{
    HSD_TRY(define_global(v8, HSD_V8_STRING_GLOBAL, text_of("global"), err));
    HSD_TRY(define_text(v8, HSD_V8_STRING_ORPHANS,
                        v8->is_bun ? "(in a Map, a Set or native code that Bun does not tell)" : "(V8 internal)", err));
    HSD_TRY(define_text(v8, HSD_V8_STRING_PAIR, "WeakMap value", err));
    HSD_TRY(define_text(v8, HSD_V8_STRING_INTERNAL, "internal", err));
    HSD_TRY(define_text(v8, HSD_V8_STRING_BLOCK, "(block variable)", err));
    HSD_TRY(define_global(v8, HSD_V8_STRING_PROCESS, text_of("process"), err));
    HSD_TRY(define_text(v8, HSD_V8_STRING_SYMBOL, "<symbol>", err));
    HSD_TRY(define_text(v8, HSD_V8_STRING_DOCUMENT, "document", err));
    if (v8->traces.is_used) HSD_TRY(define_text(v8, HSD_V8_STRING_ANONYMOUS, "(anonymous)", err));
    HSD_TRY(define_choices(v8, err));
    return define_scopes(v8, err);
}

/* ---- roots, totals ---- */

/* Snapshots of pages no longer say which objects are global, and these are roots all the same. */
static hsd_status put_globals(hsd_v8 *v8, hsd_error *err)
{
    if (v8->roots.has_global) return HSD_OK;
    for (uint32_t i = 0; i < v8->scopes.global_count; i++)
        if (v8->scopes.globals[i].name.size > 0)
            HSD_TRY(hsd_v8_roots_put(&v8->roots, HSD_V8_GROUP_GLOBAL, v8->scopes.globals[i].ordinal, err));
    return HSD_OK;
}

/* A global object that has a name, "window#2", is a root by that; the others are "global". */
static void name_global(const hsd_v8_scopes *scopes, hsc_root_record *root)
{
    for (uint32_t i = 0; root->kind == HSC_ROOT_GLOBAL && i < scopes->global_count; i++)
        if (scopes->globals[i].ordinal == root->target && scopes->globals[i].name.size > 0)
            root->label = HSD_V8_STRING_GLOBALS + i;
}

typedef struct local_names {
    hsd_id_map frames; /* function -> number of its string */
    uint32_t count;
} local_names;

/* What lies in a frame: the string of its function's locals, which the first of them defines. */
static hsd_status name_local(hsd_v8 *v8, local_names *names, hsd_v8_root *root, hsd_error *err)
{
    char text[HSD_V8_FRAME_BYTES];
    if (root->function == HSD_V8_NO_FUNCTION) return HSD_OK;
    uint32_t frame = hsd_id_map_get(&names->frames, root->function);
    if (frame == HSD_ID_NONE) {
        if (names->count == HSD_V8_MOST_FRAMES) return HSD_OK;
        frame = names->count++;
        HSD_TRY(hsd_id_map_put(&names->frames, root->function, frame, err));
        const size_t size = hsd_v8_frames_text(&v8->names, &v8->functions, &v8->files, root->function, text);
        const hsd_bytes name = {(const uint8_t *)text, size};
        HSD_TRY(define_string(v8, HSD_V8_STRING_FRAMES + frame, name, err));
    }
    root->record.label = HSD_V8_STRING_FRAMES + frame;
    return HSD_OK;
}

static hsd_status write_spooled(hsd_v8 *v8, hsd_error *err)
{
    local_names names = {0};
    hsd_v8_root root;
    hsd_status status;
    while ((status = hsd_v8_roots_next(&v8->roots, &v8->names, &v8->marks, &root, err)) == HSD_OK) {
        name_global(&v8->scopes, &root.record);
        if ((status = name_local(v8, &names, &root, err)) != HSD_OK) break;
        if ((status = hsd_v8_write_root(v8, root.record, err)) != HSD_OK) break;
    }
    hsd_id_map_release(&names.frames);
    return status;
}

static hsd_status write_roots(hsd_v8 *v8, hsd_error *err)
{
    v8->roots.groups[HSD_V8_GROUP_GLOBAL].text = HSD_V8_STRING_GLOBAL;
    v8->roots.groups[HSD_V8_GROUP_ORPHANS].text = HSD_V8_STRING_ORPHANS;
    HSD_TRY(put_globals(v8, err));
    HSD_TRY(hsd_v8_frames_settle(&v8->roots.frames, &v8->names, &v8->functions, &v8->files,
                                 hsd_v8_roots_stack(&v8->roots), err));
    HSD_TRY(hsd_v8_spool_rewind(&v8->roots.spool, false, err));
    const hsd_status status = write_spooled(v8, err);
    return status == HSD_END ? hsd_v8_write_module_roots(v8, err) : status;
}

static hsd_status write_totals(hsd_v8 *v8, hsd_error *err)
{
    for (uint32_t type = 0; type < v8->total_capacity; type++) {
        const hsd_v8_totals *total = &v8->totals[type];
        if (total->objects == 0) continue;
        HSD_WRITE(v8->import, hsc_count(v8->import->writer, v8->heap.first_type + type, total->objects, total->bytes),
                  err);
        v8->import->result->objects += total->objects;
        v8->import->result->bytes = hsd_add_saturating(v8->import->result->bytes, total->bytes);
    }
    return HSD_OK;
}

static hsd_status tell_losses(hsd_v8 *v8, hsd_error *err)
{
    hsc_writer *writer = v8->import->writer;
    if (v8->dangling > 0)
        HSD_WRITE(v8->import, hsc_loss(writer, "references to nodes that are not in the snapshot", v8->dangling), err);
    if (v8->layout.has_extra_native_bytes && v8->heap.index == 0)
        HSD_WRITE(v8->import, hsc_metric(writer, "native.used", "bytes", v8->layout.extra_native_bytes), err);
    if (v8->names.refused > 0)
        hsd_note(v8->import->reporter, HSD_NOTE_WARNING,
                 "%s has more than %u names of classes, fields and functions: %llu have no name of "
                 "their own here",
                 v8->source->name, HSD_V8_NAMES_LIMIT, (unsigned long long)v8->names.refused);
    return HSD_OK;
}

hsd_status hsd_v8_write_tables(hsd_v8 *v8, hsd_error *err)
{
    HSD_TRY(hsd_v8_scopes_settle(&v8->scopes, &v8->names, &v8->functions, err));
    hsd_v8_modules_settle(&v8->modules, &v8->names, &v8->functions);
    HSD_TRY(hsd_v8_originals_find(v8, err));
    HSD_TRY(hsd_v8_files_settle(&v8->files, err));
    HSD_TRY(hsd_v8_find_copies(v8, err));
    HSD_TRY(hsd_v8_scopes_lines(&v8->scopes, &v8->names, &v8->functions, &v8->files, err));
    HSD_TRY(hsd_v8_originals_define(v8, err));
    HSD_TRY(define_types(v8, err));
    HSD_TRY(define_missing(v8, err));
    if (v8->import->options->summary_only)
        HSD_TRY(write_totals(v8, err));
    else
        HSD_TRY(define_strings(v8, err));
    if (!v8->import->options->summary_only) HSD_TRY(define_labels(v8, err));
    HSD_TRY(write_roots(v8, err));
    if (v8->traces.is_used) HSD_TRY(hsd_v8_write_traces(v8, err));
    return tell_losses(v8, err);
}
