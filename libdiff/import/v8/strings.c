/*
 * Reads the list of strings, the last of a snapshot, and gives each to the entries that wait for it
 * (names.h). All others, which are values of the program, are passed over without being decoded.
 *
 * Here it is decided which names are the program's and which are its data. A property's name is kept if
 * it looks like an identifier, and 16 objects have it or code mentions it (declared.h): the constants of
 * functions that are in the heap. A leak is made by code that runs, so the names on the way to it are there.
 * Dictionaries were sorted out before (edges.c). What hangs from a global object keeps its name in any case, because
 * that is what reports are about. Older V8 (before that of Node 18) does not tell constants from other
 * arrays: there what looks like an identifier is kept.
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "import/v8/heaps.h"

#define IDENTIFIER_BYTES ((size_t)64)
/* One text of a capture, less what marks it as cut. */
#define TEXT_LIMIT_BYTES ((size_t)65536 - 3)

/* ---- what a name is ---- */

static bool is_identifier_byte(uint8_t c, bool is_first)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c >= 0x80 ||
           (!is_first && c >= '0' && c <= '9');
}

/* Letters, digits, _ and $, and the dots of "Symbol.iterator" where they are allowed. */
static bool is_identifier(hsd_bytes text, bool with_dots)
{
    if (text.size == 0 || text.size > IDENTIFIER_BYTES) return false;
    for (size_t i = 0; i < text.size; i++)
        if (!is_identifier_byte(text.data[i], i == 0) && !(with_dots && i > 0 && text.data[i] == '.')) return false;
    return true;
}

static bool take_prefix(hsd_bytes *text, const char *prefix)
{
    const size_t size = strlen(prefix);
    if (text->size < size || memcmp(text->data, prefix, size) != 0) return false;
    text->data += size;
    text->size -= size;
    return true;
}

/* "user", "get user", "#user", "<symbol>", "<symbol Symbol.iterator>". */
static bool is_field_name(hsd_bytes text)
{
    if (take_prefix(&text, "<symbol")) {
        if (text.size == 0 || text.data[text.size - 1] != '>') return false;
        text.size--;
        return text.size == 0 || (take_prefix(&text, " ") && is_identifier(text, true));
    }
    if (!take_prefix(&text, "get ") && !take_prefix(&text, "set ")) take_prefix(&text, "#");
    return is_identifier(text, false);
}

/* V8's own: words, with blanks, dots, colons or a hyphen between them; no numbers, no descriptions. */
static bool is_internal_name(hsd_bytes text)
{
    if (text.size == 0 || text.size > IDENTIFIER_BYTES || !is_identifier_byte(text.data[0], true)) return false;
    for (size_t i = 0; i < text.size; i++)
        if (!is_identifier_byte(text.data[i], false) && strchr(" .:-<>()", text.data[i]) == NULL) return false;
    return memchr(text.data, '\0', text.size) == NULL;
}

static bool contains(hsd_bytes text, const char *word)
{
    const size_t size = strlen(word);
    for (size_t i = 0; i + size <= text.size; i++)
        if (memcmp(text.data + i, word, size) == 0) return true;
    return false;
}

static bool is_text(hsd_bytes text, const char *word)
{
    return text.size == strlen(word) && memcmp(text.data, word, text.size) == 0;
}

/* "4 / part of key (Key @21) -> value (Value @23) pair in WeakMap (table @19)", and what it was called before. */
static bool is_pair(hsd_bytes text) { return contains(text, "part of key") || contains(text, "in WeakMap"); }

/* V8's own references that lead from what a program knows to what it is made of. */
static bool leads_inside(hsd_bytes text)
{
    static const char *const names[] = {
        "elements",
        "properties",      /* any object */
        "table",           /* Map, Set, WeakMap, WeakSet */
        "context",         /* closures: the captured variables */
        "backing_store",   /* ArrayBuffer */
        "bound_arguments", /* of a bound function */
        "active_cells",
        "cleared_cells",
        "key_map",                  /* FinalizationRegistry */
        "parameters_and_registers", /* generators, async functions */
    };
    for (size_t i = 0; i < HSD_ARRAY_LEN(names); i++)
        if (is_text(text, names[i])) return true;
    return false;
}

/* ---- types ---- */

/* V8 15 calls the variables of a scope by the number of its description, which another snapshot may give to another. */
static size_t size_without_scope(hsd_bytes text)
{
    static const char context[] = "system / Context", scope[] = "system / Context / scope @";
    hsd_bytes rest = text;
    return take_prefix(&rest, scope) ? sizeof context - 1 : text.size;
}

