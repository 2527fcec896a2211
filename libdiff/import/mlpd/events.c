/*
 * One event after the other. What cannot be one ends the reading of its buffer, as the format has it: later values need
 * the earlier ones.
 */
#include <string.h>

#include "import/mlpd/mlpd.h"

enum { EVENT_BYTES = 128, PAIR_BYTES = 24, SECTION_PERFCOUNTERS = 1 << 15, PROGRESS_EVERY = 16 };
enum { ALLOC, GC, METADATA, METHOD, EXCEPTION, MONITOR, HEAP, SAMPLE, RUNTIME, COVERAGE, META };

typedef hsd_status (*event_fn)(mlpd *m, const mlpd_visit *visit, unsigned extra, hsd_error *err);

/* Numbers one behind the other, which nobody wants. */
static hsd_status skip_numbers(mlpd *m, uint64_t count, hsd_error *err)
{
    while (count > 0) {
        HSD_TRY(hsd_mlpd_look(m, 1, err));
        const uint8_t *at = m->at, *end = m->end;
        if (at == end) return HSD_END;
        while (at < end && count > 0)
            count -= *at++ < 0x80;
        m->at = at;
    }
    return HSD_OK;
}

static hsd_status skip_backtrace(mlpd *m, hsd_error *err)
{
    HSD_TRY(hsd_mlpd_look(m, PAIR_BYTES, err));
    return skip_numbers(m, hsd_mlpd_unsigned(m), err);
}

static hsd_status skip_texts(mlpd *m, unsigned count, hsd_error *err)
{
    for (; count > 0; count--)
        HSD_TRY(hsd_mlpd_text(m, NULL, NULL, err));
    return HSD_OK;
}

/* ---- kinds that are passed over ---- */

static hsd_status read_alloc(mlpd *m, const mlpd_visit *visit, unsigned extra, hsd_error *err)
{
    (void)visit;
    HSD_TRY(skip_numbers(m, 3, err));
    return extra == 1 ? skip_backtrace(m, err) : HSD_OK;
}

static hsd_status read_method(mlpd *m, const mlpd_visit *visit, unsigned extra, hsd_error *err)
{
    (void)visit;
    hsd_mlpd_signed(m);
    if (extra != 4) return HSD_OK;
    HSD_TRY(skip_numbers(m, 2, err));
    return skip_texts(m, 1, err);
}

static hsd_status read_exception(mlpd *m, const mlpd_visit *visit, unsigned extra, hsd_error *err)
{
    (void)visit;
    if (extra == 1) {
        hsd_mlpd_byte(m);
        return skip_numbers(m, 3, err);
    }
    hsd_mlpd_signed(m);
    return (extra & 8) != 0 ? skip_backtrace(m, err) : HSD_OK;
}

static hsd_status read_monitor(mlpd *m, const mlpd_visit *visit, unsigned extra, hsd_error *err)
{
    (void)visit;
    hsd_mlpd_byte(m);
    hsd_mlpd_signed(m);
    return (extra & 8) != 0 ? skip_backtrace(m, err) : HSD_OK;
}

static hsd_status skip_counter_names(mlpd *m, hsd_error *err)
{
    for (uint64_t count = hsd_mlpd_unsigned(m); count > 0; count--) {
        HSD_TRY(hsd_mlpd_look(m, PAIR_BYTES, err));
        if (m->at == m->end) return HSD_END;
        const unsigned texts = hsd_mlpd_unsigned(m) == SECTION_PERFCOUNTERS ? 2 : 1;
        HSD_TRY(skip_texts(m, texts, err));
        HSD_TRY(skip_numbers(m, 4, err));
    }
    return HSD_OK;
}

static hsd_status skip_counters(mlpd *m, hsd_error *err)
{
    enum { DOUBLE = 5, STRING = 6 };
    for (;;) {
        HSD_TRY(hsd_mlpd_look(m, PAIR_BYTES, err));
        if (m->at == m->end) return HSD_END;
        if (hsd_mlpd_unsigned(m) == 0) return HSD_OK;
        const uint64_t type = hsd_mlpd_unsigned(m);
        if (type == DOUBLE) {
            for (unsigned i = 0; i < 8; i++)
                hsd_mlpd_byte(m);
        } else if (type != STRING) {
            hsd_mlpd_unsigned(m);
        } else if (hsd_mlpd_byte(m) != 0) {
            HSD_TRY(skip_texts(m, 1, err));
        }
    }
}

