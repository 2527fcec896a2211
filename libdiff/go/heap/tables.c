/*
 * Tables of the capture. Names of types are made once for each size and pattern of pointers, and written when they are
 * first asked for.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "go/heap/goheap.h"

enum { ELEMENT_LABEL = GOHEAP_LABELS - 1 };

static int name_pointers(char *out, size_t size, const goheap_pattern *pattern)
{
    if (pattern->count == 0) return snprintf(out, size, "no pointers");
    if (pattern->count > GOHEAP_NAMED_POINTERS) {
        if (pattern->is_dense) return snprintf(out, size, "%" PRIu64 " pointers", pattern->count);
        return snprintf(out, size, "%" PRIu64 " pointers (%08" PRIx32 ")", pattern->count,
                        (uint32_t)(pattern->hash >> 16));
    }
    int used = snprintf(out, size, "pointer%s at", pattern->count == 1 ? "" : "s");
    for (uint64_t i = 0; i < pattern->count; i++)
        used += snprintf(out + used, size - (size_t)used, " %" PRIu64, pattern->first[i]);
    return used;
}

static hsd_status name_type(goheap *go, uint64_t size, const goheap_pattern *pattern, uint32_t *number, hsd_error *err)
{
    char name[256];
    int used = snprintf(name, sizeof name, "object of %" PRIu64 " B, ", size);
    used += name_pointers(name + used, sizeof name - (size_t)used, pattern);
    return hsd_gowriter_name_type(&go->out, name, (size_t)used, number, err);
}

hsd_status hsd_goheap_put_type(goheap *go, uint64_t size, const goheap_pattern *pattern, uint32_t *number,
                               hsd_error *err)
{
    const uint64_t key[3] = {size, pattern->count, pattern->hash};
    const uint32_t before = go->patterns.count;
    uint32_t row;
    HSD_TRY(hsd_names_put(&go->patterns, (hsd_bytes){(const uint8_t *)key, sizeof key}, &row, err));
    if (row < before) {
        *number = go->types_of[row];
        return HSD_OK;
    }
    HSD_TRY(HSD_ARRAY_GROW(go->types_of, go->pattern_room, row + 1, 1024, "types", err));
    HSD_TRY(name_type(go, size, pattern, number, err));
    go->types_of[row] = *number;
    return HSD_OK;
}

/* ---- labels ---- */

hsd_status hsd_goheap_put_label(goheap *go, const goheap_pattern *pattern, uint64_t offset, uint32_t *label,
                                uint64_t *index, hsd_error *err)
{
    const uint64_t word = offset / go->pointer_bytes;
    const bool is_element = (pattern->is_dense && pattern->count > GOHEAP_NAMED_POINTERS) || word >= ELEMENT_LABEL;
    const uint32_t number = is_element ? ELEMENT_LABEL : (uint32_t)word;
    uint32_t name = 0;
    *label = number + 1;
    *index = is_element ? word : 0;
    if (go->has_label[number]) return HSD_OK;
    go->has_label[number] = true;
    if (!is_element) HSD_TRY(hsd_gowriter_format(&go->out, &name, err, "+%" PRIu64, word * go->pointer_bytes));
    HSD_WRITE(go->import,
              hsc_define_label(go->import->writer, *label, is_element ? HSC_LABEL_ELEMENT : HSC_LABEL_FIELD,
                               HSC_STRENGTH_STRONG, name),
              err);
    return HSD_OK;
}

hsd_status hsd_goheap_put_waiting_label(goheap *go, uint32_t *label, hsd_error *err)
{
    uint32_t name;
    *label = GOHEAP_WAITING_LABEL;
    if (go->has_waiting_label) return HSD_OK;
    go->has_waiting_label = true;
    HSD_TRY(hsd_gowriter_format(&go->out, &name, err, "waiting"));
    HSD_WRITE(go->import, hsc_define_label(go->import->writer, *label, HSC_LABEL_INTERNAL, HSC_STRENGTH_WEAK, name),
              err);
    return HSD_OK;
}

/* ---- of the scan ---- */

hsd_status hsd_goheap_write_tables(goheap *go, hsd_error *err)
{
    HSD_TRY(hsd_import_define_texts(go->import, &go->out.strings, err));
    for (uint32_t i = 0; i < go->frames.count; i++) {
        goheap_site site;
        memcpy(&site, hsd_names_get(&go->frames, i).data, sizeof site);
        HSD_WRITE(go->import,
                  hsc_define_site(go->import->writer, i + 1, site.parent, site.function, site.file, site.line, 0), err);
    }
    return HSD_OK;
}
