/*
 * Where the tables of a MemoryGraph are: its types are read, everything else is passed over.
 *
 *      i64 sum of sizes, i32 root, i32 types × {name, size, module}
 *      count of nodes, × i32 offset │ i32 size of the blob, blob │ [names that come late] │ count of addresses, × i64
 *
 * The two counts have 4 bytes, or 8 in graphs that are "very large", and nothing says which: the one with which
 * everything behind fits.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "import/gcdump/gcdump.h"
#include "import/id_table.h"

#define NODES_MAX ((uint64_t)1 << 31)

/* ---- types ---- */

static hsd_status read_types(gcdump_serial *in, gcdump_types *types, hsd_error *err)
{
    uint32_t count;
    int32_t size;
    HSD_TRY(hsd_gcdump_count(in, &count, err));
    for (uint32_t i = 0; i < count; i++) {
        hsd_buffer *name = &types->scratch;
        HSD_TRY(hsd_gcdump_text(in, GCDUMP_NAME_BYTES, name, err));
        HSD_TRY(hsd_gcdump_i32(in, &size, err));
        HSD_TRY(hsd_gcdump_types_add(types, (hsd_bytes){name->data, name->size}, size, err));
        HSD_TRY(hsd_gcdump_pass_text(in, err)); /* its module: a path, or an address */
    }
    return HSD_OK;
}

/* ---- names that come late: a module and a number in it ---- */

typedef struct module_names {
    hsd_id_table numbers; /* offset of the object -> number */
    hsd_names names;
    uint32_t *rows; /* number -> name */
    uint32_t capacity;
} module_names;

static hsd_bytes base_name(hsd_bytes path)
{
    size_t first = path.size;
    while (first > 0 && path.data[first - 1] != '/' && path.data[first - 1] != '\\')
        first--;
    return (hsd_bytes){path.data + first, path.size - first};
}

/* path, base, size, time, file of symbols, its id, its age */
static hsd_status read_module(gcdump_serial *in, module_names *modules, hsd_buffer *scratch, hsd_error *err)
{
    uint32_t number, name;
    const uint64_t offset = in->object_offset;
    HSD_TRY(hsd_gcdump_text(in, GCDUMP_NAME_BYTES, scratch, err));
    HSD_TRY(hsd_names_put(&modules->names, base_name((hsd_bytes){scratch->data, scratch->size}), &name, err));
    HSD_TRY(hsd_source_skip(in->source, 24, err));
    HSD_TRY(hsd_gcdump_pass_text(in, err));
    HSD_TRY(hsd_source_skip(in->source, 20, err));
    HSD_TRY(hsd_gcdump_close(in, err));
    HSD_TRY(hsd_id_table_put(&modules->numbers, offset, &number, err));
    HSD_TRY(hsd_import_grow((void **)&modules->rows, &modules->capacity, number, sizeof *modules->rows, err));
    modules->rows[number] = name;
    return HSD_OK;
}

/* Number in the module, module, what stands behind the name. Types that had a name of their own have no module here. */
static hsd_status read_late_name(gcdump_serial *in, gcdump_types *types, uint32_t type, module_names *modules,
                                 hsd_error *err)
{
    const gcdump_kind *kind;
    uint64_t id;
    char front[32];
    hsd_buffer *scratch = &types->scratch;
    HSD_TRY(hsd_gcdump_number(in, 4, &id, err));
    HSD_TRY(hsd_gcdump_open(in, &kind, err));
    const uint64_t offset = in->object_offset;
    if (kind != NULL) HSD_TRY(read_module(in, modules, scratch, err));
    const uint32_t number = offset == 0 ? 0 : hsd_id_table_find(&modules->numbers, offset);
    HSD_TRY(hsd_gcdump_text(in, GCDUMP_NAME_BYTES, scratch, err));
    if (number == 0 || type >= types->count) return HSD_OK;
    hsd_buffer whole = {0};
    const hsd_bytes module = hsd_names_get(&modules->names, modules->rows[number]);
    snprintf(front, sizeof front, "!type 0x%x", (unsigned)id);
    hsd_status status = hsd_buffer_append(&whole, module.data, module.size, err);
    if (status == HSD_OK) status = hsd_buffer_append(&whole, front, strlen(front), err);
    if (status == HSD_OK) status = hsd_buffer_append(&whole, scratch->data, scratch->size, err);
    if (status == HSD_OK) status = hsd_gcdump_types_rename(types, type, (hsd_bytes){whole.data, whole.size}, err);
    hsd_buffer_release(&whole);
    return status;
}

static hsd_status read_late_names(gcdump_serial *in, gcdump_types *types, hsd_error *err)
{
    module_names modules = {0};
    uint32_t count;
    uint64_t end;
    uint8_t tag = 0;
    HSD_TRY(hsd_gcdump_number(in, 4, &end, err)); /* the number of a place: this reader does not jump */
    HSD_TRY(hsd_gcdump_count(in, &count, err));
    hsd_status status = count <= types->count ? HSD_OK : hsd_gcdump_fail(in, "more late names than types", err);
    for (uint32_t i = 0; status == HSD_OK && i < count; i++)
        status = read_late_name(in, types, i, &modules, err);
    hsd_id_table_release(&modules.numbers);
    hsd_names_release(&modules.names);
    free(modules.rows);
    HSD_TRY(status);
    HSD_TRY(hsd_source_copy(in->source, &tag, 1, err));
    return tag == GCDUMP_TAG_END ? HSD_OK : hsd_gcdump_fail(in, "late names without their end", err);
}

/* ---- tables ---- */