static hsd_status read_sample(mlpd *m, const mlpd_visit *visit, unsigned extra, hsd_error *err)
{
    (void)visit;
    switch (extra) {
    case 0:
        hsd_mlpd_signed(m);
        HSD_TRY(skip_backtrace(m, err));
        return skip_backtrace(m, err);
    case 1: HSD_TRY(skip_numbers(m, 2, err)); return skip_texts(m, 1, err);
    case 2: HSD_TRY(skip_numbers(m, 3, err)); return skip_texts(m, 1, err);
    case 3: return skip_counter_names(m, err);
    case 4: return skip_counters(m, err);
    default: return HSD_END;
    }
}

static hsd_status read_runtime(mlpd *m, const mlpd_visit *visit, unsigned extra, hsd_error *err)
{
    enum { JIT_HELPER = 1, SPECIFIC_TRAMPOLINE = 5 };
    (void)visit;
    if (extra != JIT_HELPER) return HSD_END;
    const uint8_t kind = hsd_mlpd_byte(m);
    HSD_TRY(skip_numbers(m, 2, err));
    return kind == SPECIFIC_TRAMPOLINE ? skip_texts(m, 1, err) : HSD_OK;
}

/* Up to version 15. */
static hsd_status read_coverage(mlpd *m, const mlpd_visit *visit, unsigned extra, hsd_error *err)
{
    static const struct {
        unsigned texts, numbers;
    } forms[] = {{3, 3}, {5, 3}, {0, 5}, {2, 3}};
    (void)visit;
    if (extra >= sizeof forms / sizeof forms[0] || m->version >= 16) return HSD_END;
    HSD_TRY(skip_texts(m, forms[extra].texts, err));
    return skip_numbers(m, forms[extra].numbers, err);
}

static hsd_status read_meta(mlpd *m, const mlpd_visit *visit, unsigned extra, hsd_error *err)
{
    (void)visit;
    if (extra == 1) return skip_texts(m, 1, err);
    hsd_mlpd_byte(m);
    return extra == 0 ? HSD_OK : HSD_END;
}

/* ---- collections ---- */

static hsd_status read_moves(mlpd *m, const mlpd_visit *visit, hsd_error *err)
{
    uint64_t count = hsd_mlpd_unsigned(m);
    if (visit->move == NULL) return skip_numbers(m, count, err);
    for (; count > 1; count -= 2) {
        HSD_TRY(hsd_mlpd_look(m, PAIR_BYTES, err));
        if (m->at == m->end) return HSD_END;
        const uint64_t from = hsd_mlpd_object(m), to = hsd_mlpd_object(m);
        if (m->has_overrun) return HSD_END;
        HSD_TRY(visit->move(m, from, to, err));
    }
    return skip_numbers(m, count, err);
}

static hsd_status read_gc(mlpd *m, const mlpd_visit *visit, unsigned extra, hsd_error *err)
{
    switch (extra) {
    case 1: {
        const uint8_t event = hsd_mlpd_byte(m);
        hsd_mlpd_byte(m);
        if (visit->collection != NULL) visit->collection(m, event);
        return HSD_OK;
    }
    case 2: {
        const uint64_t bytes = hsd_mlpd_unsigned(m);
        if (visit->resize != NULL) visit->resize(m, bytes);
        return HSD_OK;
    }
    case 3: return read_moves(m, visit, err);
    case 4: return skip_numbers(m, 3, err);
    case 6: HSD_TRY(skip_numbers(m, 3, err)); return skip_backtrace(m, err);
    case 5: return skip_numbers(m, 2, err);
    case 7: HSD_TRY(skip_numbers(m, 2, err)); return skip_backtrace(m, err);
    case 8:
    case 9: return HSD_OK;
    case 10:
    case 11: return skip_numbers(m, 1, err);
    default: return HSD_END;
    }
}

/* ---- names ---- */

static hsd_status read_name(mlpd *m, const mlpd_visit *visit, mlpd_metadata kind, uint64_t pointer, hsd_error *err)
{
    uint8_t text[MLPD_TEXT_BYTES];
    hsd_bytes name;
    HSD_TRY(hsd_mlpd_text(m, text, &name, err));
    return visit->named == NULL ? HSD_OK : visit->named(m, kind, pointer, name, err);
}

