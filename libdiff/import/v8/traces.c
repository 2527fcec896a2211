/*
 * Stacks of allocations. See traces.h.
 */
#include "import/v8/traces.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/check.h"
#include "import/v8/import.h"

enum { ROOT = 1, INFO_COLUMNS = 6, INFO_NAME = 1, INFO_SCRIPT = 2, INFO_LINE = 4, INFO_COLUMN = 5 };
enum { TREE_ID = 0, TREE_FUNCTION = 1, TREE_CHILDREN = 4, CHECK_EVERY = 4096 };

void hsd_v8_traces_init(hsd_v8_traces *t, hsd_temp_space *space, uint64_t memory_bytes)
{
    const uint64_t each = sizeof *t->sites + sizeof *t->functions;
    t->limit = (uint32_t)hsd_min_u64(memory_bytes / 2 / each, HSD_V8_MOST_TRACES);
    hsd_v8_spool_init(&t->nodes, space, memory_bytes / 2);
}

/* ---- beside the nodes ---- */

hsd_status hsd_v8_traces_put(hsd_v8_traces *t, uint64_t trace, hsd_error *err)
{
    const uint32_t number = (uint32_t)hsd_min_u64(trace, UINT32_MAX);
    HSD_TRY(hsd_v8_spool_room(&t->nodes, sizeof number, err));
    memcpy(t->nodes.at, &number, sizeof number);
    t->nodes.at += sizeof number;
    return HSD_OK;
}

hsd_status hsd_v8_traces_next(hsd_v8_traces *t, uint32_t *trace, hsd_error *err)
{
    HSD_TRY(hsd_v8_spool_next(&t->nodes, err));
    memcpy(trace, t->nodes.at, sizeof *trace);
    t->nodes.at += sizeof *trace;
    return HSD_OK;
}

static hsd_status make_room_for_trace(hsd_v8_traces *t, uint32_t number, hsd_error *err)
{
    if (number < t->site_count) return HSD_OK;
    HSD_TRY(HSD_ARRAY_GROW_ZEROED(t->sites, t->site_room, number + 1, 1024, "allocation stacks", err));
    t->site_count = number + 1;
    return HSD_OK;
}

hsd_status hsd_v8_traces_site(hsd_v8_traces *t, uint32_t trace, uint32_t *site, hsd_error *err)
{
    *site = 0;
    if (trace <= ROOT) return HSD_OK;
    if (trace >= t->limit) {
        t->refused++;
        return HSD_OK;
    }
    HSD_TRY(make_room_for_trace(t, trace, err));
    t->sites[trace].is_used = true;
    *site = trace;
    return HSD_OK;
}

/* ---- functions ---- */

static hsd_status put_trace_text(hsd_v8 *v8, uint64_t string, uint32_t *entry, hsd_error *err)
{
    *entry = HSD_V8_NO_ENTRY;
    if (string >= HSD_V8_MOST_STRINGS) return HSD_OK;
    return hsd_v8_names_intern(&v8->names, HSD_V8_WAIT_TRACE, 0, 0, (uint32_t)string, entry, err);
}

static hsd_status put_trace_function(hsd_v8 *v8, const uint64_t info[INFO_COLUMNS], hsd_error *err)
{
    hsd_v8_traces *t = &v8->traces;
    if (t->function_count == t->limit) return HSD_OK;
    HSD_TRY(HSD_ARRAY_GROW(t->functions, t->function_room, t->function_count + 1, 256, "allocating functions", err));
    hsd_v8_trace_function *row = &t->functions[t->function_count++];
    *row = (hsd_v8_trace_function){.line = (uint32_t)hsd_min_u64(info[INFO_LINE], INT32_MAX),
                                   .column = (uint32_t)hsd_min_u64(info[INFO_COLUMN], INT32_MAX),
                                   .file = HSD_V8_NO_FILE,
                                   .source = HSD_V8_NO_FILE};
    if (info[INFO_SCRIPT] < HSD_V8_MOST_STRINGS)
        HSD_TRY(hsd_v8_files_put(&v8->files, &v8->names, (uint32_t)info[INFO_SCRIPT], &row->file, err));
    HSD_TRY(put_trace_text(v8, info[INFO_NAME], &row->name, err));
    return put_trace_text(v8, info[INFO_SCRIPT], &row->script, err);
}

