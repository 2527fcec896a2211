/*
 * Importing JVM heap dumps: the scan for a summary, and the whole import, on one core from the page cache.
 * Beside them the bound that the machine sets: reading the same bytes and nothing else.
 *
 *      bench_import_hprof [OBJECTS | FILE.hprof]      CSV: stage,shape,memory,items,seconds,M items/s,MB/s
 *
 * Without a file a dump of OBJECTS (default 2,000,000) is made as HotSpot writes it: classes, objects in
 * address order in segments of 1 MiB, roots. One session is a map node, a boxed key, a session object, a
 * string with its bytes, and an array of items: 47 bytes and 2.4 references an object, like a server's heap.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../tests/support/hprof_writer.h"
#include "base/note.h"
#include <hsdiff/import.h>

#define REPEATS       3
#define SEGMENT_BYTES ((size_t)1 << 20)

enum {
    OBJECT = 0xe0000100,
    STRING = 0xe0000200,
    NODE = 0xe0000300,
    SESSION = 0xe0000400,
    ITEM = 0xe0000500,
    ITEMS = 0xe0000600,
    INTEGER = 0xe0000700
};

typedef struct making {
    hprof_writer w;
    FILE *file;
    uint64_t next; /* address of the next object */
    uint64_t random;
    uint64_t objects;
} making;

static void flush(making *m)
{
    hw_close(&m->w);
    if (fwrite(m->w.data, 1, m->w.size, m->file) != m->w.size) exit(1);
    m->w.size = 0;
}

/* The address of an object of this size; a full segment is written first. */
static uint64_t place(making *m, unsigned size)
{
    const uint64_t at = m->next;
    m->next += size;
    m->objects++;
    if (m->w.size > SEGMENT_BYTES) {
        flush(m);
        hw_open(&m->w, 0x1C);
    }
    return at;
}

static void make_classes(making *m)
{
    static const hw_field string_fields[] = {{1, 2, 0}, {2, 10, 0}, {3, 8, 0}, {0}};
    static const hw_field node_fields[] = {{2, 10, 0}, {4, 2, 0}, {1, 2, 0}, {5, 2, 0}, {0}};
    static const hw_field session_fields[] = {{6, 11, 0}, {7, 2, 0}, {8, 2, 0}, {9, 2, 0}, {0}};
    static const hw_field item_fields[] = {{6, 10, 0}, {10, 2, 0}, {0}};
    static const hw_field integer_fields[] = {{1, 10, 0}, {0}};
    static const char *const words[] = {"value",
                                        "hash",
                                        "coder",
                                        "key",
                                        "next",
                                        "id",
                                        "name",
                                        "cart",
                                        "peer",
                                        "owner",
                                        "java/lang/Object",
                                        "java/lang/String",
                                        "java/util/HashMap$Node",
                                        "Session",
                                        "Item",
                                        "[LItem;",
                                        "java/lang/Integer"};
    const hw_class classes[] = {{.id = OBJECT},
                                {.id = STRING, .super = OBJECT, .fields = string_fields},
                                {.id = NODE, .super = OBJECT, .fields = node_fields},
                                {.id = SESSION, .super = OBJECT, .fields = session_fields},
                                {.id = ITEM, .super = OBJECT, .fields = item_fields},
                                {.id = ITEMS, .super = OBJECT},
                                {.id = INTEGER, .super = OBJECT, .fields = integer_fields}};
    for (unsigned i = 0; i < 17; i++)
        hw_string(&m->w, 1 + i, words[i]);
    for (unsigned i = 0; i < 7; i++)
        hw_load_class(&m->w, 1 + i, OBJECT + 0x100 * i, 11 + i);
    hw_open(&m->w, 0x1C);
    for (unsigned i = 0; i < 7; i++)
        hw_class_dump(&m->w, &classes[i]);
    for (unsigned i = 0; i < 7; i++)
        if (i < 3 || i == 6) hw_root(&m->w, 0x05, OBJECT + 0x100 * i);
}

