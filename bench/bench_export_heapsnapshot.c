/*
 * Writing heap snapshots: a server's heap, sessions with a name, a list and an entry each; or a capture that is there
 * (exporting.h).
 *
 *      bench_export_heapsnapshot [OBJECTS | FILE.hs]      CSV: stage,shape,memory,items,seconds,M items/s,MB/s
 */
#include <string.h>

#include "exporting.h"

enum { OF_SESSION = 4 };

static const char *const words[] = {"Session", "String", "Array", "Entry", "name", "cart", "next", "value"};

static uint64_t name_of(bool by_ordinal, uint64_t number)
{
    return by_ordinal ? number : UINT64_C(0x7f0000000000) + number * 48;
}

static void put(hsc_writer *w, bool by_ordinal, uint64_t number, uint32_t type, const uint64_t *targets,
                const uint32_t *labels, size_t count)
{
    uint64_t named[4];
    const uint64_t id = by_ordinal ? 2 * number + 1 : name_of(false, number);
    for (size_t i = 0; i < count; i++)
        named[i] = name_of(by_ordinal, targets[i]);
    hsc_begin_object(w, &(hsc_object){.id = id, .type = type, .size_bytes = 16 + 8 * (number % 7)});
    hsc_references(w, named, labels, NULL, count);
    hsc_end_object(w);
}

static void put_session(hsc_writer *w, bool by_ordinal, uint64_t at, uint64_t sessions, uint64_t *random)
{
    static const uint32_t of_session[] = {1, 2, 3}, of_entry[] = {4, 3}, of_list[] = {5, 5};
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    const uint64_t other = (*random >> 33) % sessions * OF_SESSION, next = (at + OF_SESSION) % (sessions * OF_SESSION);
    put(w, by_ordinal, at, 1, (uint64_t[]){at + 1, at + 2, other}, of_session, 3);
    put(w, by_ordinal, at + 1, 2, NULL, NULL, 0);
    put(w, by_ordinal, at + 2, 3, (uint64_t[]){at, other + 1}, of_list, 2);
    put(w, by_ordinal, at + 3, 4, (uint64_t[]){at, next + 3}, of_entry, 2);
}

static void make(hsc_writer *w, bool by_ordinal, uint64_t objects)
{
    const uint64_t sessions = objects / OF_SESSION;
    uint64_t random = 1;
    for (uint32_t i = 0; i < 4; i++)
        hsc_define_type(w, i + 1, words[i], strlen(words[i]), 0);
    for (uint32_t i = 0; i < 4; i++) {
        hsc_define_string(w, i + 1, words[4 + i], strlen(words[4 + i]));
        hsc_define_label(w, i + 1, HSC_LABEL_FIELD, 0, i + 1);
    }
    hsc_define_label(w, 5, HSC_LABEL_ELEMENT, 0, 0);
    for (uint64_t i = 0; i < sessions; i++)
        put_session(w, by_ordinal, i * OF_SESSION, sessions, &random);
    hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_STATIC, .target = name_of(by_ordinal, 3)});
}

int main(int argc, char **argv) { return bench_export_main(argc, argv, "heapsnapshot", make); }
