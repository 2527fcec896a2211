/*
 * The first walk over the nodes. No objects are those that the producers made up to show roots ("[static vars]", at no
 * address), and those that something refers to and nobody told. For a summary this walk is all.
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "import/gcdump/gcdump.h"

static inline uint32_t number_at(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static hsd_status copy_offsets(gcdump *self, uint64_t first, size_t count, hsd_error *err)
{
    HSD_TRY(hsd_gcdump_go(&self->in, self->graph.nodes_offset + first * 4, err));
    HSD_TRY(hsd_source_copy(self->in.source, self->offsets, count * 4, err));
    const uint8_t *raw = (const uint8_t *)self->offsets;
    for (size_t i = 0; i < count; i++)
        self->offsets[i] = number_at(raw + 4 * i);
    return HSD_OK;
}

static hsd_status copy_addresses(gcdump *self, uint64_t first, size_t count, hsd_error *err)
{
    const uint64_t known =
        self->graph.address_count > first ? hsd_min_u64(self->graph.address_count - first, count) : 0;
    memset(self->addresses, 0, count * sizeof *self->addresses);
    if (known == 0) return HSD_OK;
    HSD_TRY(hsd_gcdump_go(&self->in, self->graph.addresses_offset + first * 8, err));
    HSD_TRY(hsd_source_copy(self->in.source, self->addresses, (size_t)known * 8, err));
    const uint8_t *raw = (const uint8_t *)self->addresses;
    for (size_t i = 0; i < known; i++)
        self->addresses[i] = number_at(raw + 8 * i) | (uint64_t)number_at(raw + 8 * i + 4) << 32;
    return HSD_OK;
}

hsd_status hsd_gcdump_chunk(gcdump *self, uint64_t first, bool with_addresses, size_t *count, hsd_error *err)
{
    *count = (size_t)hsd_min_u64(GCDUMP_CHUNK_NODES, self->graph.node_count - first);
    if (*count == 0) return HSD_OK;
    HSD_TRY(copy_offsets(self, first, *count, err));
    if (with_addresses) HSD_TRY(copy_addresses(self, first, *count, err));
    return hsd_progress(self->import->reporter, "importing", first, self->graph.node_count, err);
}

/* ---- what is no object ---- */

static bool census_is_called(hsd_bytes name, const char *text)
{
    return name.size == strlen(text) && memcmp(name.data, text, name.size) == 0;
}

static void note_root(gcdump *self, uint32_t type)
{
    const hsd_bytes name = hsd_gcdump_types_name(&self->types, type);
    if (self->types.types[type].is_root) return;
    hsd_gcdump_judge_root(&self->types.types[type], name);
    self->has_net = self->has_net || census_is_called(name, "[.NET Roots]");
    self->has_scripts = self->has_scripts || census_is_called(name, "[JS Roots]");
}

static void set_no_object(gcdump *self, uint64_t node)
{
    self->no_objects[node / 8] = (uint8_t)(self->no_objects[node / 8] | 1u << (node % 8));
    self->no_object_count++;
}

static double factor(const gcdump *self, uint32_t type, float average)
{
    const float own = type < self->facts.multiplier_count ? self->facts.multipliers[type] : 0;
    return own > 0 ? (double)own : average > 0 ? (double)average : 1;
}

static void add_up_census(gcdump *self, const gcdump_record *record)
{
    struct gcdump_total *total = &self->types.totals[self->types.types[record->type].number];
    total->objects++;
    total->bytes = hsd_add_saturating(total->bytes, record->size);
    total->scaled_objects += factor(self, record->type, self->facts.count_multiplier);
    total->scaled_bytes += factor(self, record->type, self->facts.size_multiplier) * (double)record->size;
}

/* May what is no object stand there? Nodes of which nothing is known have the record that comes first. */
static bool is_suspect(const gcdump *self, uint32_t offset, uint64_t address)
{
    return address == 0 || offset == 0 || offset >= self->records.size;
}

/* A node whose record says what it is. Records of objects are looked at for a summary alone, which calls no other nodes
 * objects than a capture does. */
static hsd_status judge_census(gcdump *self, uint64_t node, uint32_t offset, uint64_t address, hsd_error *err)
{
    gcdump_record record;
    const hsd_status status = hsd_gcdump_record_open(&record, &self->records, &self->types, offset, err);
    if (status == HSD_END && !self->is_cut)
        return hsd_fail(err, HSD_E_CORRUPT, "not a valid gcdump: a node without a record");
    if (status < 0) return status;
    const bool is_untold = status == HSD_END || (is_suspect(self, offset, address) && record.type == 0 &&
                                                 census_is_called(hsd_gcdump_types_name(&self->types, 0), "UNDEFINED"));
    if (is_untold) {
        self->dropped += address != 0 || status == HSD_END; /* the null reference is a node, too */
        set_no_object(self, node);
    } else if (address == 0 && self->types.types[record.type].is_bracketed) {
        note_root(self, record.type);
        set_no_object(self, node);
    } else if (self->types.totals != NULL) {
        add_up_census(self, &record);
    }
    return HSD_OK;
}

hsd_status hsd_gcdump_census(gcdump *self, hsd_error *err)
{
    size_t count;
    const bool reads_all = self->types.totals != NULL;
    self->least_address = UINT64_MAX;
    for (uint64_t first = 0; first < self->graph.node_count; first += count) {
        HSD_TRY(hsd_gcdump_chunk(self, first, true, &count, err));
        for (size_t i = 0; i < count; i++) {
            const uint64_t address = self->addresses[i];
            if (address != 0) {
                self->least_address = hsd_min_u64(self->least_address, address);
                self->last_address = hsd_max_u64(self->last_address, address);
            }
            if (reads_all || is_suspect(self, self->offsets[i], address))
                HSD_TRY(judge_census(self, first + i, self->offsets[i], address, err));
        }
    }
    hsd_import_note_input(self->import);
    return HSD_OK;
}
