/*
 * Numbers, texts and lists of a dump, and what the records that nobody wants consist of.
 */
#include "go/heap/goheap.h"

#include <inttypes.h>

hsd_status hsd_goheap_corrupt(const goheap *go, const char *what, hsd_error *err)
{
    return hsd_fail_at(err, HSD_E_CORRUPT, hsd_source_offset(go->source), "not a valid heap dump: %s", what);
}

hsd_status hsd_goheap_number(goheap *go, uint64_t *out, hsd_error *err)
{
    hsd_source *source = go->source;
    uint64_t value = 0;
    const hsd_status status = hsd_source_peek(source, 10, err);
    if (status < 0) return status;
    const size_t have = hsd_source_ahead(source);
    for (unsigned i = 0; i < have && i < 10; i++) {
        const uint64_t byte = source->at[i];
        if (i == 9 && byte > 1) break;
        value |= (byte & 0x7f) << 7 * i;
        if ((byte & 0x80) != 0) continue;
        hsd_source_take(source, i + 1);
        *out = value;
        return HSD_OK;
    }
    if (have >= 10) return hsd_goheap_corrupt(go, "a number of more than 64 bits", err);
    hsd_source_take(source, have);
    return hsd_fail_at(err, HSD_E_TRUNCATED, hsd_source_offset(source), "the heap dump is cut off");
}

hsd_status hsd_goheap_numbers(goheap *go, uint64_t *out, size_t count, hsd_error *err)
{
    for (size_t i = 0; i < count; i++)
        HSD_TRY(hsd_goheap_number(go, &out[i], err));
    return HSD_OK;
}

hsd_status hsd_goheap_text(goheap *go, size_t most, hsd_bytes *out, hsd_error *err)
{
    uint64_t size = 0;
    HSD_TRY(hsd_goheap_number(go, &size, err));
    const size_t kept = size < most ? (size_t)size : most;
    HSD_TRY(hsd_buffer_reserve(&go->bytes, most, err));
    HSD_TRY(hsd_source_copy(go->source, go->bytes.data, kept, err));
    *out = (hsd_bytes){go->bytes.data, kept};
    return hsd_source_skip(go->source, size - kept, err);
}

hsd_status hsd_goheap_skip_text(goheap *go, hsd_error *err)
{
    uint64_t size = 0;
    HSD_TRY(hsd_goheap_number(go, &size, err));
    return hsd_source_skip(go->source, size, err);
}

/* Kinds 2 and 3 (interfaces, two words each) were written up to Go 1.4, of other magics: they are no fields of this
 * version. */
hsd_status hsd_goheap_field(goheap *go, uint64_t *offset, hsd_error *err)
{
    uint64_t kind = 0;
    HSD_TRY(hsd_goheap_number(go, &kind, err));
    if (kind == 0) return HSD_END;
    if (kind != GOHEAP_FIELD_POINTER) return hsd_goheap_corrupt(go, "a field that is no pointer", err);
    return hsd_goheap_number(go, offset, err);
}

hsd_status hsd_goheap_skip_fields(goheap *go, hsd_error *err)
{
    uint64_t offset;
    hsd_status status;
    while ((status = hsd_goheap_field(go, &offset, err)) == HSD_OK)
        continue;
    return status == HSD_END ? HSD_OK : status;
}

/* n a number, t a text, f a list of fields; NULL = no such tag, or one that is read in full. */
static const char *const layouts[] = {
    [GOHEAP_OBJECT] = "ntf",      [GOHEAP_OTHER_ROOT] = "tn",
    [GOHEAP_TYPE] = "nntn",       [GOHEAP_GOROUTINE] = "nnnnnnnntnnnn",
    [GOHEAP_FRAME] = "nnntnnntf", [GOHEAP_PARAMS] = "nnnnttn",
    [GOHEAP_FINALIZER] = "nnnnn", [GOHEAP_ITAB] = "nn",
    [GOHEAP_THREAD] = "nnn",      [GOHEAP_QUEUED_FINALIZER] = "nnnnn",
    [GOHEAP_DATA] = "ntf",        [GOHEAP_BSS] = "ntf",
    [GOHEAP_DEFER] = "nnnnnnn",   [GOHEAP_PANIC] = "nnnnnn",
    [GOHEAP_SAMPLE] = "nn",
};

static hsd_status skip_bucket(goheap *go, hsd_error *err)
{
    uint64_t head[3], line;
    HSD_TRY(hsd_goheap_numbers(go, head, 3, err));
    for (uint64_t i = 0; i < head[2]; i++) {
        HSD_TRY(hsd_goheap_skip_text(go, err));
        HSD_TRY(hsd_goheap_skip_text(go, err));
        HSD_TRY(hsd_goheap_number(go, &line, err));
    }
    return hsd_goheap_numbers(go, head, 2, err);
}

static hsd_status skip_stats(goheap *go, hsd_error *err)
{
    uint64_t number;
    for (unsigned i = 0; i < GOHEAP_STATS + GOHEAP_PAUSES + 1; i++)
        HSD_TRY(hsd_goheap_number(go, &number, err));
    return HSD_OK;
}

hsd_status hsd_goheap_skip_record(goheap *go, uint64_t tag, hsd_error *err)
{
    uint64_t number;
    if (tag == GOHEAP_BUCKET) return skip_bucket(go, err);
    if (tag == GOHEAP_MEMSTATS) return skip_stats(go, err);
    if (tag >= sizeof layouts / sizeof layouts[0] || layouts[tag] == NULL)
        return hsd_goheap_corrupt(go, "a record of no known kind", err);
    for (const char *part = layouts[tag]; *part != '\0'; part++)
        HSD_TRY(*part == 'n'   ? hsd_goheap_number(go, &number, err)
                : *part == 't' ? hsd_goheap_skip_text(go, err)
                               : hsd_goheap_skip_fields(go, err));
    return HSD_OK;
}

uint64_t hsd_goheap_word(const goheap *go, const uint8_t *at)
{
    uint64_t word = 0;
    for (unsigned i = 0; i < go->pointer_bytes; i++)
        word |= (uint64_t)at[go->is_big_endian ? go->pointer_bytes - 1 - i : i] << 8 * i;
    return word;
}
