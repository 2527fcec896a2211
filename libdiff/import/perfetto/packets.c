/*
 * From a trace to its heap graphs. Everything else is passed over; what is packed (compressed_packets, zlib) is
 * unpacked on the way.
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "import/perfetto/perfetto.h"
#include "io/zip.h"

enum { TRACE_PACKET = 1 };
enum {
    PACKET_PROCESSES = 2,
    PACKET_CLOCKS = 6,
    PACKET_TIME = 8,
    PACKET_SEQUENCE = 10,
    PACKET_COMPRESSED = 50,
    PACKET_HEAP_GRAPH = 56,
    PACKET_ZSTD = 133
};
enum { CLOCK_REAL = 1, CLOCK_BOOT = 6 };
#define NAME_BYTES         256u
#define INNER_WINDOW_BYTES ((size_t)64 << 10)

/* ---- what is packed ---- */

typedef struct unpacking { /* a source over the bytes of one field */
    hsd_source *below;
    hsd_unzip *unzip;
    uint64_t left;
    bool is_at_end;
} unpacking;

static hsd_status read_unpacked(void *context, void *data, size_t size, size_t *got, hsd_error *err)
{
    unpacking *u = context;
    *got = 0;
    while (*got == 0 && !u->is_at_end) {
        if (u->left > 0) {
            const hsd_status status = hsd_source_peek(u->below, 1, err);
            if (status < 0) return status;
        }
        size_t used = (size_t)hsd_min_u64(u->left, hsd_source_ahead(u->below)), out = size;
        const hsd_status status = hsd_unzip_step(u->unzip, u->below->at, &used, data, &out, err);
        if (status < 0) return status;
        hsd_source_take(u->below, used);
        u->left -= used;
        *got = out;
        if (status == HSD_END)
            u->is_at_end = true;
        else if (used == 0 && out == 0)
            return hsd_fail(err, HSD_E_TRUNCATED, "compressed packets end in the middle");
    }
    return HSD_OK;
}

static void close_unpacked(void *context)
{
    unpacking *u = context;
    hsd_unzip_free(u->unzip);
    free(u);
}

static const hsd_source_ops unpacking_ops = {.read = read_unpacked, .close = close_unpacked};

static hsd_status open_unpacked(hsd_source *out, hsd_source *below, uint64_t size, hsd_error *err)
{
    unpacking *u = calloc(1, sizeof *u);
    *out = (hsd_source){0};
    if (u == NULL) return hsd_fail_nomem(err, "compressed packets");
    *u = (unpacking){.below = below, .left = size};
    const hsd_status status = hsd_unzip_new(&u->unzip, HSD_ZIP_ZLIB, err);
    if (status != HSD_OK) {
        free(u);
        return status;
    }
    return hsd_source_open_custom(out, &unpacking_ops, u, below->name, INNER_WINDOW_BYTES, false, err);
}

/* ---- what stands beside heap graphs ---- */

static hsd_status take_clock(perfetto *self, hsd_proto_message *message, uint64_t *boot, uint64_t *real, hsd_error *err)
{
    hsd_proto_field field;
    uint64_t clock = 0, time = 0;
    hsd_status status;
    (void)self;
    while ((status = hsd_proto_next(message, &field, err)) == HSD_OK) {
        if (field.number == 1) clock = field.value;
        if (field.number == 2) time = field.value;
    }
    if (clock == CLOCK_BOOT) *boot = time;
    if (clock == CLOCK_REAL) *real = time;
    return status == HSD_END ? HSD_OK : status;
}

static hsd_status take_clocks(perfetto *self, hsd_proto_message message, hsd_error *err)
{
    hsd_proto_field field;
    hsd_proto_message inner;
    uint64_t boot = 0, real = 0;
    hsd_status status;
    while ((status = hsd_proto_next(&message, &field, err)) == HSD_OK) {
        if (field.number != 1 || field.wire != HSD_PROTO_BYTES) continue;
        HSD_TRY(hsd_proto_enter(&message, &field, &inner, err));
        HSD_TRY(take_clock(self, &inner, &boot, &real, err));
    }
    if (boot != 0 && real != 0 && self->boot_ns == 0) {
        self->boot_ns = boot;
        self->real_ns = real;
    }
    return status == HSD_END ? HSD_OK : status;
}

