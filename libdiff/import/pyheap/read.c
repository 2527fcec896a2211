/*
 * Numbers, texts and names of a dump, one behind the other. See pyheap.h.
 */
#include <inttypes.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "import/pyheap/pyheap.h"

enum { TEXT_BYTES = 256, FLAG_TEXTS = 1, COMMON_MOST = 1 << 16, FREQUENT_MOST = 1 << 15 };

hsd_status hsd_pyheap_number(pyheap *p, unsigned bytes, uint64_t *out, hsd_error *err)
{
    uint8_t data[8];
    HSD_TRY(hsd_source_copy(p->source, data, bytes, err));
    *out = 0;
    for (unsigned i = 0; i < bytes; i++)
        *out = *out << 8 | data[i];
    return HSD_OK;
}

static hsd_status take_text(pyheap *p, uint64_t bytes, char *out, size_t room, size_t *size, hsd_error *err)
{
    *size = (size_t)hsd_min_u64(bytes, room);
    HSD_TRY(hsd_source_copy(p->source, out, *size, err));
    return bytes > *size ? hsd_source_skip(p->source, bytes - *size, err) : HSD_OK;
}

hsd_status hsd_pyheap_text(pyheap *p, char *out, size_t room, size_t *size, hsd_error *err)
{
    uint64_t bytes;
    HSD_TRY(hsd_pyheap_number(p, 2, &bytes, err));
    return take_text(p, bytes, out, room, size, err);
}

hsd_status hsd_pyheap_name(pyheap *p, uint32_t *name, hsd_error *err)
{
    uint64_t number;
    size_t size;
    char text[TEXT_BYTES];
    HSD_TRY(hsd_pyheap_number(p, 2, &number, err));
    if (number >= 0x8000) {
        const uint64_t index = 0xffff - number;
        if (index >= p->frequent_count)
            return hsd_fail_at(err, HSD_E_CORRUPT, hsd_source_offset(p->source),
                               "there is no frequent attribute %" PRIu64, index);
        *name = p->frequent[index];
        return HSD_OK;
    }
    HSD_TRY(take_text(p, number, text, sizeof text, &size, err));
    return hsd_names_put(&p->names, (hsd_bytes){(const uint8_t *)text, size}, name, err);
}

hsd_status hsd_pyheap_header(pyheap *p, hsd_error *err)
{
    uint64_t magic, version, flags;
    char date[64];
    size_t size;
    HSD_TRY(hsd_pyheap_number(p, 8, &magic, err));
    HSD_TRY(hsd_pyheap_number(p, 4, &version, err));
    if (version != 1)
        return hsd_fail(err, HSD_E_UNSUPPORTED, "this heap dump of PyHeap is of version %" PRIu64 ": hsdiff knows 1",
                        version);
    HSD_TRY(hsd_pyheap_text(p, date, sizeof date, &size, err));
    HSD_TRY(hsd_pyheap_number(p, 8, &flags, err));
    p->has_texts = (flags & FLAG_TEXTS) != 0;
    return HSD_OK;
}

static hsd_status common_type(pyheap *p, hsd_error *err)
{
    uint64_t type, count, target;
    uint32_t number, name;
    HSD_TRY(hsd_pyheap_number(p, 8, &type, err));
    HSD_TRY(hsd_id_table_put(&p->common, type, &number, err));
    HSD_TRY(hsd_pyheap_number(p, 4, &count, err));
    for (uint64_t i = 0; i < count; i++) {
        HSD_TRY(hsd_pyheap_name(p, &name, err));
        HSD_TRY(hsd_pyheap_number(p, 8, &target, err));
    }
    return HSD_OK;
}

hsd_status hsd_pyheap_frequent(pyheap *p, hsd_error *err)
{
    uint64_t count;
    HSD_TRY(hsd_pyheap_number(p, 4, &count, err));
    if (count > FREQUENT_MOST)
        return hsd_fail_at(err, HSD_E_CORRUPT, hsd_source_offset(p->source),
                           "%" PRIu64 " frequent attributes are more than a dump can have", count);
    for (uint64_t i = 0; i < count; i++) {
        uint32_t name;
        HSD_TRY(hsd_pyheap_name(p, &name, err));
        HSD_TRY(hsd_import_grow((void **)&p->frequent, &p->frequent_room, i, sizeof *p->frequent, err));
        p->frequent[p->frequent_count++] = name;
    }
    HSD_TRY(hsd_pyheap_number(p, 4, &count, err));
    for (uint64_t i = 0; i < count; i++) {
        if (i == COMMON_MOST)
            return hsd_fail_at(err, HSD_E_CORRUPT, hsd_source_offset(p->source), "there are too many frequent types");
        HSD_TRY(common_type(p, err));
    }
    return HSD_OK;
}

hsd_status hsd_pyheap_check_memory(const pyheap *p, hsd_error *err)
{
    const uint64_t taken = hsd_names_memory(&p->names) + hsd_names_memory(&p->strings) +
                           hsd_id_table_memory(&p->fields) + hsd_id_table_memory(&p->common) +
                           hsd_id_table_memory(&p->types) + p->type_room + p->frequent_room * sizeof *p->frequent;
    const uint64_t allowed = p->import->memory_bytes / 4 * 3;
    if (taken <= allowed) return HSD_OK;
    hsd_fail_at(err, HSD_E_OVER_BUDGET, hsd_source_offset(p->source),
                "the names of this heap dump take more than %" PRIu64 " MiB", allowed >> 20);
    hsd_error_set_hint(err, "give it more: --memory %" PRIu64 "M or so", (taken * 4 >> 20) + 64);
    return HSD_E_OVER_BUDGET;
}
