/*
 * hsd_many: writes a capture of more objects, or of more references, than a number of 32 bits counts, or of as many as
 * are asked for.
 *
 * usage: hsd_many OBJECTS LEAKED FILE      OBJECTS records, and behind them a cache of LEAKED entries; FILE is replaced
 *        hsd_many NODES FILE               NODES objects, each of which refers to all: 66,000 have 4.4 thousand million
 *
 * Records have 32 bytes and no references, and one root holds the first of them. Behind them stand what a reader must
 * number past them: many.cache -> many.Cache .entries -> many.Entry[] -> many.Entry .text -> many.Text. Some 0.01 bytes
 * of a file and 20 ns of the processor a record, in a fixed amount of memory, so 4.4 thousand million take minutes. Of
 * nodes one root holds the first: static many.all.
 */
#include <hscapture/hscapture.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RECORD = 1, CACHE, ENTRIES, ENTRY, TEXT, NODE };                     /* types */
enum { RECORDS_ROOT = 1, CACHE_ROOT, ENTRIES_FIELD, TEXT_FIELD, ALL_ROOT }; /* strings */
enum { OF_ENTRIES = 1, AN_ELEMENT, OF_TEXT };                               /* labels */

static const char *const types[] = {"many.Record", "many.Cache", "many.Entry[]",
                                    "many.Entry",  "many.Text",  "many.Node"};
static const char *const strings[] = {"many.records", "many.cache", "entries", "text", "many.all"};

static uint64_t id_of(uint64_t number) { return (number + 1) * 16; }

static void write_names(hsc_writer *w)
{
    for (uint32_t i = 0; i < sizeof types / sizeof types[0]; i++)
        hsc_define_type(w, i + 1, types[i], strlen(types[i]), 0);
    for (uint32_t i = 0; i < sizeof strings / sizeof strings[0]; i++)
        hsc_define_string(w, i + 1, strings[i], strlen(strings[i]));
    hsc_define_label(w, OF_ENTRIES, HSC_LABEL_FIELD, 0, ENTRIES_FIELD);
    hsc_define_label(w, AN_ELEMENT, HSC_LABEL_ELEMENT, 0, 0);
    hsc_define_label(w, OF_TEXT, HSC_LABEL_FIELD, 0, TEXT_FIELD);
}

static void write_root(hsc_writer *w, uint32_t name, uint64_t target)
{
    hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_STATIC, .label = name, .target = id_of(target)});
}

static void begin(hsc_writer *w, uint64_t number, uint32_t type, uint64_t size_bytes)
{
    hsc_begin_object(w, &(hsc_object){.id = id_of(number), .type = type, .size_bytes = size_bytes});
}

/* Numbered from `first` on: the cache, its array, and each entry with its text. */
static void write_cache(hsc_writer *w, uint64_t first, uint64_t entries)
{
    begin(w, first, CACHE, 24);
    hsc_reference(w, id_of(first + 1), OF_ENTRIES, 0);
    hsc_end_object(w);
    begin(w, first + 1, ENTRIES, 16 + entries * 8);
    for (uint64_t i = 0; i < entries; i++)
        hsc_reference(w, id_of(first + 2 + 2 * i), AN_ELEMENT, i);
    hsc_end_object(w);
    for (uint64_t i = 0; i < entries; i++) {
        begin(w, first + 2 + 2 * i, ENTRY, 64);
        hsc_reference(w, id_of(first + 3 + 2 * i), OF_TEXT, 0);
        hsc_end_object(w);
        begin(w, first + 3 + 2 * i, TEXT, 1000);
        hsc_end_object(w);
    }
}

static void write_records(hsc_writer *w, uint64_t records, uint64_t leaked)
{
    if (records > 0) write_root(w, RECORDS_ROOT, 0);
    write_root(w, CACHE_ROOT, records);
    for (uint64_t i = 0; i < records; i++) {
        begin(w, i, RECORD, 32);
        hsc_end_object(w);
    }
    write_cache(w, records, leaked);
}

static void write_nodes(hsc_writer *w, uint64_t count, const uint64_t *ids)
{
    if (count > 0) write_root(w, ALL_ROOT, 0);
    for (uint64_t i = 0; i < count; i++) {
        begin(w, i, NODE, 32);
        hsc_references(w, ids, NULL, NULL, (size_t)count);
        hsc_end_object(w);
    }
}

int main(int argc, char **argv)
{
    if (argc != 3 && argc != 4) return fputs("usage: hsd_many OBJECTS LEAKED FILE, or NODES FILE\n", stderr), 2;
    const uint64_t objects = strtoull(argv[1], NULL, 10), leaked = argc == 4 ? strtoull(argv[2], NULL, 10) : 0;
    const char *path = argv[argc - 1];
    uint64_t *ids = argc == 3 && objects < UINT32_MAX ? calloc(objects + 1, sizeof *ids) : NULL;
    if (argc == 3 && ids == NULL) return fputs("hsd_many: no memory for so many nodes\n", stderr), 1;
    for (uint64_t i = 0; ids != NULL && i < objects; i++)
        ids[i] = id_of(i);
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
    unlink(path);
    if (hsc_open_file(&w, path, &options) != HSC_OK) return fprintf(stderr, "hsd_many: cannot write %s\n", path), 1;
    write_names(w);
    if (ids != NULL)
        write_nodes(w, objects, ids);
    else
        write_records(w, objects, leaked);
    const hsc_status status = hsc_finish(w);
    if (status != HSC_OK) fprintf(stderr, "hsd_many: %s: %s\n", path, hsc_error_text(w));
    hsc_close(w);
    free(ids);
    return status == HSC_OK ? 0 : 1;
}
