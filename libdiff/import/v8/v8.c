/*
 * V8 heap snapshots (.heapsnapshot, .heaptimeline) of Node.js, Chrome, Edge, Electron, Deno: the row
 * of the registry, and the walk over the parts of a snapshot in the order in which V8 writes them:
 *
 *      {"snapshot":{…},"nodes":[…],"edges":[…], … ,"strings":[…]}
 *
 * One pass, from a file or a pipe, in bounded memory: see import.h for the stages. What else there
 * is (samples, and what later versions may add) is skipped.
 *
 * Sizes are those that V8 wrote. DevTools moves the sizes of hidden nodes and arrays to their only
 * owner; types marked as parts let the engine do the same.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "import/v8/heaps.h"
#include "import/v8/pump.h"

enum { FIRST_NODES_BYTES = 200 }; /* in which three nodes stand, if their numbers are small */
enum { BUN_TYPES = 15 };          /* up to "object shape": without "wasm object" */

uint64_t hsd_v8_offset(const hsd_v8 *v8)
{
    return v8->numbers != NULL ? hsd_v8_numbers_offset(v8->numbers) : hsd_source_offset(v8->source);
}

hsd_status hsd_v8_progress(hsd_v8 *v8, hsd_error *err)
{
    return hsd_progress(v8->import->reporter, "importing", hsd_v8_offset(v8), v8->source->total_bytes, err);
}

/* ---- parts ---- */

