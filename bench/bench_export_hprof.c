/*
 * Writing heap dumps of a JVM: nodes of a list with a name and a table each; or a capture that is there (exporting.h).
 *
 *      bench_export_hprof [OBJECTS | FILE.hs]      CSV: stage,shape,memory,items,seconds,M items/s,MB/s
 */
#include <string.h>

#include "exporting.h"

enum { OF_NODE = 3, TABLE = 6 };

static uint64_t id_of(bool by_ordinal, uint64_t number)
{
    return by_ordinal ? number + 1 : UINT64_C(0x7f0000000000) + number * 64;
}

static uint64_t name_of(bool by_ordinal, uint64_t number) { return by_ordinal ? number : id_of(false, number); }

static void put_node(hsc_writer *w, bool by_ordinal, uint64_t at, uint64_t objects)
{
    const uint64_t next = (at + OF_NODE) % objects;
    hsc_begin_object(w, &(hsc_object){.id = id_of(by_ordinal, at), .type = 1, .size_bytes = 48});
    for (uint32_t i = 1; i < OF_NODE; i++)
        hsc_reference(w, name_of(by_ordinal, at + i), i, 0);
    hsc_reference(w, name_of(by_ordinal, next), 3, 0);
    hsc_end_object(w);
    hsc_begin_object(w, &(hsc_object){.id = id_of(by_ordinal, at + 1), .type = 2, .size_bytes = 24 + at % 5 * 8});
    hsc_end_object(w);
    hsc_begin_object(
        w, &(hsc_object){.id = id_of(by_ordinal, at + 2), .type = 3, .size_bytes = 16 + 4 * TABLE, .elements = TABLE});
    for (uint64_t i = 0; i < TABLE; i += 2)
        hsc_reference(w, name_of(by_ordinal, (at + i * OF_NODE) % objects), 4, i);
    hsc_end_object(w);
}

static void make(hsc_writer *w, bool by_ordinal, uint64_t objects)
{
    static const char *const types[] = {"Node", "Text", "Node[]"}, *const names[] = {"name", "table", "next"};
    const uint64_t whole = objects / OF_NODE * OF_NODE;
    for (uint32_t i = 0; i < 3; i++) {
        hsc_define_type(w, i + 1, types[i], strlen(types[i]), 0);
        hsc_define_string(w, i + 1, names[i], strlen(names[i]));
        hsc_define_label(w, i + 1, HSC_LABEL_FIELD, 0, i + 1);
    }
    hsc_define_label(w, 4, HSC_LABEL_ELEMENT, 0, 0);
    for (uint64_t at = 0; at < whole; at += OF_NODE)
        put_node(w, by_ordinal, at, whole);
    hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_GLOBAL, .target = name_of(by_ordinal, 0)});
}

int main(int argc, char **argv) { return bench_export_main(argc, argv, "hprof", make); }
