/*
 * Dumps and their packets. A dump is split into packets of one sequence and process, numbered from 0, all but the last
 * of which say that there is more. A number that is missing was lost when the buffer of the trace was full.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "import/perfetto/perfetto.h"

enum { GRAPH_PID = 1, GRAPH_CONTINUED = 5, GRAPH_INDEX = 6 };

typedef struct head { /* of one packet */
    uint64_t pid, index;
    bool continued, has_tables;
} head;

static hsd_status go_to(perfetto *self, const perfetto_packet *packet, hsd_proto_message *graph, hsd_error *err)
{
    *graph = (hsd_proto_message){.source = &self->graphs, .end = packet->offset + packet->size};
    return hsd_source_seek(&self->graphs, packet->offset, err);
}

static hsd_status read_head(perfetto *self, const perfetto_packet *packet, head *out, hsd_error *err)
{
    hsd_proto_message graph;
    hsd_proto_field field;
    hsd_status status;
    *out = (head){0};
    HSD_TRY(go_to(self, packet, &graph, err));
    while ((status = hsd_proto_next(&graph, &field, err)) == HSD_OK) {
        if (field.number == PERFETTO_OBJECTS)
            hsd_proto_pass_alike(&graph, &field);
        else if (field.number == GRAPH_PID)
            out->pid = field.value;
        else if (field.number == GRAPH_CONTINUED)
            out->continued = field.value != 0;
        else if (field.number == GRAPH_INDEX)
            out->index = field.value;
        else
            out->has_tables = true;
    }
    return status == HSD_END ? HSD_OK : status;
}

/* The open dump of a sequence and process, from the last on; 0 = there is none. */
static uint32_t find_open(const perfetto *self, uint64_t sequence, uint64_t pid)
{
    for (uint32_t i = self->dump_count; i > 0; i--) {
        const perfetto_dump *dump = &self->dumps[i - 1];
        if (dump->sequence == sequence && dump->pid == pid) return dump->is_open ? i : 0;
        if (self->dump_count - i > 1024) break; /* the dumps of that many processes do not interleave */
    }
    return 0;
}

static hsd_status add_packet(perfetto *self, perfetto_packet *packet, const head *h, hsd_error *err)
{
    packet->dump = find_open(self, packet->sequence, h->pid);
    /* another one, and the end is lost */
    if (packet->dump != 0 && h->index < self->dumps[packet->dump - 1].next_index) packet->dump = 0;
    if (packet->dump == 0) {
        HSD_TRY(hsd_import_grow((void **)&self->dumps, &self->dump_capacity, self->dump_count, sizeof *self->dumps,
                                err));
        self->dumps[self->dump_count] =
            (perfetto_dump){.sequence = packet->sequence, .pid = h->pid, .time_ns = packet->time_ns};
        packet->dump = ++self->dump_count;
    }
    perfetto_dump *dump = &self->dumps[packet->dump - 1];
    dump->has_lost = dump->has_lost || h->index != dump->next_index;
    dump->next_index = h->index + 1;
    dump->is_open = h->continued;
    packet->has_tables = h->has_tables;
    return HSD_OK;
}

hsd_status hsd_perfetto_find_dumps(perfetto *self, hsd_error *err)
{
    for (uint32_t i = 0; i < self->packet_count; i++) {
        head h;
        HSD_TRY(read_head(self, &self->packets[i], &h, err));
        HSD_TRY(add_packet(self, &self->packets[i], &h, err));
    }
    return hsd_perfetto_check_memory(self, err);
}

/* "1 = com.app (pid 17, 0 s), 2 = …": seconds since the first. As many as fit, in what a terminal may be shown. */
static void list_dumps(const perfetto *self, char *out, size_t size)
{
    size_t used = 0;
    for (uint32_t i = 0; i < self->dump_count && used + 1 < size; i++) {
        const perfetto_dump *dump = &self->dumps[i];
        const uint64_t since = dump->time_ns > self->dumps[0].time_ns ? dump->time_ns - self->dumps[0].time_ns : 0;
        const int more =
            snprintf(out + used, size - used, "%s%" PRIu32 " = %.40s (pid %" PRIu64 ", %" PRIu64 " s)",
                     i > 0 ? ", " : "", i + 1, hsd_perfetto_process(self, dump->pid), dump->pid, since / 1000000000);
        if (more < 0) break;
        used += (size_t)more;
    }
    for (char *c = out; *c != '\0'; c++)
        if ((unsigned char)*c < 0x20 || (unsigned char)*c >= 0x7f) *c = '?';
}

hsd_status hsd_perfetto_choose_dump(perfetto *self, hsd_error *err)
{
    char list[320] = "";
    const unsigned wanted = self->import->options->dump_number;
    if (self->dump_count == 0) {
        hsd_fail(err, HSD_E_UNSUPPORTED, "this trace of Perfetto holds no heap graph");
        hsd_error_set_hint(err, "record one with the data source android.java_hprof: tools/java_heap_dump -n PROCESS");
        return HSD_E_UNSUPPORTED;
    }
    self->dump = wanted == 0 ? 1 : wanted;
    if (self->dump <= self->dump_count && (wanted != 0 || self->dump_count == 1)) return HSD_OK;
    list_dumps(self, list, sizeof list);
    if (wanted == 0)
        hsd_fail(err, HSD_E_UNSUPPORTED, "this trace holds %" PRIu32 " heap graphs: %s", self->dump_count, list);
    else
        hsd_fail(err, HSD_E_UNSUPPORTED, "there is no heap graph %u among the %" PRIu32 " of this trace: %s", wanted,
                 self->dump_count, list);
    hsd_error_set_hint(err, "say which by its place: --dump N");
    return HSD_E_UNSUPPORTED;
}

hsd_status hsd_perfetto_each_packet(perfetto *self, perfetto_packet_fn take, bool with_tables, hsd_error *err)
{
    for (uint32_t i = 0; i < self->packet_count; i++) {
        hsd_proto_message graph;
        if (self->packets[i].dump != self->dump || (with_tables && !self->packets[i].has_tables)) continue;
        HSD_TRY(go_to(self, &self->packets[i], &graph, err));
        HSD_TRY(take(self, &graph, err));
        HSD_TRY(hsd_progress(self->import->reporter, "reading a heap graph", i, self->packet_count, err));
    }
    return HSD_OK;
}