static uint64_t known_since(const gcdump_serial *in, uint64_t offset, hsd_status status, uint64_t whole)
{
    return status == HSD_OK ? whole : hsd_min_u64(whole, hsd_source_offset(in->source) - offset);
}

static hsd_status pass_nodes(gcdump_graph *graph, gcdump_serial *in, unsigned count_bytes, hsd_error *err)
{
    HSD_TRY(hsd_gcdump_number(in, count_bytes, &graph->node_count, err));
    if (graph->node_count > NODES_MAX) return hsd_gcdump_fail(in, "more nodes than a graph can have", err);
    graph->nodes_offset = hsd_source_offset(in->source);
    return hsd_source_skip(in->source, graph->node_count * 4, err);
}

static hsd_status pass_blob(gcdump_graph *graph, gcdump_serial *in, hsd_error *err)
{
    HSD_TRY(hsd_gcdump_count(in, &graph->blob_bytes, err));
    graph->blob_offset = hsd_source_offset(in->source);
    const hsd_status status = hsd_source_skip(in->source, graph->blob_bytes, err);
    graph->blob_known = known_since(in, graph->blob_offset, status, graph->blob_bytes);
    return status;
}

static hsd_status pass_addresses(gcdump_graph *graph, gcdump_serial *in, unsigned count_bytes, hsd_error *err)
{
    uint64_t count;
    HSD_TRY(hsd_gcdump_number(in, count_bytes, &count, err));
    if (count != graph->node_count) return hsd_gcdump_fail(in, "nodes and addresses are not as many", err);
    graph->addresses_offset = hsd_source_offset(in->source);
    const hsd_status status = hsd_source_skip(in->source, count * 8, err);
    graph->address_count = known_since(in, graph->addresses_offset, status, count * 8) / 8;
    return status;
}

static hsd_status lay_out_gcdump_graph(gcdump_graph *graph, gcdump_serial *in, gcdump_types *types,
                                       unsigned count_bytes, bool has_late_names, bool *is_usable, hsd_error *err)
{
    *is_usable = false;
    graph->blob_known = graph->address_count = 0;
    HSD_TRY(pass_nodes(graph, in, count_bytes, err));
    hsd_status status = pass_blob(graph, in, err);
    if (status == HSD_OK && has_late_names) status = read_late_names(in, types, err);
    if (status == HSD_OK) status = pass_addresses(graph, in, count_bytes, err);
    *is_usable = status == HSD_E_TRUNCATED && graph->blob_known > 0;
    return status;
}

/* The likelier width of the counts first: a high half of a wide count is 0, and the record of node 0 stands behind
 * another. */
static hsd_status find_tables(gcdump_graph *graph, gcdump_serial *in, gcdump_types *types, bool has_late_names,
                              bool *is_usable, hsd_error *err)
{
    const uint64_t offset = hsd_source_offset(in->source);
    uint64_t both;
    HSD_TRY(hsd_gcdump_number(in, 8, &both, err));
    const unsigned likely = both != 0 && both >> 32 == 0 ? 8 : 4;
    gcdump_graph other = *graph;
    bool is_other_usable;
    HSD_TRY(hsd_gcdump_go(in, offset, err));
    const hsd_status status = lay_out_gcdump_graph(graph, in, types, likely, has_late_names, is_usable, err);
    if (status != HSD_E_CORRUPT && status != HSD_E_TRUNCATED) return status;
    const uint64_t end = hsd_source_offset(in->source);
    HSD_TRY(hsd_source_seek(in->source, offset, NULL));
    if (lay_out_gcdump_graph(&other, in, types, 12 - likely, has_late_names, &is_other_usable, NULL) == HSD_OK) {
        *graph = other;
        return HSD_OK;
    }
    HSD_TRY(hsd_source_seek(in->source, end, NULL));
    return status;
}

/* Is64Bit may stand behind the addresses. */
static hsd_status read_pointer_size(gcdump_graph *graph, gcdump_serial *in, hsd_error *err)
{
    uint64_t is_64_bit;
    const hsd_status status = hsd_source_peek(in->source, 1, err);
    if (status < 0 || hsd_source_ahead(in->source) == 0 || *in->source->at != GCDUMP_TAG_BYTE)
        return status < 0 ? status : HSD_OK;
    hsd_source_take(in->source, 1);
    HSD_TRY(hsd_gcdump_number(in, 1, &is_64_bit, err));
    graph->pointer_bytes = is_64_bit != 0 ? 8 : 4;
    return HSD_OK;
}

hsd_status hsd_gcdump_graph_read(gcdump_graph *graph, gcdump_serial *in, gcdump_types *types, const gcdump_kind *kind,
                                 bool *is_usable, hsd_error *err)
{
    uint64_t root;
    const uint32_t least = kind->least_reader;
    *is_usable = false;
    if (least > GCDUMP_NEWEST_GRAPH)
        return hsd_fail(err, HSD_E_TOO_NEW,
                        "this gcdump wants a reader of graphs of version %u, and this is one of version %d", least,
                        GCDUMP_NEWEST_GRAPH);
    HSD_TRY(hsd_gcdump_number(in, 8, &graph->total_bytes, err));
    HSD_TRY(hsd_gcdump_number(in, 4, &root, err));
    graph->root = (uint32_t)root;
    HSD_TRY(read_types(in, types, err));
    HSD_TRY(find_tables(graph, in, types, least >= 1, is_usable, err));
    *is_usable = true;
    HSD_TRY(read_pointer_size(graph, in, err));
    return hsd_gcdump_close(in, err);
}