/* A number; 0 for what is below. */
static hsd_status read_trace_number(hsd_import_json *json, uint64_t *out, hsd_error *err)
{
    uint8_t byte;
    *out = 0;
    HSD_TRY(hsd_import_json_look(json, &byte, err));
    return byte == '-' ? hsd_import_json_skip(json, err) : hsd_import_json_number(json, out, err);
}

static hsd_status fail_trace(const hsd_v8 *v8, const char *what, hsd_error *err)
{
    return hsd_fail_at(err, HSD_E_CORRUPT, hsd_source_offset(v8->source), "not a valid heap snapshot: %s", what);
}

hsd_status hsd_v8_read_trace_functions(hsd_v8 *v8, hsd_error *err)
{
    hsd_import_json *json = &v8->json;
    uint64_t info[INFO_COLUMNS];
    unsigned column = 0;
    bool is_first = true;
    hsd_status status;
    if (!v8->traces.is_used) return hsd_import_json_skip(json, err);
    json->where = "functions that allocate";
    while ((status = hsd_import_json_next_item(json, &is_first, err)) == HSD_OK) {
        HSD_TRY(read_trace_number(json, &info[column++], err));
        if (column < INFO_COLUMNS) continue;
        HSD_TRY(put_trace_function(v8, info, err));
        column = 0;
    }
    if (status < 0) return status;
    return column == 0 ? HSD_OK : fail_trace(v8, "the list of functions that allocate ends inside one", err);
}

/* ---- the tree ---- */

static hsd_status put_trace_site(hsd_v8 *v8, uint64_t number, uint32_t parent, uint64_t function, hsd_error *err)
{
    hsd_v8_traces *t = &v8->traces;
    if (number == 0 || number >= t->limit) return HSD_OK;
    HSD_TRY(make_room_for_trace(t, (uint32_t)number, err));
    hsd_v8_trace_site *site = &t->sites[number];
    if (site->function != 0) return fail_trace(v8, "an allocation stack stands there twice", err);
    site->parent = parent;
    site->function = (uint32_t)hsd_min_u64(function, UINT32_MAX - 1) + 1;
    return HSD_OK;
}

typedef struct trace_walk {
    uint32_t parents[HSD_V8_TRACE_DEPTH]; /* by depth: whose children are read */
    size_t depth;
    unsigned column; /* of the node that is read */
    uint64_t node[TREE_CHILDREN];
    uint64_t count;
} trace_walk;

/* Children follow four numbers, as a list of their own. */
static hsd_status begin_trace_list(hsd_v8 *v8, trace_walk *walk, hsd_error *err)
{
    uint32_t parent = 0;
    if (walk->depth == HSD_V8_TRACE_DEPTH)
        return hsd_fail_at(err, HSD_E_UNSUPPORTED, hsd_source_offset(v8->source),
                           "a heap snapshot whose allocation stacks are deeper than %d calls", HSD_V8_TRACE_DEPTH);
    HSD_TRY(hsd_import_json_expect(&v8->json, '[', err));
    if (walk->depth > 0) {
        const uint32_t above = walk->parents[walk->depth - 1];
        HSD_TRY(put_trace_site(v8, walk->node[TREE_ID], above, walk->node[TREE_FUNCTION], err));
        parent = (uint32_t)hsd_min_u64(walk->node[TREE_ID], UINT32_MAX);
        if (parent <= ROOT || parent >= v8->traces.limit) parent = 0;
    }
    walk->parents[walk->depth++] = parent;
    walk->column = 0;
    return ++walk->count % CHECK_EVERY == 0 ? hsd_v8_progress(v8, err) : HSD_OK;
}

/* "]": the node whose children they were is whole, and so is whoever ends with it. */
static hsd_status end_trace_list(hsd_v8 *v8, trace_walk *walk, hsd_error *err)
{
    if (walk->column != 0) return fail_trace(v8, "the tree of allocation stacks ends inside one", err);
    walk->depth--;
    return hsd_import_json_expect(&v8->json, ']', err);
}