/* A class of the embedder's may carry what one element has ("<div id=\"user\">"): it ends at the blank. */
static hsd_status class_name(hsd_bytes text, bool is_detached, hsd_buffer *out, hsd_error *err)
{
    static const char detached[] = "Detached ";
    const size_t prefix = sizeof detached - 1;
    hsd_buffer_clear(out);
    if (is_detached) HSD_TRY(hsd_buffer_append(out, detached, prefix, err));
    HSD_TRY(hsd_buffer_append(out, text.data, size_without_scope(text), err));
    size_t from = 0;
    if (out->size > prefix && memcmp(out->data, "Detached <", prefix + 1) == 0)
        from = prefix + 1;
    else if (out->size == 0 || out->data[0] != '<')
        return HSD_OK;
    const uint8_t *blank = memchr(out->data + from, ' ', out->size - from);
    if (blank == NULL) return HSD_OK;
    out->size = (size_t)(blank - out->data);
    return hsd_buffer_append(out, ">", 1, err);
}

hsd_status hsd_v8_define_class(hsd_v8 *v8, const hsd_v8_entry *entry, hsd_bytes text, hsd_error *err)
{
    hsd_buffer name = {0};
    const bool is_part = entry->wait != HSD_V8_WAIT_TYPE && is_text(text, "system / ExternalStringData");
    uint32_t flags = 0;
    hsd_bytes rest = text;
    if (take_prefix(&rest, "system / ")) flags |= HSC_TYPE_INTERNAL;
    if (is_part && v8->roots.has_user_root) flags |= HSC_TYPE_PART;
    hsd_status status = class_name(text, entry->wait == HSD_V8_WAIT_DETACHED, &name, err);
    if (name.size > TEXT_LIMIT_BYTES) name.size = TEXT_LIMIT_BYTES;
    if (status == HSD_OK) status = hsd_v8_write_type(v8, entry->number, name.data, name.size, flags, err);
    hsd_buffer_release(&name);
    return status;
}

/* ---- one string ---- */

/* What Node itself calls the parts of a module. */
static bool is_part_of_module(hsd_bytes text)
{
    static const char *const names[] = {"id",       "path",  "exports",      "filename", "loaded",
                                        "children", "paths", "isPreloading", "parent",   "require"};
    for (size_t i = 0; i < HSD_ARRAY_LEN(names); i++)
        if (is_text(text, names[i])) return true;
    return false;
}

/* The string of a property's name, 0 if that is data. Whether code mentions it is known when all names came. */
static uint32_t field_text(const hsd_v8 *v8, hsd_v8_entry *entry, hsd_bytes text, uint32_t own)
{
    const bool is_of_module = entry->wait == HSD_V8_WAIT_MODULE_FIELD;
    hsd_bytes rest = text;
    if (v8->import->options->with_values) return own;
    if (!is_field_name(text)) return 0;
    if (take_prefix(&rest, "#") || (is_of_module && is_part_of_module(text))) return own; /* private: declared */
    if (take_prefix(&rest, "<symbol") && (is_text(rest, ">") || take_prefix(&rest, " Symbol."))) return own;
    entry->flags |= HSD_V8_ENTRY_HELD;
    if (rest.data != text.data) entry->flags |= HSD_V8_ENTRY_VALUE; /* a symbol */
    return own;
}

/* The string that an entry's label gets as its name: the snapshot's, one of the importer's, or none. */
static uint32_t label_text(const hsd_v8 *v8, hsd_v8_entry *entry, hsd_bytes text)
{
    const uint32_t own = entry->name < HSD_V8_MOST_STRINGS ? entry->name + 1 : 0;
    if (is_text(text, "<symbol Window#DocumentCachedAccessor>")) return HSD_V8_STRING_DOCUMENT;
    switch (entry->wait) {
    case HSD_V8_WAIT_FIELD:
    case HSD_V8_WAIT_MODULE_FIELD: return field_text(v8, entry, text, own);
    case HSD_V8_WAIT_TABLE: return 0;
    case HSD_V8_WAIT_TRACE: return text.size == 0 ? 0 : own;
    case HSD_V8_WAIT_INTERNAL:
    case HSD_V8_WAIT_MODULE_TWICE:
        if (is_pair(text)) return HSD_V8_STRING_PAIR;
        return is_internal_name(text) ? own : HSD_V8_STRING_INTERNAL;
    case HSD_V8_WAIT_EXPORT: return is_identifier(text, false) ? own : 0;
    case HSD_V8_WAIT_BLOCK: take_prefix(&text, "#"); return is_identifier(text, false) ? own : 0;
    case HSD_V8_WAIT_CELL:
    case HSD_V8_WAIT_SHORTCUT:
    case HSD_V8_WAIT_WEAK: return is_internal_name(text) ? own : HSD_V8_STRING_INTERNAL;
    default: return own;
    }
}

