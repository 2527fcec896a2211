/*
 * Header, buffers, and what they are made of.
 */
#include <string.h>

#include "base/check.h"
#include "import/mlpd/mlpd.h"

enum { HEADER_BYTES = 16, BUFFER_BYTES = 48, ARGUMENTS = 3, PIECE_BYTES = 64 };

static uint32_t u32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}
static uint64_t u64(const uint8_t *at) { return u32(at) | (uint64_t)u32(at + 4) << 32; }

/* ---- header ---- */

static hsd_status check_version(mlpd *m, hsd_error *err)
{
    if (m->version > MLPD_LAST_VERSION) {
        hsd_fail_at(err, HSD_E_TOO_NEW, 6,
                    "data version %u of Mono's log profiler is newer than this hsdiff, which reads up to %u",
                    m->version, MLPD_LAST_VERSION);
        hsd_error_set_hint(err, "look for a newer hsdiff");
        return HSD_E_TOO_NEW;
    }
    if (m->version < MLPD_FIRST_VERSION) {
        hsd_fail_at(err, HSD_E_UNSUPPORTED, 6, "data version %u of Mono's log profiler: hsdiff reads %u to %u",
                    m->version, MLPD_FIRST_VERSION, MLPD_LAST_VERSION);
        hsd_error_set_hint(err, "profile again with Mono 5.4 or later");
        return HSD_E_UNSUPPORTED;
    }
    if (m->pointer_bytes == 4 || m->pointer_bytes == 8) return HSD_OK;
    return hsd_fail_at(err, HSD_E_CORRUPT, 7, "pointers of %u bytes", m->pointer_bytes);
}

/* How the profiler was asked: whether it tells which objects move. */
static hsd_status read_arguments(mlpd *m, hsd_error *err)
{
    uint8_t size[4];
    for (unsigned i = 0; i < ARGUMENTS; i++) {
        char text[1024] = "";
        HSD_TRY(hsd_source_copy(m->source, size, sizeof size, err));
        const uint32_t bytes = u32(size), kept = bytes < sizeof text - 1 ? bytes : (uint32_t)sizeof text - 1;
        HSD_TRY(hsd_source_copy(m->source, text, kept, err));
        HSD_TRY(hsd_source_skip(m->source, bytes - kept, err));
        if (i == 0 && strstr(text, "gcmove") != NULL) m->tells_moves = true;
    }
    return HSD_OK;
}

hsd_status hsd_mlpd_read_header(mlpd *m, hsd_error *err)
{
    uint8_t head[HEADER_BYTES], rest[14], ns[8] = {0};
    HSD_TRY(hsd_source_copy(m->source, head, sizeof head, err));
    m->major = head[4];
    m->version = head[6];
    m->pointer_bytes = head[7];
    m->started_ms = u64(head + 8);
    HSD_TRY(check_version(m, err));
    if (m->major >= 3) HSD_TRY(hsd_source_copy(m->source, ns, sizeof ns, err));
    m->started_ns = u64(ns);
    HSD_TRY(hsd_source_copy(m->source, rest, sizeof rest, err));
    m->pid = u32(rest + 8);
    m->buffer_end = 0;
    return read_arguments(m, err);
}

/* ---- buffers ---- */

static void set_end(mlpd *m)
{
    const uint64_t left = m->buffer_end - hsd_source_offset(m->source);
    m->at = m->source->at;
    m->end = left < hsd_source_ahead(m->source) ? m->at + left : m->source->end;
}

hsd_status hsd_mlpd_more(mlpd *m, size_t want, hsd_error *err)
{
    hsd_source *source = m->source;
    hsd_source_take(source, (size_t)(m->at - source->at));
    const hsd_status status = hsd_source_fill(source, want, err);
    if (status == HSD_E_TRUNCATED)
        m->is_cut = true; /* a gzip file that is cut off */
    else if (status < 0)
        return status;
    if (status != HSD_OK && hsd_source_offset(source) + hsd_source_ahead(source) < m->buffer_end) m->is_cut = true;
    set_end(m);
    return HSD_OK;
}

hsd_status hsd_mlpd_next_buffer(mlpd *m, hsd_error *err)
{
    hsd_source *source = m->source;
    if (m->buffer_end != 0) {
        hsd_source_take(source, (size_t)(m->at - source->at));
        const hsd_status skipped = hsd_source_skip(source, m->buffer_end - hsd_source_offset(source), err);
        if (skipped == HSD_E_TRUNCATED) m->is_cut = true;
        if (skipped < 0) return skipped == HSD_E_TRUNCATED ? HSD_END : skipped;
    }
    const hsd_status status = hsd_source_peek(source, BUFFER_BYTES, err);
    const size_t ahead = hsd_source_ahead(source);
    if (status < 0 && status != HSD_E_TRUNCATED) return status;
    if (status != HSD_OK && (status < 0 || ahead > 0)) m->is_cut = true;
    if (ahead < BUFFER_BYTES) return HSD_END;
    if (u32(source->at) != MLPD_BUFFER_MAGIC)
        return hsd_fail_at(err, HSD_E_CORRUPT, hsd_source_offset(source),
                           "no buffer of Mono's log profiler begins here");
    const uint32_t size = u32(source->at + 4);
    m->time_ns = u64(source->at + 8);
    m->pointer_base = u64(source->at + 16);
    m->object_base = u64(source->at + 24);
    m->thread = u64(source->at + 32);
    m->method_base = u64(source->at + 40);
    hsd_source_take(source, BUFFER_BYTES);
    m->buffer_end = hsd_source_offset(source) + size;
    m->has_overrun = false;
    set_end(m);
    return HSD_OK;
}

/* ---- numbers and texts ---- */

uint64_t hsd_mlpd_long_unsigned(mlpd *m)
{
    uint64_t value = 0;
    for (unsigned shift = 0; m->at < m->end; shift += 7) {
        const uint8_t byte = *m->at++;
        if (shift < 64) value |= (uint64_t)(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0 || shift >= 70) return value;
    }
    m->has_overrun = true;
    return value;
}

int64_t hsd_mlpd_long_signed(mlpd *m)
{
    uint64_t value = 0;
    for (unsigned shift = 0; m->at < m->end;) {
        const uint8_t byte = *m->at++;
        if (shift < 64) value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
        if ((byte & 0x80) == 0) {
            if (shift < 64 && (byte & 0x40) != 0) value |= UINT64_MAX << shift;
            return (int64_t)value;
        }
        if (shift >= 77) return (int64_t)value;
    }
    m->has_overrun = true;
    return (int64_t)value;
}

hsd_status hsd_mlpd_text(mlpd *m, uint8_t into[MLPD_TEXT_BYTES], hsd_bytes *text, hsd_error *err)
{
    size_t size = 0;
    for (;;) {
        HSD_TRY(hsd_mlpd_look(m, PIECE_BYTES, err));
        if (m->at == m->end) return HSD_END;
        const uint8_t *nul = memchr(m->at, 0, (size_t)(m->end - m->at)), *to = nul == NULL ? m->end : nul;
        if (into != NULL) {
            const size_t kept = (size_t)hsd_min_u64((uint64_t)(to - m->at), MLPD_TEXT_BYTES - size);
            memcpy(into + size, m->at, kept);
            size += kept;
        }
        m->at = to + (nul != NULL);
        if (nul == NULL) continue;
        if (into != NULL) *text = (hsd_bytes){into, size};
        return HSD_OK;
    }
}
