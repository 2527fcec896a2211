/*
 * What a GCHeapDump says behind its graph: of the process, of samples, of the segments of the heap. Versions 4 to 7
 * have other fields than 9 and 10; there was never an 8.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/check.h"
#include "base/search.h"
#include "import/gcdump/gcdump.h"

#define TICKS_TO_1970 UINT64_C(621355968000000000) /* of 100 ns, since the year 1 */

static hsd_status read_text(gcdump_serial *in, char *out, size_t size, hsd_error *err)
{
    hsd_buffer text = {0};
    const hsd_status status = hsd_gcdump_text(in, size - 1, &text, err);
    if (status == HSD_OK && text.size > 0) memcpy(out, text.data, text.size);
    if (status == HSD_OK) out[text.size] = '\0';
    hsd_buffer_release(&text);
    return status;
}

/* Of what was really there: a count alone is a claim, and a file that ends before it is damaged. */
static hsd_status check_room(uint64_t count, size_t size, uint64_t memory_bytes, const char *of, hsd_error *err)
{
    if (count * size <= memory_bytes) return HSD_OK;
    hsd_fail(err, HSD_E_OVER_BUDGET,
             "the %s of this gcdump take %llu bytes, more than the memory for the import has to spare", of,
             (unsigned long long)(count * size));
    hsd_error_set_hint(err, "give it more: --memory %llu", (unsigned long long)(count * size * 32));
    return HSD_E_OVER_BUDGET;
}

/* ---- segments ---- */

static hsd_status read_segment(gcdump_serial *in, gcdump_segment *segment, hsd_error *err)
{
    const gcdump_kind *kind;
    HSD_TRY(hsd_gcdump_open(in, &kind, err));
    if (kind == NULL) return HSD_OK;
    HSD_TRY(hsd_gcdump_number(in, 8, &segment->start, err));
    HSD_TRY(hsd_gcdump_number(in, 8, &segment->end, err));
    const size_t generations = kind->version >= 1 ? 5 : 4;
    for (size_t i = 0; i < generations; i++)
        HSD_TRY(hsd_gcdump_number(in, 8, &segment->generation_end[i], err));
    return hsd_gcdump_close(in, err);
}

static int by_start(const void *a, const void *b)
{
    const gcdump_segment *x = a, *y = b;
    if (x->start != y->start) return x->start < y->start ? -1 : 1;
    return x->end == y->end ? 0 : x->end < y->end ? -1 : 1;
}

static hsd_status read_segments(gcdump_facts *facts, gcdump_serial *in, uint64_t memory_bytes, hsd_error *err)
{
    uint32_t count, capacity = 0;
    HSD_TRY(hsd_gcdump_count(in, &count, err));
    for (uint32_t i = 0; i < count; i++) {
        HSD_TRY(check_room(i + UINT64_C(1), sizeof *facts->segments, memory_bytes, "segments", err));
        HSD_TRY(HSD_ARRAY_GROW(facts->segments, capacity, i + 1, 64, "segments", err));
        facts->segments[i] = (gcdump_segment){0};
        HSD_TRY(read_segment(in, &facts->segments[i], err));
    }
    facts->segment_count = count;
    if (count > 1) qsort(facts->segments, count, sizeof *facts->segments, by_start);
    return HSD_OK;
}

int hsd_gcdump_generation(const gcdump_facts *facts, uint64_t address, uint32_t *hint)
{
    if (*hint >= facts->segment_count) return -1;
    const gcdump_segment *segment = &facts->segments[*hint];
    if (address < segment->start || address >= segment->end) {
        uint32_t behind;
        HSD_UPPER_BOUND(behind, 1, facts->segment_count, facts->segments[behind].start, address);
        segment = &facts->segments[ *hint = behind - 1];
        if (address < segment->start || address >= segment->end) return -1;
    }
    for (int generation = 4; generation >= 0; generation--)
        if (address < segment->generation_end[generation]) return generation;
    return -1;
}

/* ---- what all versions say of the process ---- */

static hsd_status read_process(gcdump_facts *facts, gcdump_serial *in, hsd_error *err)
{
    uint64_t ticks, pid;
    HSD_TRY(hsd_gcdump_pass_text(in, err)); /* a log */
    HSD_TRY(hsd_gcdump_number(in, 8, &ticks, err));
    HSD_TRY(hsd_gcdump_pass_text(in, err)); /* the machine */
    HSD_TRY(read_text(in, facts->process, sizeof facts->process, err));
    HSD_TRY(hsd_gcdump_number(in, 4, &pid, err));
    HSD_TRY(hsd_gcdump_number(in, 8, &facts->commit_bytes, err));
    HSD_TRY(hsd_gcdump_number(in, 8, &facts->resident_bytes, err));
    ticks &= UINT64_C(0x3fffffffffffffff); /* above them: of what kind of clock */
    uint64_t ns = 0;
    const bool is_time = ticks > TICKS_TO_1970 && hsd_mul_u64(ticks - TICKS_TO_1970, 100, &ns);
    facts->taken_unix_ns = is_time ? ns : 0;
    facts->pid = (uint32_t)pid;
    return HSD_OK;
}

/* ---- versions 4 to 7 ---- */