/* Newer Node keeps what a module exports under a symbol as well. */
static void note_exports(hsd_v8 *v8, hsd_v8_entry *entry, hsd_bytes text)
{
    const bool is_exports = is_text(text, "exports");
    if (!is_exports && !is_text(text, "<symbol node:module_export>")) return;
    entry->flags |= HSD_V8_ENTRY_MODULE;
    if (is_exports && entry->name < HSD_V8_MOST_STRINGS) v8->modules.exports_text = entry->name + 1;
}

static hsd_status give_v8_string(hsd_v8 *v8, hsd_v8_entry *entry, hsd_bytes text, hsd_error *err)
{
    entry->flags |= HSD_V8_ENTRY_SEEN;
    switch (entry->wait) {
    case HSD_V8_WAIT_TYPE:
        if ((entry->flags & HSD_V8_ENTRY_WAITS) != 0)
            return hsd_v8_originals_keep(&v8->originals, (uint32_t)(entry - v8->names.entries), text, err);
        return hsd_v8_define_class(v8, entry, text, err);
    case HSD_V8_WAIT_NATIVE:
    case HSD_V8_WAIT_DETACHED: return hsd_v8_define_class(v8, entry, text, err);
    case HSD_V8_WAIT_SCRIPT: return hsd_v8_files_text(&v8->files, entry->owner, text, err);
    case HSD_V8_WAIT_FUNCTION: return hsd_v8_functions_text(&v8->functions, entry->owner, text, err);
    case HSD_V8_WAIT_FILENAME:
    case HSD_V8_WAIT_CONSTRUCTED: return HSD_OK;
    case HSD_V8_WAIT_CHOICE:
        take_prefix(&text, "#");
        return is_identifier(text, false) ? hsd_v8_blocks_text(&v8->blocks, entry->owner, text, err) : HSD_OK;
    case HSD_V8_WAIT_GLOBAL: return hsd_v8_scopes_class(&v8->scopes, entry->owner, text, err);
    case HSD_V8_WAIT_PROOF: entry->number = hsd_v8_proof_of(text); return HSD_OK;
    case HSD_V8_WAIT_SOURCE:
        if (is_text(text, "system / PropertyCell")) entry->flags |= HSD_V8_ENTRY_VALUE;
        if (is_text(text, "system / SourceTextModule")) entry->flags |= HSD_V8_ENTRY_MODULE;
        return HSD_OK;
    case HSD_V8_WAIT_ROOT:
        entry->text = label_text(v8, entry, text);
        hsd_v8_roots_name(&v8->roots, entry->owner, text, entry->text);
        return HSD_OK;
    case HSD_V8_WAIT_FIELD:
        if (is_text(text, "moduleLoadList")) v8->process = entry->owner; /* nothing else has it */
        break;
    case HSD_V8_WAIT_CELL:
        if (is_text(text, "value")) entry->flags |= HSD_V8_ENTRY_VALUE;
        break;
    case HSD_V8_WAIT_INTERNAL:
        if (leads_inside(text)) entry->flags |= HSD_V8_ENTRY_FOLD;
        break;
    case HSD_V8_WAIT_TABLE:
        if (is_pair(text)) entry->flags |= HSD_V8_ENTRY_PAIR;
        break;
    case HSD_V8_WAIT_MODULE_FIELD: note_exports(v8, entry, text); break;
    case HSD_V8_WAIT_SCOPE_VARIABLE:
        HSD_TRY(hsd_v8_originals_keep_variable(&v8->originals, (uint32_t)(entry - v8->names.entries), entry->owner,
                                               text, err));
        break;
    case HSD_V8_WAIT_TRACE:
        HSD_TRY(hsd_v8_originals_keep(&v8->originals, (uint32_t)(entry - v8->names.entries), text, err));
        break;
    default: break;
    }
    entry->text = label_text(v8, entry, text);
    return HSD_OK;
}

/* Keeps the text for `count` entries. What there is no room for is taken for data. */
static hsd_status hold_text(hsd_v8 *v8, uint32_t number, hsd_bytes text, const uint32_t *order, uint32_t count,
                            hsd_error *err)
{
    const hsd_status status = hsd_v8_declared_hold(&v8->declared, number, text, err);
    if (status != HSD_END) return status;
    for (uint32_t i = 0; i < count; i++)
        if (v8->names.entries[order[i]].text == number + 1) v8->names.entries[order[i]].text = 0;
    return HSD_OK;
}

/* Hands the string `number` to all that wait for it, which are those from order[*at] on, and writes it
 * if one of them wants it. */