static hsd_status read_trace_list(hsd_v8 *v8, trace_walk *walk, hsd_error *err)
{
    hsd_import_json *json = &v8->json;
    bool is_behind_item = false;
    do {
        uint8_t byte;
        HSD_TRY(hsd_import_json_look(json, &byte, err));
        if (byte == ']') {
            HSD_TRY(end_trace_list(v8, walk, err));
            is_behind_item = true;
            continue;
        }
        if (is_behind_item) HSD_TRY(hsd_import_json_expect(json, ',', err));
        if (walk->column == TREE_CHILDREN) {
            HSD_TRY(begin_trace_list(v8, walk, err));
            is_behind_item = false;
            continue;
        }
        HSD_TRY(read_trace_number(json, &walk->node[walk->column++], err));
        is_behind_item = true;
    } while (walk->depth > 0);
    return HSD_OK;
}

hsd_status hsd_v8_read_trace_tree(hsd_v8 *v8, hsd_error *err)
{
    trace_walk walk = {.depth = 0};
    if (!v8->traces.is_used) return hsd_import_json_skip(&v8->json, err);
    v8->json.where = "tree of allocation stacks";
    HSD_TRY(begin_trace_list(v8, &walk, err));
    return read_trace_list(v8, &walk, err);
}

/* ---- the capture ---- */

/* The text of a function's name or of its script; `none` where it is empty, or never came. */
static uint32_t trace_text(const hsd_v8 *v8, uint32_t entry, uint32_t none)
{
    const uint32_t text = entry == HSD_V8_NO_ENTRY ? 0 : v8->names.entries[entry].text;
    return text == 0 ? none : text;
}

/* What a map says of it. */
static hsd_status name_sources(hsd_v8 *v8, hsd_v8_trace_function *function, hsd_error *err)
{
    if (function->source == HSD_V8_NO_FILE || function->source_string != 0) return HSD_OK;
    HSD_TRY(hsd_v8_originals_string(v8, function->original, &function->original_string, err));
    return hsd_v8_originals_string(v8, v8->files.files[function->source].path, &function->source_string, err);
}

static hsd_status write_trace(hsd_v8 *v8, uint32_t number, hsd_error *err)
{
    const hsd_v8_traces *t = &v8->traces;
    const hsd_v8_trace_site *site = &t->sites[number];
    hsd_v8_trace_function function = {.name = HSD_V8_NO_ENTRY, .script = HSD_V8_NO_ENTRY};
    const bool is_known = site->function > 0 && site->function <= t->function_count;
    if (is_known) {
        HSD_TRY(name_sources(v8, &t->functions[site->function - 1], err));
        function = t->functions[site->function - 1];
    }
    const uint32_t name = function.original_string, script = function.source_string;
    HSD_WRITE(v8->import,
              hsc_define_site(v8->import->writer, number, site->parent,
                              name != 0 ? name : trace_text(v8, function.name, is_known ? HSD_V8_STRING_ANONYMOUS : 0),
                              script != 0 ? script : trace_text(v8, function.script, 0), function.line,
                              function.column),
              err);
    return HSD_OK;
}

/* Callers come before what they call in the tree, yet their numbers may be greater: a walk up from each. Loops there
 * are none, since a node's parent is one that is open. */
static void use_callers(hsd_v8_traces *t)
{
    for (uint32_t i = ROOT + 1; i < t->site_count; i++)
        for (uint32_t at = t->sites[i].is_used ? t->sites[i].parent : 0; at != 0 && !t->sites[at].is_used;
             at = t->sites[at].parent)
            t->sites[at].is_used = true;
}

hsd_status hsd_v8_write_traces(hsd_v8 *v8, hsd_error *err)
{
    hsd_v8_traces *t = &v8->traces;
    use_callers(t);
    for (uint32_t i = ROOT + 1; i < t->site_count; i++)
        if (t->sites[i].is_used) HSD_TRY(write_trace(v8, i, err));
    if (t->refused > 0)
        HSD_WRITE(v8->import, hsc_loss(v8->import->writer, "objects whose allocation stack was left out", t->refused),
                  err);
    return HSD_OK;
}

void hsd_v8_traces_release(hsd_v8_traces *t)
{
    hsd_v8_spool_release(&t->nodes);
    free(t->sites);
    free(t->functions);
}
