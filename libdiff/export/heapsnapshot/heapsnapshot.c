/*
 * Heap snapshots as V8 writes them, for Chrome's DevTools and whatever else opens these: the row of the registry, the
 * header, and the lists in the order in which every reader expects them:
 *
 *      {"snapshot":{"meta":{…},"node_count":N,"edge_count":E,…},
 *      "nodes":[…],"edges":[…],"trace_function_infos":[],"trace_tree":[],"samples":[],"locations":[],"strings":[…]}
 *
 * The header counts what follows and nothing is written twice, so nodes and edges are made first (walk.h) and wait.
 * Columns, types and layout are those of V8 13 and later: no white space in lists of numbers, strings one a line.
 *
 * One size stands for each node: that of the object and what it owns outside the heap, so that sums agree with those of
 * reports.
 */
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "export/heapsnapshot/walk.h"

static const char meta[] =
    "{\"snapshot\":{\"meta\":{\"node_fields\":[\"type\",\"name\",\"id\",\"self_size\",\"edge_count\",\"detachedness\"],"
    "\"node_types\":[[\"hidden\",\"array\",\"string\",\"object\",\"code\",\"closure\",\"regexp\",\"number\",\"native\","
    "\"synthetic\","
    "\"concatenated string\",\"sliced string\",\"symbol\",\"bigint\",\"object shape\",\"wasm object\"],"
    "\"string\",\"number\",\"number\",\"number\",\"number\"],"
    "\"edge_fields\":[\"type\",\"name_or_index\",\"to_node\"],"
    "\"edge_types\":[[\"context\",\"element\",\"property\",\"internal\",\"hidden\",\"shortcut\",\"weak\"],\"string_or_"
    "number\",\"node\"],"
    "\"trace_function_info_fields\":[\"function_id\",\"name\",\"script_name\",\"script_id\",\"line\",\"column\"],"
    "\"trace_node_fields\":[\"id\",\"function_info_index\",\"count\",\"size\",\"children\"],"
    "\"sample_fields\":[\"timestamp_us\",\"last_assigned_id\"],"
    "\"location_fields\":[\"object_index\",\"script_id\",\"line\",\"column\"]},";

static hsd_status write_text(hsd_export *x, const char *text, hsd_error *err)
{
    return hsd_export_write(x, text, strlen(text), err);
}

/* ---- the header ---- */

/* "native.used" of a snapshot of V8: what DevTools adds to the total. */
static hsd_status find_native(hsd_capture *capture, bool *is_there, uint64_t *bytes, hsd_error *err)
{
    static const char name[] = "native.used";
    hsd_record_reader *reader;
    hsd_record record;
    hsd_status status;
    HSD_TRY(hsd_record_reader_open(&reader, capture, HSD_RECORD_METRIC, err));
    while ((status = hsd_record_reader_next(reader, &record, err)) == HSD_OK) {
        if (record.metric.name.size != sizeof name - 1 || memcmp(record.metric.name.data, name, sizeof name - 1) != 0)
            continue;
        *is_there = true;
        *bytes = record.metric.value;
    }
    hsd_record_reader_close(reader);
    return status == HSD_END ? HSD_OK : status;
}

static hsd_status write_header(const hsd_snap_walk *walk, uint64_t nodes, uint64_t edges, hsd_error *err)
{
    char counts[256];
    bool has_native = false;
    uint64_t native = 0;
    if (walk->kinds.is_v8) HSD_TRY(find_native(walk->x->after, &has_native, &native, err));
    int size = snprintf(counts, sizeof counts, "\"node_count\":%llu,\"edge_count\":%llu,\"trace_function_count\":0",
                        (unsigned long long)nodes, (unsigned long long)edges);
    if (has_native)
        size += snprintf(counts + size, sizeof counts - (size_t)size, ",\"extra_native_bytes\":%llu",
                         (unsigned long long)native);
    HSD_TRY(write_text(walk->x, meta, err));
    HSD_TRY(hsd_export_write(walk->x, counts, (size_t)size, err));
    return write_text(walk->x, "},\n", err);
}

/* ---- the lists ---- */

static hsd_status write_nodes(hsd_snap_walk *walk, hsd_error *err)
{
    HSD_TRY(write_text(walk->x, "\"nodes\":[", err));
    HSD_TRY(hsd_snap_roots_write_nodes(&walk->roots, &walk->ids, hsd_snap_walk_last(walk), walk->x, err));
    HSD_TRY(hsd_snap_spool_copy(&walk->nodes, walk->x, err));
    HSD_TRY(hsd_snap_spool_copy(&walk->beside, walk->x, err));
    HSD_TRY(hsd_snap_walk_write_last_node(walk, err));
    return write_text(walk->x, "],\n", err);
}