static hsd_status read_metadata(mlpd *m, const mlpd_visit *visit, unsigned extra, hsd_error *err)
{
    enum { NAME_ALONE = 0 };
    const uint8_t kind = hsd_mlpd_byte(m);
    const uint64_t pointer = hsd_mlpd_pointer(m);
    switch (kind) {
    case MLPD_CLASS: hsd_mlpd_pointer(m); return read_name(m, visit, kind, pointer, err);
    case MLPD_IMAGE: return skip_texts(m, m->version >= 16 ? 2 : 1, err);
    case MLPD_ASSEMBLY: hsd_mlpd_pointer(m); return skip_texts(m, 1, err);
    case MLPD_DOMAIN_KIND: return extra == NAME_ALONE ? skip_texts(m, 1, err) : HSD_OK;
    case MLPD_THREAD:
        if (extra == NAME_ALONE) return read_name(m, visit, kind, pointer, err);
        return visit->named == NULL ? HSD_OK : visit->named(m, kind, pointer, (hsd_bytes){NULL, 0}, err);
    case MLPD_CONTEXT: hsd_mlpd_pointer(m); return HSD_OK;
    case MLPD_VTABLE: {
        hsd_mlpd_pointer(m);
        const uint64_t class_pointer = hsd_mlpd_pointer(m);
        return visit->vtable == NULL || m->has_overrun ? HSD_OK : visit->vtable(m, pointer, class_pointer, err);
    }
    case MLPD_AOT_ID: return skip_texts(m, 1, err);
    default: return HSD_END;
    }
}

/* ---- the heap ---- */

static hsd_status skip_references(mlpd *m, uint64_t count, hsd_error *err)
{
    return skip_numbers(m, count > UINT64_MAX / 2 ? UINT64_MAX : count * 2, err);
}

/* How many there are is all that the scan wants of objects. */
static hsd_status count_object(mlpd *m, const mlpd_visit *visit, hsd_error *err)
{
    HSD_TRY(skip_numbers(m, 2, err));
    mlpd_object object = {.size = hsd_mlpd_unsigned(m)};
    if (m->version >= MLPD_GENERATIONS) hsd_mlpd_byte(m);
    object.references = hsd_mlpd_unsigned(m);
    if (m->has_overrun) return HSD_END;
    if (m->is_in_shot && m->thread == m->shot_thread && visit->object != NULL) HSD_TRY(visit->object(m, &object, err));
    return skip_references(m, object.references, err);
}

static hsd_status read_object(mlpd *m, const mlpd_visit *visit, hsd_error *err)
{
    if (visit->reference == NULL) return count_object(m, visit, err);
    mlpd_object object = {.address = hsd_mlpd_object(m), .vtable = hsd_mlpd_pointer(m), .size = hsd_mlpd_unsigned(m)};
    object.generation = m->version >= MLPD_GENERATIONS ? hsd_mlpd_byte(m) : 1;
    object.references = hsd_mlpd_unsigned(m);
    if (m->has_overrun) return HSD_END;
    if (!m->is_in_shot || m->thread != m->shot_thread) return skip_references(m, object.references, err);
    HSD_TRY(visit->object(m, &object, err));
    uint64_t offset = 0;
    for (uint64_t i = 0; i < object.references; i++) {
        HSD_TRY(hsd_mlpd_look(m, PAIR_BYTES, err));
        if (m->at == m->end) return HSD_END;
        offset += hsd_mlpd_unsigned(m);
        const uint64_t target = hsd_mlpd_object(m);
        if (m->has_overrun) return HSD_END;
        HSD_TRY(visit->reference(m, offset, target, err));
    }
    return HSD_OK;
}

/* Of version 14 in files of major version 1: objects by the kind of what holds them. */
static hsd_status read_old_roots(mlpd *m, const mlpd_visit *visit, hsd_error *err)
{
    static const uint8_t sources[] = {MLPD_STACK, MLPD_FINALIZERS, MLPD_GC_HANDLE, MLPD_EXTERNAL, MLPD_EXTERNAL};
    const uint64_t count = hsd_mlpd_unsigned(m);
    hsd_mlpd_unsigned(m); /* number of collections */
    for (uint64_t i = 0; i < count; i++) {
        HSD_TRY(hsd_mlpd_look(m, 2 * PAIR_BYTES, err));
        if (m->at == m->end) return HSD_END;
        const uint64_t object = hsd_mlpd_object(m), kind = hsd_mlpd_unsigned(m) & 0xff;
        hsd_mlpd_unsigned(m);
        if (m->has_overrun) return HSD_END;
        const uint32_t source = kind < sizeof sources ? sources[kind] : MLPD_EXTERNAL;
        if (visit->root != NULL) HSD_TRY(visit->root(m, 0, object, source, err));
    }
    return HSD_OK;
}