static void make_session(making *m, uint64_t before)
{
    uint64_t items[4];
    m->random = m->random * 6364136223846793005u + 1442695040888963407u;
    const unsigned count = (unsigned)(m->random >> 62);
    const uint64_t session = place(m, 40), name = session + 40, chars = name + 24, key = chars + 32, node = key + 16,
                   cart = node + 32;
    hw_instance(&m->w, session, 1, SESSION);
    hw_u8(&m->w, m->random >> 40);
    hw_id(&m->w, name);
    hw_id(&m->w, cart);
    hw_id(&m->w, session - (m->random >> 44) % 0x100000 / 8 * 8);
    hw_instance_end(&m->w);
    place(m, 24);
    hw_instance(&m->w, name, 1, STRING);
    hw_id(&m->w, chars);
    hw_u4(&m->w, 0);
    hw_u1(&m->w, 0);
    hw_instance_end(&m->w);
    place(m, 32);
    hw_prim_array(&m->w, chars, 1, 8, 14, "user number 17");
    place(m, 16);
    hw_instance(&m->w, key, 1, INTEGER);
    hw_u4(&m->w, (uint32_t)(m->random >> 40));
    hw_instance_end(&m->w);
    place(m, 32);
    hw_instance(&m->w, node, 1, NODE);
    hw_u4(&m->w, (uint32_t)(m->random >> 40));
    hw_id(&m->w, key);
    hw_id(&m->w, session);
    hw_id(&m->w, before);
    hw_instance_end(&m->w);
    place(m, 16 + 8 * ((count + 1) / 2));
    for (unsigned i = 0; i < count; i++)
        items[i] = m->next + 24 * i;
    hw_object_array(&m->w, cart, 1, ITEMS, count, items);
    for (unsigned i = 0; i < count; i++) {
        hw_instance(&m->w, place(m, 24), 1, ITEM);
        hw_u4(&m->w, i);
        hw_id(&m->w, session);
        hw_instance_end(&m->w);
    }
}

static void make_dump(FILE *file, uint64_t objects)
{
    making m = {.file = file, .next = UINT64_C(0xc0000000), .random = 88172645463325252u};
    uint64_t before = 0;
    hw_begin(&m.w, "1.0.2", 8, 0);
    make_classes(&m);
    while (m.objects < objects) {
        const uint64_t here = m.next + 40 + 24 + 32 + 16;
        make_session(&m, before);
        before = here;
    }
    hw_root(&m.w, 0x01, before);
    flush(&m);
    hw_end_mark(&m.w);
    flush(&m);
    hw_free(&m.w);
    if (fflush(file) != 0) exit(1);
}

/* ---- measuring ---- */

static void row(const char *shape, uint64_t items, uint64_t bytes, uint64_t ns)
{
    const double seconds = (double)ns * 1e-9;
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    printf("import_hprof,%s,%ld KiB,%llu,%.4f,%.1f,%.0f\n", shape, use.ru_maxrss, (unsigned long long)items, seconds,
           (double)items / seconds * 1e-6, (double)bytes / seconds * 1e-6);
    fflush(stdout);
}

static uint64_t read_all(const char *path)
{
    static char block[1 << 20];
    uint64_t bytes = 0;
    ssize_t got;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    while ((got = read(fd, block, sizeof block)) > 0)
        bytes += (uint64_t)got;
    close(fd);
    return bytes;
}

static hsd_import_result import(const char *path, const hsd_import_options *options)
{
    const hsd_run run = {.memory_bytes = UINT64_C(64) << 20};
    hsd_import_result result;
    hsd_error err;
    int out = -1;
    hsd_error_init(&err);
    if (hsd_import_temp(path, options, &run, &out, &result, &err) != HSD_OK) {
        fprintf(stderr, "bench_import_hprof: %s\n", err.text);
        exit(1);
    }
    close(out);
    return result;
}

static void measure(const char *path, const char *shape, const hsd_import_options *options)
{
    uint64_t best = UINT64_MAX;
    hsd_import_result result = {0};
    for (int i = 0; i < REPEATS; i++) {
        const uint64_t start = hsd_now_ns();
        result = import(path, options);
        const uint64_t took = hsd_now_ns() - start;
        best = took < best ? took : best;
    }
    row(shape, result.objects, result.input_bytes, best);
}

static void measure_bound(const char *path)
{
    uint64_t best = UINT64_MAX, bytes = 0;
    for (int i = 0; i < REPEATS; i++) {
        const uint64_t start = hsd_now_ns();
        bytes = read_all(path);
        const uint64_t took = hsd_now_ns() - start;
        best = took < best ? took : best;
    }
    row("bound: read", 0, bytes, best);
}

int main(int argc, char **argv)
{
    char made[64] = "/var/tmp/hsd-bench-XXXXXX";
    const char *path = argc > 1 ? argv[1] : made;
    char *end = NULL;
    const unsigned long long objects = argc > 1 ? strtoull(argv[1], &end, 10) : 2000000;
    const bool is_file = argc > 1 && *end != '\0';
    if (!is_file) {
        const int fd = mkstemp(made);
        FILE *file = fd < 0 ? NULL : fdopen(fd, "wb");
        if (file == NULL) return 1;
        make_dump(file, objects);
        fclose(file);
        path = made;
    }
    printf("stage,shape,memory,items,seconds,M items/s,MB/s\n");
    measure_bound(path);
    measure(path, "summary", &(hsd_import_options){.summary_only = true, .compression = 1});
    measure(path, "objects; level 1", &(hsd_import_options){.compression = 1});
    measure(path, "objects; stored", &(hsd_import_options){.compression = 0});
    if (!is_file) unlink(made);
    return 0;
}