static hsd_status write_edges(hsd_snap_walk *walk, hsd_error *err)
{
    HSD_TRY(write_text(walk->x, "\"edges\":[", err));
    HSD_TRY(hsd_snap_roots_write_edges(&walk->roots, hsd_snap_walk_last(walk), walk->x, err));
    HSD_TRY(hsd_snap_spool_copy(&walk->edges, walk->x, err));
    HSD_TRY(hsd_snap_walk_write_last_edges(walk, err));
    return write_text(walk->x, "],\n", err);
}

static hsd_status write_strings(hsd_snap_walk *walk, hsd_error *err)
{
    HSD_TRY(write_text(
        walk->x, "\"trace_function_infos\":[],\n\"trace_tree\":[],\n\"samples\":[],\n\"locations\":[],\n\"strings\":[",
        err));
    HSD_TRY(hsd_snap_names_write(&walk->names, walk->x, err));
    return write_text(walk->x, "]}\n", err);
}

/* ---- what the user must know ---- */

static void tell_heapsnapshot(const hsd_snap_walk *walk)
{
    hsd_reporter *reporter = walk->x->reporter;
    if (walk->giants > 0)
        hsd_note(reporter, HSD_NOTE_WARNING,
                 "DevTools counts sizes modulo 4 GiB: %llu object%s of more look%s smaller there than they are",
                 (unsigned long long)walk->giants, walk->giants == 1 ? "" : "s", walk->giants == 1 ? "s" : "");
    if (walk->names.left_out > 0)
        hsd_note(reporter, HSD_NOTE_WARNING,
                 "DevTools opens no snapshot with more than 512 MiB of strings: %llu %s empty. Without --with-values "
                 "all of it fits",
                 (unsigned long long)walk->names.left_out,
                 walk->names.left_out == 1 ? "value is left" : "values are left");
    if (walk->names.bytes > HSD_SNAP_MOST_BYTES)
        hsd_note(
            reporter, HSD_NOTE_WARNING,
            "the names in this capture take %llu MiB, and DevTools opens no snapshot with more than 512 MiB of strings",
            (unsigned long long)(walk->names.bytes >> 20));
    if (walk->dropped > 0)
        hsd_note(reporter, HSD_NOTE_DETAIL, "%llu reference%s to roots %s not written: roots are made anew",
                 (unsigned long long)walk->dropped, walk->dropped == 1 ? "" : "s", walk->dropped == 1 ? "is" : "are");
    if (hsd_joined_dangling(walk->joined) > 0)
        hsd_note(reporter, HSD_NOTE_DETAIL, "%llu reference%s to objects that are not in the capture %s not written",
                 (unsigned long long)hsd_joined_dangling(walk->joined),
                 hsd_joined_dangling(walk->joined) == 1 ? "" : "s",
                 hsd_joined_dangling(walk->joined) == 1 ? "is" : "are");
}

static void count_heapsnapshot(const hsd_snap_walk *walk, uint64_t edges)
{
    hsd_export_result *result = walk->x->result;
    result->objects = walk->objects;
    result->references = edges;
    result->bytes = walk->bytes;
}

/* ---- the row ---- */

static hsd_status write_whole_heapsnapshot(hsd_snap_walk *walk, hsd_error *err)
{
    HSD_TRY(hsd_snap_walk_run(walk, err));
    const uint64_t last = hsd_snap_walk_last(walk);
    const uint64_t nodes = walk->first + walk->ids.count + walk->beside_count + (last != 0);
    const uint64_t edges = hsd_snap_roots_edges(&walk->roots, last) + walk->edge_count + walk->unreferenced;
    HSD_TRY(write_header(walk, nodes, edges, err));
    HSD_TRY(write_nodes(walk, err));
    HSD_TRY(write_edges(walk, err));
    HSD_TRY(write_strings(walk, err));
    tell_heapsnapshot(walk);
    count_heapsnapshot(walk, edges);
    return HSD_OK;
}

static hsd_status run_heapsnapshot(hsd_export *x, hsd_error *err)
{
    hsd_snap_walk walk;
    hsd_status status = hsd_snap_walk_open(&walk, x, err);
    if (status == HSD_OK) status = write_whole_heapsnapshot(&walk, err);
    hsd_snap_walk_release(&walk);
    return status;
}

const hsd_exporter hsd_export_heapsnapshot = {
    .info =
        {
            .name = "heapsnapshot",
            .summary = "heap snapshot of Chrome's DevTools",
            .suffix = ".heapsnapshot",
            .opened_by = "Chrome DevTools, memlab",
            .carries = {.always = HSD_CARRIES_OBJECTS | HSD_CARRIES_TYPES | HSD_CARRIES_EDGES | HSD_CARRIES_EDGE_NAMES |
                                  HSD_CARRIES_ROOTS | HSD_CARRIES_IDENTITY,
                        .sometimes = HSD_CARRIES_VALUES},
            .lacks = "allocation sites, native sizes apart, soft references as such, threads and frames",
        },
    .needs_objects = true,
    .run = run_heapsnapshot,
};