static hsd_status name_process(perfetto *self, uint64_t pid, hsd_bytes name, hsd_error *err)
{
    uint32_t row;
    if (self->process_rows.count >= PERFETTO_PROCESSES || hsd_id_table_find(&self->process_rows, pid) != 0)
        return HSD_OK;
    HSD_TRY(hsd_id_table_put(&self->process_rows, pid, &row, err));
    HSD_TRY(hsd_import_grow((void **)&self->process_names, &self->process_capacity, row, sizeof *self->process_names,
                            err));
    return hsd_names_put(&self->texts, name, &self->process_names[row], err);
}

static hsd_status take_process(perfetto *self, hsd_proto_message message, hsd_error *err)
{
    hsd_proto_field field;
    hsd_bytes bytes;
    char name[NAME_BYTES];
    size_t size = 0;
    uint64_t pid = 0;
    hsd_status status;
    while ((status = hsd_proto_next(&message, &field, err)) == HSD_OK) {
        if (field.number == 1) pid = field.value;
        if (field.number != 3 || size > 0) continue; /* the first word of the command line */
        HSD_TRY(hsd_proto_bytes(&message, &field, sizeof name, &bytes, err));
        memcpy(name, bytes.data, bytes.size);
        size = bytes.size;
    }
    if (status == HSD_END && size > 0) HSD_TRY(name_process(self, pid, (hsd_bytes){(const uint8_t *)name, size}, err));
    return status == HSD_END ? HSD_OK : status;
}

static hsd_status take_processes(perfetto *self, hsd_proto_message message, hsd_error *err)
{
    hsd_proto_field field;
    hsd_proto_message inner;
    hsd_status status;
    while ((status = hsd_proto_next(&message, &field, err)) == HSD_OK) {
        if (field.number != 1 || field.wire != HSD_PROTO_BYTES) continue;
        HSD_TRY(hsd_proto_enter(&message, &field, &inner, err));
        HSD_TRY(take_process(self, inner, err));
    }
    return status == HSD_END ? HSD_OK : status;
}

/* ---- packets ---- */

static hsd_status read_trace(perfetto *self, hsd_source *source, bool is_inner, hsd_error *err);

static hsd_status copy_packet(perfetto *self, hsd_source *source, uint64_t size, uint64_t offset, hsd_error *err)
{
    while (size > 0) {
        const hsd_status status = hsd_source_peek(source, 1, err);
        if (status < 0) return status;
        if (status == HSD_END)
            return hsd_fail_at(err, HSD_E_TRUNCATED, hsd_source_offset(source), "the trace ends inside a packet");
        const size_t step = (size_t)hsd_min_u64(size, hsd_source_ahead(source));
        HSD_TRY(hsd_temp_write(&self->temp, offset, source->at, step, err));
        hsd_source_take(source, step);
        offset += step;
        size -= step;
    }
    return HSD_OK;
}

static hsd_status read_compressed(perfetto *self, hsd_source *source, uint64_t size, hsd_error *err)
{
    hsd_source inner;
    HSD_TRY(open_unpacked(&inner, source, size, err));
    const hsd_status status = read_trace(self, &inner, true, err);
    hsd_source_close(&inner);
    return status;
}

static hsd_status refuse_zstd(uint64_t offset, hsd_error *err)
{
    hsd_fail_at(err, HSD_E_UNSUPPORTED, offset,
                "this trace has packets that are compressed by zstd, which hsdiff does not unpack in a trace");
    hsd_error_set_hint(err, "record it without compression_type, or with COMPRESSION_TYPE_DEFLATE");
    return HSD_E_UNSUPPORTED;
}

