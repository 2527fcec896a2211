/* Traces of Perfetto as files, seeds of the fuzz target: write_perfetto_samples FOLDER. */
#include <stdio.h>

#include "support/perfetto_writer.h"

static int write_trace(const char *folder, const char *name, pf_message *trace)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.pftrace", folder, name);
    FILE *file = fopen(path, "wb");
    const int is_written = file != NULL && fwrite(trace->data, 1, trace->size, file) == trace->size;
    const int is_closed = file != NULL && fclose(file) == 0;
    pf_release(trace);
    return is_written && is_closed ? 0 : 1;
}

int main(int count, char **arguments)
{
    pf_message plain = {0}, old = {0}, packed = {0}, several = {0};
    if (count != 2) return 2;
    pf_add_clocks(&plain);
    pf_add_heap(&plain, &(pf_heap){.sessions = 25});
    pf_add_processes(&plain);
    pf_add_heap(&old, &(pf_heap){.sessions = 4,
                                 .is_unpacked = true,
                                 .has_field_ids = true,
                                 .has_plain_ids = true,
                                 .packet_objects = 100});
    pf_add_heap(&packed, &(pf_heap){.sessions = 12});
    pf_compress(&packed);
    pf_add_heap(&several, &(pf_heap){.sessions = 3, .lost = 1});
    pf_add_heap(&several, &(pf_heap){.sessions = 3, .pid = 18, .sequence = 2});
    return write_trace(arguments[1], "plain", &plain) | write_trace(arguments[1], "old", &old) |
           write_trace(arguments[1], "packed", &packed) | write_trace(arguments[1], "several", &several);
}