static hsd_status read_old(gcdump_facts *facts, gcdump_serial *in, uint32_t version, uint64_t memory_bytes,
                           hsd_error *err)
{
    uint64_t is_64_bit;
    HSD_TRY(hsd_gcdump_number(in, 8, &facts->segment_bytes, err));
    HSD_TRY(hsd_source_skip(in->source, 8 + 8 + 1, err));
    if (version >= 5) HSD_TRY(read_process(facts, in, err));
    if (version >= 6) HSD_TRY(read_segments(facts, in, memory_bytes, err));
    if (version < 7) return HSD_OK;
    HSD_TRY(hsd_gcdump_number(in, 1, &is_64_bit, err));
    facts->pointer_bytes = is_64_bit != 0 ? 8 : 4;
    return HSD_OK;
}

/* ---- versions 9 and 10 ---- */

static hsd_status read_heap_info(gcdump_facts *facts, gcdump_serial *in, uint64_t memory_bytes, hsd_error *err)
{
    const gcdump_kind *kind;
    HSD_TRY(hsd_gcdump_open(in, &kind, err)); /* of scripts: it has no fields */
    if (kind != NULL) HSD_TRY(hsd_gcdump_close(in, err));
    HSD_TRY(hsd_gcdump_open(in, &kind, err));
    if (kind == NULL) return HSD_OK;
    HSD_TRY(hsd_gcdump_number(in, 8, &facts->segment_bytes, err));
    HSD_TRY(read_segments(facts, in, memory_bytes, err));
    return hsd_gcdump_close(in, err);
}

static hsd_status read_multipliers(gcdump_facts *facts, gcdump_serial *in, uint64_t memory_bytes, hsd_error *err)
{
    uint32_t count, capacity = 0;
    HSD_TRY(hsd_gcdump_count(in, &count, err));
    for (uint32_t i = 0; i < count; i++) {
        HSD_TRY(check_room(i + UINT64_C(1), sizeof *facts->multipliers, memory_bytes, "multipliers of types", err));
        HSD_TRY(HSD_ARRAY_GROW(facts->multipliers, capacity, i + 1, 1024, "multipliers of types", err));
        HSD_TRY(hsd_gcdump_float(in, &facts->multipliers[i], err));
        facts->multiplier_count = i + 1;
    }
    return HSD_OK;
}

/* COM objects and who holds them: nothing that the graph does not say. */
static hsd_status pass_interop(gcdump_serial *in, hsd_error *err)
{
    /* of what the runtime holds of others, others of it, interfaces */
    static const unsigned sizes[] = {40, 32, 33};
    const gcdump_kind *kind;
    uint32_t wrappers, counts[4];
    HSD_TRY(hsd_gcdump_open(in, &kind, err));
    if (kind == NULL) return HSD_OK;
    HSD_TRY(hsd_gcdump_count(in, &wrappers, err));
    if (wrappers == 0) return hsd_gcdump_close(in, err);
    for (size_t i = 0; i < 4; i++)
        HSD_TRY(hsd_gcdump_count(in, &counts[i], err));
    for (size_t i = 0; i < 3; i++)
        HSD_TRY(hsd_source_skip(in->source, (uint64_t)counts[i] * sizes[i], err));
    for (uint32_t i = 0; i < counts[3]; i++) {
        HSD_TRY(hsd_source_skip(in->source, 16, err));
        HSD_TRY(hsd_gcdump_pass_text(in, err));
    }
    return hsd_gcdump_close(in, err);
}

/* What newer versions have added, each behind a tag. */
static hsd_status read_additions(gcdump_facts *facts, gcdump_serial *in, hsd_error *err)
{
    for (;;) {
        const hsd_status status = hsd_source_peek(in->source, 1, err);
        if (status < 0) return status;
        const uint8_t tag = hsd_source_ahead(in->source) > 0 ? *in->source->at : 0;
        if (tag == GCDUMP_TAG_SKIP) {
            HSD_TRY(hsd_source_skip(in->source, 5, err));
            HSD_TRY(pass_interop(in, err));
        } else if (tag == GCDUMP_TAG_STRING && facts->tool[0] == '\0') {
            hsd_source_take(in->source, 1);
            HSD_TRY(read_text(in, facts->tool, sizeof facts->tool, err));
        } else {
            return hsd_gcdump_close(in, err);
        }
    }
}

hsd_status hsd_gcdump_facts_read(gcdump_facts *facts, gcdump_serial *in, uint32_t version, uint64_t memory_bytes,
                                 hsd_error *err)
{
    uint64_t is_64_bit;
    if (version < 9) {
        HSD_TRY(read_old(facts, in, version, memory_bytes, err));
        return hsd_gcdump_close(in, err);
    }
    HSD_TRY(hsd_gcdump_number(in, 1, &is_64_bit, err));
    facts->pointer_bytes = is_64_bit != 0 ? 8 : 4;
    HSD_TRY(hsd_gcdump_float(in, &facts->count_multiplier, err));
    HSD_TRY(hsd_gcdump_float(in, &facts->size_multiplier, err));
    HSD_TRY(read_heap_info(facts, in, memory_bytes, err));
    HSD_TRY(read_process(facts, in, err));
    HSD_TRY(read_multipliers(facts, in, memory_bytes, err));
    return read_additions(facts, in, err);
}

bool hsd_gcdump_is_sampled(const gcdump_facts *facts)
{
    if (facts->count_multiplier > 1) return true;
    for (uint32_t i = 0; i < facts->multiplier_count; i++)
        if (facts->multipliers[i] > 1) return true;
    return false;
}

void hsd_gcdump_facts_release(gcdump_facts *facts)
{
    free(facts->multipliers);
    free(facts->segments);
    *facts = (gcdump_facts){0};
}