static hsd_status read_roots(mlpd *m, const mlpd_visit *visit, hsd_error *err)
{
    if (m->version < MLPD_VTABLES && m->major < 2) return read_old_roots(m, visit, err);
    for (uint64_t count = hsd_mlpd_unsigned(m); count > 0; count--) {
        HSD_TRY(hsd_mlpd_look(m, PAIR_BYTES, err));
        if (m->at == m->end) return HSD_END;
        const uint64_t place = hsd_mlpd_pointer(m), object = hsd_mlpd_object(m);
        if (m->has_overrun) return HSD_END;
        if (visit->root != NULL) HSD_TRY(visit->root(m, place, object, MLPD_SOURCES, err));
    }
    return HSD_OK;
}

static hsd_status read_range(mlpd *m, const mlpd_visit *visit, bool is_gone, hsd_error *err)
{
    uint8_t text[MLPD_TEXT_BYTES];
    hsd_bytes name = {text, 0};
    mlpd_change change = {.time_ns = m->time_ns, .start = hsd_mlpd_pointer(m), .is_gone = is_gone};
    if (!is_gone) {
        change.size = hsd_mlpd_unsigned(m);
        change.source = hsd_mlpd_byte(m);
        change.key = hsd_mlpd_pointer(m);
        HSD_TRY(hsd_mlpd_text(m, text, &name, err));
    }
    return visit->range == NULL || m->has_overrun ? HSD_OK : visit->range(m, &change, name, err);
}

static hsd_status read_heap(mlpd *m, const mlpd_visit *visit, unsigned extra, hsd_error *err)
{
    switch (extra) {
    case 0:
        m->is_in_shot = true;
        m->is_shot_damaged = false;
        m->shot_thread = m->thread;
        return visit->begin_shot(m, err);
    case 1:
        if (!m->is_in_shot || m->thread != m->shot_thread) return HSD_OK;
        m->is_in_shot = false;
        return visit->end_shot(m, err);
    case 2: return read_object(m, visit, err);
    case 3: return read_roots(m, visit, err);
    case 4: return read_range(m, visit, false, err);
    case 5: return read_range(m, visit, true, err);
    default: return HSD_END;
    }
}

/* ---- all ---- */

static hsd_status read_event(mlpd *m, const mlpd_visit *visit, hsd_error *err)
{
    static const event_fn kinds[] = {
        [ALLOC] = read_alloc,         [GC] = read_gc,
        [METADATA] = read_metadata,   [METHOD] = read_method,
        [EXCEPTION] = read_exception, [MONITOR] = read_monitor,
        [HEAP] = read_heap,           [SAMPLE] = read_sample,
        [RUNTIME] = read_runtime,     [COVERAGE] = read_coverage,
        [META] = read_meta,
    };
    const uint8_t first = hsd_mlpd_byte(m);
    m->time_ns += hsd_mlpd_unsigned(m);
    const unsigned kind = first & 0x0f;
    return kind < sizeof kinds / sizeof kinds[0] ? kinds[kind](m, visit, first >> 4, err) : HSD_END;
}

/* HSD_END: the rest of the buffer says nothing. */
static hsd_status read_buffer(mlpd *m, const mlpd_visit *visit, hsd_error *err)
{
    while (!m->is_over) {
        HSD_TRY(hsd_mlpd_look(m, EVENT_BYTES, err));
        if (m->at == m->end) return HSD_OK;
        HSD_TRY(read_event(m, visit, err));
        if (m->has_overrun) return HSD_END;
    }
    return HSD_OK;
}

hsd_status hsd_mlpd_read_all(mlpd *m, const mlpd_visit *visit, const char *doing, hsd_error *err)
{
    hsd_status status;
    m->is_in_shot = m->is_over = false;
    m->unread_buffers = 0;
    HSD_TRY(hsd_mlpd_read_header(m, err));
    for (uint64_t buffers = 0; !m->is_over && (status = hsd_mlpd_next_buffer(m, err)) != HSD_END; buffers++) {
        HSD_TRY(status);
        if (buffers % PROGRESS_EVERY == 0)
            HSD_TRY(hsd_progress(m->import->reporter, doing, hsd_source_offset(m->source), m->source->total_bytes,
                                 err));
        status = read_buffer(m, visit, err);
        if (status < 0) return status;
        if (status == HSD_OK || m->is_cut) continue;
        m->unread_buffers++;
        m->is_shot_damaged |= m->is_in_shot && m->thread == m->shot_thread;
    }
    return HSD_OK;
}