static hsd_status take_field(perfetto *self, hsd_proto_message *message, const hsd_proto_field *field, bool is_inner,
                             perfetto_packet *packet, uint64_t end, hsd_error *err)
{
    hsd_proto_message inner;
    if (field->wire == HSD_PROTO_VARINT) {
        if (field->number == PACKET_TIME) packet->time_ns = field->value;
        if (field->number == PACKET_SEQUENCE) packet->sequence = field->value;
        return HSD_OK;
    }
    if (field->wire != HSD_PROTO_BYTES) return HSD_OK;
    if (field->number == PACKET_HEAP_GRAPH) {
        packet->offset = end;
        packet->size = field->size;
        return copy_packet(self, message->source, field->size, end, err);
    }
    if (field->number == PACKET_COMPRESSED && !is_inner)
        return read_compressed(self, message->source, field->size, err);
    if (field->number == PACKET_ZSTD) return refuse_zstd(field->offset, err);
    if (field->number != PACKET_PROCESSES && field->number != PACKET_CLOCKS) return HSD_OK;
    HSD_TRY(hsd_proto_enter(message, field, &inner, err));
    return field->number == PACKET_CLOCKS ? take_clocks(self, inner, err) : take_processes(self, inner, err);
}

/* Where the next packet goes: behind the last that is whole. */
static uint64_t end_of_packets(const perfetto *self)
{
    if (self->packet_count == 0) return 0;
    const perfetto_packet *last = &self->packets[self->packet_count - 1];
    return last->offset + last->size;
}

static hsd_status read_packet(perfetto *self, hsd_proto_message message, bool is_inner, hsd_error *err)
{
    perfetto_packet packet = {0};
    hsd_proto_field field;
    hsd_status status;
    while ((status = hsd_proto_next(&message, &field, err)) == HSD_OK)
        HSD_TRY(take_field(self, &message, &field, is_inner, &packet, end_of_packets(self), err));
    if (status != HSD_END || packet.size == 0) return status == HSD_END ? HSD_OK : status;
    HSD_TRY(hsd_import_grow((void **)&self->packets, &self->packet_capacity, self->packet_count, sizeof *self->packets,
                            err));
    self->packets[self->packet_count++] = packet;
    return hsd_perfetto_check_memory(self, err);
}

static hsd_status read_trace(perfetto *self, hsd_source *source, bool is_inner, hsd_error *err)
{
    hsd_proto_message trace = hsd_proto_all(source), packet;
    hsd_proto_field field;
    hsd_status status;
    while ((status = hsd_proto_next(&trace, &field, err)) == HSD_OK) {
        if (field.number != TRACE_PACKET || field.wire != HSD_PROTO_BYTES) continue;
        HSD_TRY(hsd_proto_enter(&trace, &field, &packet, err));
        HSD_TRY(read_packet(self, packet, is_inner, err));
        if (!is_inner)
            HSD_TRY(hsd_progress(self->import->reporter, "looking for heap graphs", hsd_source_offset(source),
                                 source->total_bytes, err));
    }
    return status == HSD_END ? HSD_OK : status;
}

/* A trace that was cut off has its whole packets. */
static hsd_status read_all_packets(perfetto *self, hsd_error *err)
{
    hsd_error cut;
    hsd_error_init(&cut);
    const hsd_status status = read_trace(self, self->import->source, false, &cut);
    if (status == HSD_OK) return HSD_OK;
    self->is_cut = status == HSD_E_TRUNCATED && self->import->options->salvage && self->packet_count > 0;
    if (self->is_cut) return HSD_OK;
    return hsd_import_give_up(status, &cut, self->packet_count > 0, err);
}

hsd_status hsd_perfetto_read_packets(perfetto *self, hsd_error *err)
{
    uint32_t empty;
    HSD_TRY(hsd_names_put(&self->texts, (hsd_bytes){0}, &empty, err));
    HSD_TRY(hsd_temp_open(&self->temp, self->import->space, err));
    HSD_TRY(read_all_packets(self, err));
    hsd_import_note_input(self->import);
    return hsd_source_open_temp(&self->graphs, &self->temp, self->import->source->name, 0, err);
}

const char *hsd_perfetto_process(const perfetto *self, uint64_t pid)
{
    const uint32_t row = hsd_id_table_find(&self->process_rows, pid);
    return row == 0 ? "" : (const char *)hsd_names_get(&self->texts, self->process_names[row]).data;
}

uint64_t hsd_perfetto_unix_ns(const perfetto *self, uint64_t boot_ns)
{
    const int64_t ahead = (int64_t)(self->real_ns - self->boot_ns);
    if (self->boot_ns == 0 || boot_ns == 0 || boot_ns > INT64_MAX / 2 || ahead < 0 || ahead > INT64_MAX / 2) return 0;
    return boot_ns + (uint64_t)ahead;
}