static hsd_status give_all(hsd_v8 *v8, uint32_t number, const uint32_t *order, uint32_t *at, hsd_error *err)
{
    static const uint8_t cut[] = {0xe2, 0x80, 0xa6};
    const uint32_t from = *at;
    bool is_wanted = false, is_held = false;
    if (v8->json.is_cut) HSD_TRY(hsd_buffer_append(&v8->json.text, cut, sizeof cut, err));
    const hsd_bytes text = {v8->json.text.data, v8->json.text.size};
    for (; *at < v8->names.count && v8->names.entries[order[*at]].name == number; (*at)++) {
        hsd_v8_entry *entry = &v8->names.entries[order[*at]];
        HSD_TRY(give_v8_string(v8, entry, text, err));
        if (entry->text != number + 1) continue;
        is_held |= (entry->flags & HSD_V8_ENTRY_HELD) != 0;
        is_wanted |= (entry->flags & HSD_V8_ENTRY_HELD) == 0;
    }
    if (is_held && !is_wanted) return hold_text(v8, number, text, &order[from], *at - from, err);
    return is_wanted ? hsd_v8_write_string(v8, number + 1, text.data, text.size, err) : HSD_OK;
}

/* ---- the list ---- */

static hsd_status read_list(hsd_v8 *v8, const uint32_t *order, hsd_error *err)
{
    hsd_import_json *json = &v8->json;
    bool is_first = true;
    uint32_t at = 0;
    for (uint64_t number = 0;; number++) {
        const hsd_status status = hsd_import_json_next_item(json, &is_first, err);
        if (status == HSD_END) return HSD_OK;
        HSD_TRY(status);
        const bool is_waited_for = at < v8->names.count && v8->names.entries[order[at]].name == number;
        if (is_waited_for) {
            HSD_TRY(hsd_import_json_string(json, TEXT_LIMIT_BYTES, err));
            HSD_TRY(give_all(v8, (uint32_t)number, order, &at, err));
        } else {
            HSD_TRY(hsd_import_json_skip_string(json, err));
        }
        if ((number & 0xffff) == 0) HSD_TRY(hsd_v8_progress(v8, err));
    }
}

/* ---- what waited ---- */

/* Of a symbol whose description may be data it is told that it is one. */
static void decide_fields(hsd_v8 *v8)
{
    for (uint32_t i = 0; i < v8->names.count; i++) {
        hsd_v8_entry *entry = &v8->names.entries[i];
        if ((entry->flags & HSD_V8_ENTRY_HELD) == 0 || hsd_v8_is_declared(&v8->declared, &v8->names, entry)) continue;
        entry->text = (entry->flags & HSD_V8_ENTRY_VALUE) != 0 ? HSD_V8_STRING_SYMBOL : 0;
    }
}

/* Whether a label of those that the string `number` was given to has it as its name. */
static bool is_wanted_by_any(const hsd_v8 *v8, const uint32_t *order, uint32_t *at, uint32_t number)
{
    bool is_wanted = false;
    while (*at < v8->names.count && v8->names.entries[order[*at]].name < number)
        (*at)++;
    for (; *at < v8->names.count && v8->names.entries[order[*at]].name == number; (*at)++)
        is_wanted |= v8->names.entries[order[*at]].text == number + 1;
    return is_wanted;
}

/* Also of a snapshot that is cut off among its strings. */
static hsd_status write_held(hsd_v8 *v8, const uint32_t *order, hsd_error *err)
{
    uint32_t at = 0;
    hsd_v8_declared_resolve(&v8->declared, &v8->names);
    decide_fields(v8);
    for (uint32_t i = 0; i < v8->declared.held_count; i++) {
        const hsd_v8_held_text *held = &v8->declared.held[i];
        if (!is_wanted_by_any(v8, order, &at, held->number)) continue;
        HSD_TRY(hsd_v8_write_string(v8, held->number + 1, v8->declared.texts.data + held->offset, held->size, err));
    }
    return HSD_OK;
}

hsd_status hsd_v8_read_strings(hsd_v8 *v8, hsd_error *err)
{
    uint32_t *order = NULL;
    v8->json.where = "strings";
    hsd_status status = hsd_v8_names_order(&v8->names, &order, err);
    if (status == HSD_OK) {
        status = read_list(v8, order, err);
        const bool is_cut = status == HSD_E_TRUNCATED && v8->import->options->salvage;
        hsd_error own;
        hsd_error_init(&own);
        if (status == HSD_OK) status = write_held(v8, order, err);
        if (is_cut) write_held(v8, order, &own); /* what fails here fails again at the end */
    }
    free(order);
    return status;
}
