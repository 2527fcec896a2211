/*
 * wide_heap: writes a pair of captures with as many types as are asked for, in a tree of five levels, so that a report
 * of the two is as long as reports get. From one capture to the next every third leaf type doubles its objects and
 * every seventh loses them.
 *
 * usage: wide_heap TYPES FOLDER        writes FOLDER/a.hs and FOLDER/b.hs; what stands there is replaced
 *
 * The root is one Registry, which holds 100 Areas; each holds 10 Parts, each of these 10 Units, and the Units share the
 * leaves, of which each has a type of its own and 1 to 4 objects. Area 0 is of type "wide.Area0" in both captures, and
 * so on.
 */
#include <hscapture/hscapture.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { AREAS = 100, PARTS = 10, UNITS = 10, ALL_UNITS = AREAS * PARTS * UNITS };

typedef struct heap {
    hsc_writer *writer;
    uint64_t leaf_types;
    int is_after;
    hsc_status status; /* the first that was not HSC_OK */
} heap;

static void note(heap *h, hsc_status status)
{
    if (h->status == HSC_OK) h->status = status;
}

/* Levels above the leaves are numbered one after the other: the registry, areas, parts, units. */
enum {
    FIRST_AREA = 1,
    FIRST_PART = FIRST_AREA + AREAS,
    FIRST_UNIT = FIRST_PART + AREAS * PARTS,
    FIRST_LEAF = FIRST_UNIT + ALL_UNITS
};

static uint64_t id_of(uint64_t number) { return 2 * number + 1; }

/* Four objects of each leaf type have an id, whether they are there or not. */
static uint64_t leaf_id(uint64_t leaf, unsigned copy) { return id_of(FIRST_LEAF + 4 * leaf + copy); }

static unsigned copies(const heap *h, uint64_t leaf)
{
    const unsigned before = leaf % 7 == 0 ? 1 : 1 + leaf % 2;
    if (!h->is_after) return before;
    if (leaf % 3 == 0) return 2 * before;
    return leaf % 7 == 0 ? 0 : before;
}

/* ---- tables ---- */

static void define_type(heap *h, uint64_t type, const char *name_before, uint64_t number, const char *name_behind)
{
    char name[96];
    const int size = snprintf(name, sizeof name, "%s%" PRIu64 "%s", name_before, number, name_behind);
    note(h, hsc_define_type(h->writer, (uint32_t)type + 1, name, (size_t)size, 0));
}

static void write_tables(heap *h)
{
    define_type(h, 0, "wide.Registry", 0, "");
    for (uint64_t i = 0; i < AREAS; i++)
        define_type(h, FIRST_AREA + i, "wide.Area", i, "");
    for (uint64_t i = 0; i < AREAS * PARTS; i++)
        define_type(h, FIRST_PART + i, "wide.Part", i, "");
    for (uint64_t i = 0; i < ALL_UNITS; i++)
        define_type(h, FIRST_UNIT + i, "wide.Unit", i, "");
    for (uint64_t i = 0; i < h->leaf_types; i++)
        define_type(h, FIRST_LEAF + i, "com.example.wide.generated.Leaf", i, "<java.lang.String>");
    note(h, hsc_define_string(h->writer, 1, "items", 5));
    note(h, hsc_define_string(h->writer, 2, "static wide.Registry0.it", 24));
    note(h, hsc_define_label(h->writer, 1, HSC_LABEL_FIELD, 0, 1));
}

/* ---- objects ---- */

static void begin(heap *h, uint64_t id, uint64_t type, uint64_t bytes)
{
    const hsc_object object = {.id = id, .size_bytes = bytes, .type = (uint32_t)type + 1};
    note(h, hsc_begin_object(h->writer, &object));
}

/* An object of the upper levels, which refers to `count` others from `first` on. */
static void write_upper(heap *h, uint64_t number, uint64_t first, uint64_t count)
{
    begin(h, id_of(number), number, 16 + 8 * count);
    for (uint64_t i = 0; i < count; i++)
        note(h, hsc_reference(h->writer, id_of(first + i), 1, 0));
    note(h, hsc_end_object(h->writer));
}

/* A unit has every ALL_UNITS-th leaf. */
static void write_unit(heap *h, uint64_t unit)
{
    begin(h, id_of(FIRST_UNIT + unit), FIRST_UNIT + unit, 64);
    for (uint64_t leaf = unit; leaf < h->leaf_types; leaf += ALL_UNITS)
        for (unsigned i = 0; i < copies(h, leaf); i++)
            note(h, hsc_reference(h->writer, leaf_id(leaf, i), 1, 0));
    note(h, hsc_end_object(h->writer));
}

static void write_objects(heap *h)
{
    const hsc_root_record root = {.kind = HSC_ROOT_STATIC, .label = 2, .target = id_of(0)};
    write_upper(h, 0, FIRST_AREA, AREAS);
    for (uint64_t i = 0; i < AREAS; i++)
        write_upper(h, FIRST_AREA + i, FIRST_PART + i * PARTS, PARTS);
    for (uint64_t i = 0; i < AREAS * PARTS; i++)
        write_upper(h, FIRST_PART + i, FIRST_UNIT + i * UNITS, UNITS);
    for (uint64_t i = 0; i < ALL_UNITS; i++)
        write_unit(h, i);
    for (uint64_t leaf = 0; leaf < h->leaf_types; leaf++) {
        for (unsigned i = 0; i < copies(h, leaf); i++) {
            begin(h, leaf_id(leaf, i), FIRST_LEAF + leaf, 16 + 8 * (leaf * 2654435761u % 97));
            note(h, hsc_end_object(h->writer));
        }
    }
    note(h, hsc_root(h->writer, &root));
}

static int write_capture(uint64_t leaf_types, int is_after, const char *folder)
{
    heap h = {.leaf_types = leaf_types, .is_after = is_after};
    char path[4096];
    hsc_options options;
    hsc_options_init(&options);
    options.producer = "wide_heap";
    options.runtime = "synthetic";
    options.process_name = "wide";
    options.pid = 1;
    options.taken_unix_ns = UINT64_C(1700000000000000000) + (uint64_t)is_after * UINT64_C(3600000000000);
    options.facts = HSC_FACT_COLLECTED;
    options.identity = HSC_IDENTITY_EXACT;
    options.pointer_bytes = 8;
    options.domain[0] = 1;
    options.capture_id[0] = (uint8_t)(1 + is_after);
    if ((size_t)snprintf(path, sizeof path, "%s/%c.hs", folder, is_after ? 'b' : 'a') >= sizeof path) return 2;
    unlink(path);
    h.status = hsc_open_file(&h.writer, path, &options);
    if (h.status != HSC_OK) return fprintf(stderr, "wide_heap: cannot open %s\n", path), 1;
    write_tables(&h);
    write_objects(&h);
    note(&h, hsc_finish(h.writer));
    if (h.status != HSC_OK) fprintf(stderr, "wide_heap: %s: %s\n", path, hsc_error_text(h.writer));
    hsc_close(h.writer);
    return h.status == HSC_OK ? 0 : 1;
}

int main(int argc, char **argv)
{
    const uint64_t types = argc == 3 ? strtoull(argv[1], NULL, 10) : 0;
    if (types <= FIRST_LEAF || types > 8000000)
        return fprintf(stderr, "usage: wide_heap TYPES FOLDER, TYPES from %d to 8000000\n", FIRST_LEAF + 1), 2;
    for (int is_after = 0; is_after < 2; is_after++) {
        const int status = write_capture(types - FIRST_LEAF, is_after, argv[2]);
        if (status != 0) return status;
    }
    return 0;
}