/* Which column of which node a place in the list is: -1 = the list is not so far. What stands ahead is looked at. */
static int64_t peek_node(const hsd_v8 *v8, size_t place)
{
    const hsd_source *source = v8->source;
    const uint8_t *at = source->at, *end = source->end;
    int64_t number = -1;
    for (size_t i = 0; at < end && i <= place; i++) {
        while (at < end && (*at == '[' || *at == ',' || *at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
            at++;
        if (at == end || *at < '0' || *at > '9') return -1;
        for (number = 0; at < end && *at >= '0' && *at <= '9' && number < INT32_MAX; at++)
            number = number * 10 + (*at - '0');
    }
    return at < end ? number : -1;
}

/* V8 numbers its objects 1, 3, 5 …; the second node is "(GC roots)", which is 3. JavaScriptCore, whose snapshots Bun
 * writes in V8's form, numbers 1, 2, 3 … and gives an object another number each time. */
static bool is_of_bun(const hsd_v8 *v8)
{
    const size_t width = v8->layout.node_width, id = v8->layout.id;
    if (v8->layout.node_type_count != BUN_TYPES || v8->layout.detachedness == HSD_V8_NO_COLUMN) return false;
    return peek_node(v8, id) == 1 && peek_node(v8, width + id) == 2 && peek_node(v8, 2 * width + id) >= 3;
}

static hsd_status begin_v8(hsd_v8 *v8, hsd_error *err)
{
    const bool is_bun = v8->is_bun = is_of_bun(v8);
    hsc_options options;
    hsc_options_init(&options);
    options.runtime = is_bun ? "Bun" : "V8";
    options.identity = is_bun ? HSC_IDENTITY_MOVING : HSC_IDENTITY_EXACT;
    options.facts = HSC_FACT_COLLECTED;
    options.taken_unix_ns = UINT64_MAX;
    options.targets_are_ordinals = true;
    if (v8->import->options->with_values) options.facts |= HSC_FACT_VALUES;
    return hsd_import_begin(v8->import, &options, err);
}

static hsd_status fail_order(const hsd_v8 *v8, const char *what, hsd_error *err)
{
    return hsd_fail_at(err, HSD_E_CORRUPT, hsd_source_offset(v8->source), "not a valid heap snapshot: %s", what);
}

static hsd_status read_header(hsd_v8 *v8, hsd_error *err)
{
    if (v8->has_header) return fail_order(v8, "it has two headers", err);
    v8->json.where = "header";
    HSD_TRY(hsd_v8_layout_read(&v8->layout, &v8->json, err));
    v8->has_header = true;
    v8->traces.is_used = v8->heap.index == 0 && v8->layout.trace_count > 0 && v8->layout.trace != HSD_V8_NO_COLUMN &&
                         v8->layout.has_known_traces && !v8->import->options->summary_only;
    return HSD_OK;
}

static hsd_status read_nodes(hsd_v8 *v8, hsd_error *err)
{
    uint8_t byte;
    if (!v8->has_header) return fail_order(v8, "its nodes stand before its header", err);
    if (v8->has_nodes) return fail_order(v8, "it has two lists of nodes", err);
    v8->json.where = "list of nodes";
    HSD_TRY(hsd_import_json_look(&v8->json, &byte, err));
    const hsd_status status = hsd_source_peek(v8->source, FIRST_NODES_BYTES, err);
    if (status < 0) return status;
    if (v8->heap.index == 0) HSD_TRY(begin_v8(v8, err));
    v8->has_nodes = true;
    return hsd_v8_read_nodes(v8, err);
}

static hsd_status read_edges(hsd_v8 *v8, hsd_error *err)
{
    uint8_t byte;
    hsd_v8_numbers numbers;
    if (!v8->has_nodes) return fail_order(v8, "its edges stand before its nodes", err);
    if (v8->has_edges) return fail_order(v8, "it has two lists of edges", err);
    v8->json.where = "list of edges";
    HSD_TRY(hsd_import_json_look(&v8->json, &byte, err));
    HSD_TRY(hsd_v8_numbers_begin(&numbers, v8->source, "edges", err));
    v8->has_edges = true;
    if (v8->import->options->summary_only) return hsd_v8_numbers_skip(&numbers, err);
    if (v8->import->has_threads) hsd_v8_pump_start(&numbers, HSD_V8_BATCH_NUMBERS);
    v8->numbers = &numbers;
    const hsd_status status = hsd_v8_write_objects(v8, &numbers, err);
    v8->numbers = NULL;
    hsd_v8_pump_stop(&numbers);
    return status;
}

/* All nodes and edges were seen: which strings are wanted by what waits for more than a number. */
static hsd_status resolve(hsd_v8 *v8, hsd_error *err)
{
    HSD_TRY(hsd_v8_frames_resolve(&v8->roots.frames, &v8->marks, &v8->names, err));
    HSD_TRY(hsd_v8_functions_resolve(&v8->functions, &v8->names, &v8->files, err));
    HSD_TRY(hsd_v8_scopes_resolve(&v8->scopes, &v8->functions, err));
    HSD_TRY(hsd_v8_blocks_resolve(&v8->blocks, &v8->names, &v8->wishes, err));
    HSD_TRY(hsd_v8_originals_wish(&v8->originals, &v8->names, &v8->wishes, err));
    HSD_TRY(hsd_v8_wishes_grant(&v8->wishes, &v8->names, &v8->declared, &v8->nodes, err));
    hsd_v8_originals_await(&v8->originals, &v8->names);
    return hsd_v8_modules_resolve(&v8->modules, &v8->names, &v8->functions, &v8->files, err);
}

static hsd_status read_strings(hsd_v8 *v8, hsd_error *err)
{
    if (!v8->has_edges) return fail_order(v8, "its strings stand before its edges", err);
    if (v8->has_strings) return fail_order(v8, "it has two lists of strings", err);
    v8->has_strings = true;
    if (!v8->import->options->summary_only) {
        HSD_TRY(resolve(v8, err));
    }
    return hsd_v8_read_strings(v8, err);
}

/* Of the thread whose heap this is, behind those of all before it. */
static hsd_status read_thread(hsd_v8 *v8, hsd_error *err)
{
    uint64_t thread;
    HSD_TRY(hsd_import_json_number(&v8->json, &thread, err));
    if (v8->has_header || v8->has_thread || thread < v8->heap.thread || thread >> (64 - HSD_V8_THREAD_SHIFT) != 0)
        return fail_order(v8, "the number of its thread is out of order", err);
    v8->heap.thread = thread;
    v8->has_thread = true;
    return HSD_OK;
}

static hsd_status read_part(hsd_v8 *v8, hsd_error *err)
{
    if (v8->heap.index > 0 && hsd_import_json_is(&v8->json, "thread")) return read_thread(v8, err);
    if (hsd_import_json_is(&v8->json, "snapshot")) return read_header(v8, err);
    if (hsd_import_json_is(&v8->json, "nodes")) return read_nodes(v8, err);
    if (hsd_import_json_is(&v8->json, "edges")) return read_edges(v8, err);
    if (hsd_import_json_is(&v8->json, "trace_function_infos") && v8->has_edges && !v8->has_strings)
        return hsd_v8_read_trace_functions(v8, err);
    if (hsd_import_json_is(&v8->json, "trace_tree") && v8->has_edges) return hsd_v8_read_trace_tree(v8, err);
    if (hsd_import_json_is(&v8->json, "locations") && v8->has_edges) return hsd_v8_read_locations(v8, err);
    if (hsd_import_json_is(&v8->json, "strings")) return read_strings(v8, err);
    v8->json.where = "other lists";
    return hsd_import_json_skip(&v8->json, err);
}

static hsd_status read_parts(hsd_v8 *v8, hsd_error *err)
{
    bool is_first = true;
    hsd_status status;
    v8->json.where = "outermost part";
    while ((status = hsd_import_json_next_key(&v8->json, &is_first, err)) == HSD_OK) {
        HSD_TRY(read_part(v8, err));
        v8->json.where = "outermost part";
    }
    if (status != HSD_END) return status;
    if (v8->has_thread && !v8->has_header) return HSD_OK; /* it did not answer */
    if (!v8->has_strings) return fail_order(v8, "it has no nodes, no edges or no strings", err);
    return HSD_OK;
}

/* ---- the end ---- */

static hsd_status mark_cut(hsd_v8 *v8, hsd_error *err)
{
    char reason[128];
    hsd_import *import = v8->import;
    snprintf(reason, sizeof reason, "%.90s (byte %llu)", v8->cut.text, (unsigned long long)v8->cut.offset_bytes);
    HSD_WRITE(import, hsc_mark_incomplete(import->writer, reason), err);
    import->result->is_complete = false;
    hsd_note(import->reporter, HSD_NOTE_DAMAGE, "%s: %s", v8->source->name, reason);
    return HSD_OK;
}

/* With salvage, a snapshot that ends early becomes a capture that says so. */
static hsd_status accept_cut(hsd_v8 *v8, hsd_error *err)
{
    if (!v8->has_edges && !v8->import->options->summary_only) HSD_TRY(hsd_v8_write_objects(v8, NULL, err));
    return mark_cut(v8, err);
}

/* HSD_END: nothing is to be looked for behind it. */
static hsd_status import_snapshot(hsd_v8 *v8, hsd_error *err)
{
    const hsd_import *import = v8->import;
    hsd_error_init(&v8->cut);
    hsd_status status = read_parts(v8, &v8->cut);
    const bool is_usable = v8->has_nodes && v8->marks.count > 0;
    if (status == HSD_E_TRUNCATED && import->options->salvage && (is_usable || v8->heap.index > 0)) {
        status = is_usable ? accept_cut(v8, err) : mark_cut(v8, err);
        if (!is_usable && status == HSD_OK) return HSD_END;
    } else if (status != HSD_OK) {
        if (err != NULL) *err = v8->cut;
        if (status == HSD_E_TRUNCATED && v8->cut.hint[0] == '\0') hsd_import_hint_partial(err);
    }
    if (status == HSD_OK && v8->has_header) status = hsd_v8_write_tables(v8, err);
    if (status == HSD_OK && !v8->has_header)
        hsd_note(import->reporter, HSD_NOTE_WARNING,
                 "worker thread %llu of %s did not answer: its heap is not in the capture",
                 (unsigned long long)v8->heap.thread, v8->source->name);
    return status == HSD_OK && !import->result->is_complete ? HSD_END : status;
}

static hsd_status open_stages(hsd_v8 *v8, hsd_error *err)
{
    const uint64_t memory = v8->import->memory_bytes; /* an eighth goes to late.h, if it is used */
    hsd_v8_marks_init(&v8->marks, memory / 2);
    hsd_v8_declared_init(&v8->declared, memory);
    hsd_v8_spool_init(&v8->nodes, v8->import->space, memory / 4);
    hsd_v8_traces_init(&v8->traces, v8->import->space, memory / 16);
    HSD_TRY(hsd_v8_names_init(&v8->names, HSD_V8_FIRST_TYPE, HSD_V8_FIRST_LABEL, err));
    return hsd_v8_roots_init(&v8->roots, v8->import->space, memory / 32, err);
}

static void release_v8(hsd_v8 *v8)
{
    free(v8->totals);
    hsd_v8_scopes_release(&v8->scopes);
    hsd_v8_modules_release(&v8->modules);
    hsd_v8_functions_release(&v8->functions);
    hsd_v8_files_release(&v8->files);
    hsd_v8_blocks_release(&v8->blocks);
    hsd_v8_wishes_release(&v8->wishes);
    hsd_v8_declared_release(&v8->declared);
    hsd_v8_late_release(&v8->late);
    hsd_v8_traces_release(&v8->traces);
    hsd_v8_originals_release(&v8->originals);
    hsd_v8_roots_release(&v8->roots);
    hsd_v8_spool_release(&v8->nodes);
    hsd_v8_marks_release(&v8->marks);
    hsd_v8_names_release(&v8->names);
    hsd_import_json_release(&v8->json);
    free(v8);
}

/* The next of several: `heap` says where its numbers begin, and then where those of the one behind it would. */
static hsd_status import_heap(hsd_import *import, hsd_v8_heap *heap, hsd_error *err)
{
    hsd_v8 *v8 = calloc(1, sizeof *v8);
    if (v8 == NULL) return hsd_fail_nomem(err, "an import");
    v8->import = import;
    v8->source = import->source;
    v8->json.source = import->source;
    v8->heap = *heap;
    hsd_status status = open_stages(v8, err);
    if (status == HSD_OK) status = import_snapshot(v8, err);
    *heap = hsd_v8_heap_behind(v8);
    release_v8(v8);
    return status;
}

/* What is no snapshot behind one is none of it. */
static bool is_followed(hsd_source *source)
{
    hsd_import_json json = {.source = source, .where = "end"};
    uint8_t byte = 0;
    const bool is_there = hsd_import_json_look(&json, &byte, NULL) == HSD_OK && byte == '{';
    hsd_import_json_release(&json);
    return is_there;
}

static hsd_status run_v8(hsd_import *import, hsd_error *err)
{
    hsd_v8_heap heap = {0};
    hsd_status status;
    do
        status = import_heap(import, &heap, err);
    while (status == HSD_OK && heap.index < HSD_V8_MOST_HEAPS && is_followed(import->source));
    if (status >= 0 && heap.workers > heap.index - 1)
        hsd_note(import->reporter, HSD_NOTE_WARNING,
                 "%s has threads with heaps of their own (workers, loaders of modules), which are in no capture",
                 import->source->name);
    return status == HSD_OK || status == HSD_END ? hsd_import_end(import, err) : status;
}

/* ---- the row ---- */

static bool holds(const uint8_t *prefix, size_t size, const char *word)
{
    const size_t length = strlen(word);
    for (size_t i = 0; i + length <= size; i++)
        if (prefix[i] == (uint8_t)word[0] && memcmp(prefix + i, word, length) == 0) return true;
    return false;
}

/* How many bits of {"snapshot":{ stand at the beginning, with any white space between. 0 = it is something else. */
static unsigned match_beginning(const uint8_t *at, const uint8_t *end)
{
    static const char *const words[] = {"{", "\"snapshot\"", ":", "{"};
    unsigned bits = 0;
    for (size_t i = 0; i < HSD_ARRAY_LEN(words); i++) {
        while (at < end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
            at++;
        const size_t here = (size_t)hsd_min_u64(strlen(words[i]), (uint64_t)(end - at));
        if (memcmp(at, words[i], here) != 0) return 0;
        bits += (unsigned)here * 8;
        at += here;
    }
    return bits < 32 ? 0 : bits; /* a lone brace is any JSON */
}

static bool begins_with_brace(const uint8_t *prefix, size_t size)
{
    size_t i = 0;
    while (i < size && (prefix[i] == ' ' || prefix[i] == '\n' || prefix[i] == '\r' || prefix[i] == '\t'))
        i++;
    return i < size && prefix[i] == '{';
}

static unsigned probe_v8(const uint8_t *prefix, size_t size)
{
    const unsigned bits = match_beginning(prefix, prefix + size);
    if (bits == 0 && !begins_with_brace(prefix, size)) return 0; /* as an archive that holds one */
    if (holds(prefix, size, "\"node_fields\"") && holds(prefix, size, "\"snapshot\""))
        return bits + 13 * 8; /* something else may stand before */
    return bits;
}

const hsd_importer hsd_import_v8 = {
    .info =
        {
            .name = "v8",
            .summary = "V8 heap snapshot (Node.js, Chrome, Edge, Electron, Deno)",
            .suffixes = ".heapsnapshot .heaptimeline .heapsnapshot.gz",
            .carries = {.always = HSD_CARRIES_OBJECTS | HSD_CARRIES_TYPES | HSD_CARRIES_EDGES | HSD_CARRIES_EDGE_NAMES |
                                  HSD_CARRIES_ROOTS | HSD_CARRIES_IDENTITY,
                        .sometimes = HSD_CARRIES_SITES | HSD_CARRIES_VALUES},
        },
    .probe = probe_v8,
    .run = run_v8,
};
