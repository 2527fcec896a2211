/*
 * hsd_many: writes a capture of more objects than a number of 32 bits counts, or of as many as are asked for.
 *
 * usage: hsd_many OBJECTS LEAKED FILE      OBJECTS records, and LEAKED more of type many.Leaked; FILE is replaced
 *
 * Records have 32 bytes and no references, leaked objects 64; one root holds the first of each. Some 0.01 bytes of a
 * file and 20 ns of the processor an object, in a fixed amount of memory, so 4.4 thousand million objects take minutes.
 */
#include <hscapture/hscapture.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void write_objects(hsc_writer *w, uint32_t type, uint64_t first, uint64_t count, uint64_t size_bytes)
{
    for (uint64_t i = 0; i < count; i++) {
        hsc_begin_object(w, &(hsc_object){.id = (first + i) * 16, .type = type, .size_bytes = size_bytes});
        hsc_end_object(w);
    }
}

static void write_root(hsc_writer *w, uint32_t label, const char *name, uint64_t first)
{
    hsc_define_string(w, label, name, strlen(name));
    hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_STATIC, .label = label, .target = first * 16});
}

int main(int argc, char **argv)
{
    if (argc != 4) return fputs("usage: hsd_many OBJECTS LEAKED FILE\n", stderr), 2;
    const uint64_t objects = strtoull(argv[1], NULL, 10), leaked = strtoull(argv[2], NULL, 10);
    hsc_options options;
    hsc_options_init(&options);
    options.producer = "hsd_many";
    options.runtime = "synthetic";
    options.facts = HSC_FACT_COLLECTED;
    options.identity = HSC_IDENTITY_EXACT;
    options.pointer_bytes = 8;
    options.compression = 1;
    memcpy(options.domain, "many objects....", 16);
    memcpy(options.capture_id, &objects, 8);
    memcpy(options.capture_id + 8, &leaked, 8);
    hsc_writer *w;
    unlink(argv[3]);
    if (hsc_open_file(&w, argv[3], &options) != HSC_OK)
        return fprintf(stderr, "hsd_many: cannot write %s\n", argv[3]), 1;
    hsc_define_type(w, 1, "many.Record", strlen("many.Record"), 0);
    hsc_define_type(w, 2, "many.Leaked", strlen("many.Leaked"), 0);
    write_root(w, 1, "many.records", 1);
    if (leaked > 0) write_root(w, 2, "many.leaked", objects + 1);
    write_objects(w, 1, 1, objects, 32);
    write_objects(w, 2, objects + 1, leaked, 64);
    const hsc_status status = hsc_finish(w);
    if (status != HSC_OK) fprintf(stderr, "hsd_many: %s: %s\n", argv[3], hsc_error_text(w));
    hsc_close(w);
    return status == HSC_OK ? 0 : 1;
}
