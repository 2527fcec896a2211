/*
 * The known heap of hprof_heap.h as HPROF bytes. Addresses are laid out as a JDK 17 with compressed
 * references would, without gaps, so that sizes can be told from the distances; the agent's ids are
 * tags.
 */
#include "support/hprof_heap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ADDRESS UINT64_C(0xe0000000)
#define FIRST_CLASS   UINT64_C(0xe1000000)

/* ---- names ---- */

/* Interned while writing: the id of a string is 0x5000 + its place here. */
static const char *const words[] = {
    "java/lang/Object", "java/lang/Class", "java/lang/String", "java/lang/Thread", "java/lang/ref/Reference",
    "java/lang/ref/WeakReference", "java/lang/ref/SoftReference", "java/lang/ref/PhantomReference",
    "java/lang/ref/FinalReference", "java/util/HashMap", "java/util/HashMap$Node", "[Ljava/util/HashMap$Node;",
    "[Ljava/lang/Object;", "com/x/Cache", "com/x/Main", "com/x/Base", "com/x/Derived", "com/x/Value",
    "com/x/Main$$Lambda+0x00007f0011223344", "java/lang/VersionProps", "com/x/Loader",
    /* fields and the rest */
    "name", "value", "hash", "coder", "hashIsZero", "threadLocals", "inheritableThreadLocals", "priority", "referent",
    "queue", "next", "table", "size", "key", "map", "count", "<resolved_references>", "z", "own", "d", "b", "ref", "l",
    "n", "o", "arg$1", "java_version", "run", "Main.java", "main", "worker-1", "app", "zygote", "never used"};

#define WORD_COUNT (sizeof words / sizeof words[0])

static uint64_t word(const char *text)
{
    for (size_t i = 0; i < WORD_COUNT; i++)
        if (strcmp(words[i], text) == 0) return 0x5000 + i;
    abort();
}

static bool has_dots(const heap_form *form) { return form->dotted || form->is_agent || form->is_android; }

/* A class name as the form writes it. */
static void spell(const heap_form *form, const char *text, char *out, size_t capacity)
{
    const char *from = text;
    const bool is_array = has_dots(form) && text[0] == '[';
    size_t used = 0;
    if (is_array) from += 2;
    for (; *from != '\0' && *from != ';' && used + 4 < capacity; from++)
        out[used++] = has_dots(form) && *from == '/' ? '.' : *from;
    if (*from == ';' && !is_array) out[used++] = ';';
    out[used] = '\0';
    if (is_array) snprintf(out + used, capacity - used, "[]");
}

/* ---- ids ---- */

/* Shallow sizes with a header of 12, references of 4, gaps filled. */
static const unsigned sizes[HEAP_OBJECT_COUNT] = {
    [HEAP_MAP] = 24,           [HEAP_TABLE] = 32,         [HEAP_NODE_1] = 32,        [HEAP_NODE_2] = 32,
    [HEAP_NODE_3] = 32,        [HEAP_KEY_1] = 24,         [HEAP_KEY_2] = 24,         [HEAP_KEY_3] = 24,
    [HEAP_VALUE_1] = 24,       [HEAP_VALUE_2] = 24,       [HEAP_VALUE_3] = 24,       [HEAP_RESOLVED] = 24,
    [HEAP_THREAD_MAIN] = 32,   [HEAP_THREAD_WORKER] = 32, [HEAP_NAME_MAIN] = 24,     [HEAP_NAME_WORKER] = 24,
    [HEAP_CHARS_MAIN] = 24,    [HEAP_CHARS_WORKER] = 24,  [HEAP_CHARS_KEY] = 24,     [HEAP_LOCALS] = 24,
    [HEAP_LOCAL_VALUE] = 24,   [HEAP_DERIVED] = 40,       [HEAP_OWN] = 24,           [HEAP_REF] = 24,
    [HEAP_WEAK] = 24,          [HEAP_SOFT] = 24,          [HEAP_PHANTOM] = 24,       [HEAP_FINAL] = 24,
    [HEAP_WEAK_VALUE] = 24,    [HEAP_SOFT_VALUE] = 24,    [HEAP_PHANTOM_VALUE] = 24, [HEAP_FINAL_VALUE] = 24,
    [HEAP_LAMBDA] = 16,        [HEAP_ARRAYS] = 48,        [HEAP_BOOLEANS] = 24,      [HEAP_CHARS] = 24,
    [HEAP_FLOATS] = 32,        [HEAP_DOUBLES] = 40,       [HEAP_BYTES] = 24,         [HEAP_SHORTS] = 24,
    [HEAP_INTS] = 32,          [HEAP_LONGS] = 40,         [HEAP_LOST] = 24,          [HEAP_VERSION] = 24,
    [HEAP_CHARS_VERSION] = 24, [HEAP_LOADER] = 16,        [HEAP_EXTRA] = 24};

uint64_t heap_id(const heap_form *form, enum heap_object object)
{
    if (form->is_agent) return 0x200 + (uint64_t)((object * 7) % HEAP_OBJECT_COUNT);
    uint64_t at = FIRST_ADDRESS;
    for (unsigned i = 0; i < (unsigned)object; i++)
        at += sizes[i];
    return at;
}

uint64_t heap_class_id(const heap_form *form, enum heap_class class)
{
    return form->is_agent ? 0x100 + (uint64_t) class : FIRST_CLASS + (uint64_t) class * 128;
}

unsigned heap_object_count(unsigned dump) { return dump == 1 ? HEAP_OBJECT_COUNT - 1 : HEAP_OBJECT_COUNT; }

/* ---- writing ---- */

typedef struct heap_writing {
    hprof_writer *w;
    const heap_form *form;
    unsigned dump;
    unsigned subs; /* in the open segment */
} heap_writing;

static unsigned dump_tag(const heap_form *form) { return form->dump_tag == 0 ? 0x1C : form->dump_tag; }

/* Before each sub-record: a new segment when the open one is full. */
static void next_sub(heap_writing *h)
{
    if (h->form->segment_every > 0 && h->subs == h->form->segment_every) {
        hw_close(h->w);
        hw_open(h->w, dump_tag(h->form));
        h->subs = 0;
    }
    h->subs++;
}

static uint64_t object(const heap_writing *h, enum heap_object which) { return heap_id(h->form, which); }

/* Fields of each class, own ones; names with their types, in the order of the dump. */
typedef struct class_row {
    enum heap_class super;
    const char *fields; /* "name:2 hash:10" */
} class_row;

static const class_row class_rows[HEAP_CLASS_COUNT] = {
    [HEAP_C_OBJECT] = {HEAP_CLASS_COUNT, ""},
    [HEAP_C_CLASS] = {HEAP_C_OBJECT, "name:2"},
    [HEAP_C_STRING] = {HEAP_C_OBJECT, "value:2 hash:10 coder:8 hashIsZero:4"},
    [HEAP_C_THREAD] = {HEAP_C_OBJECT, "name:2 threadLocals:2 inheritableThreadLocals:2 priority:10"},
    [HEAP_C_REFERENCE] = {HEAP_C_OBJECT, "referent:2 queue:2 next:2"},
    [HEAP_C_WEAK] = {HEAP_C_REFERENCE, ""},
    [HEAP_C_SOFT] = {HEAP_C_REFERENCE, ""},
    [HEAP_C_PHANTOM] = {HEAP_C_REFERENCE, ""},
    [HEAP_C_FINAL] = {HEAP_C_REFERENCE, ""},
    [HEAP_C_MAP] = {HEAP_C_OBJECT, "table:2 size:10"},
    [HEAP_C_NODE] = {HEAP_C_OBJECT, "hash:10 key:2 value:2 next:2"},
    [HEAP_C_NODES] = {HEAP_C_OBJECT, ""},
    [HEAP_C_OBJECTS] = {HEAP_C_OBJECT, ""},
    [HEAP_C_CACHE] = {HEAP_C_OBJECT, ""},
    [HEAP_C_MAIN] = {HEAP_C_OBJECT, ""},
    [HEAP_C_BASE] = {HEAP_C_OBJECT, "b:4 ref:2 l:11"},
    [HEAP_C_DERIVED] = {HEAP_C_BASE, "z:8 own:2 d:7"},
    [HEAP_C_VALUE] = {HEAP_C_OBJECT, "n:10 o:2"},
    [HEAP_C_LAMBDA] = {HEAP_C_OBJECT, "arg$1:2"},
    [HEAP_C_VERSION] = {HEAP_C_OBJECT, ""},
    [HEAP_C_LOADER] = {HEAP_C_OBJECT, ""}};

static bool is_of_application(enum heap_class class)
{
    return class == HEAP_C_CACHE || class == HEAP_C_MAIN || class == HEAP_C_BASE || class == HEAP_C_DERIVED ||
           class == HEAP_C_VALUE || class == HEAP_C_LAMBDA || class == HEAP_C_LOADER;
}

static void parse_fields(const char *text, hw_field *out)
{
    unsigned count = 0;
    while (*text != '\0') {
        char name[40];
        unsigned type = 0, used = 0;
        const char *colon = strchr(text, ':');
        used = (unsigned)(colon - text);
        memcpy(name, text, used);
        name[used] = '\0';
        type = (unsigned)strtoul(colon + 1, (char **)(uintptr_t)&text, 10);
        out[count++] = (hw_field){.name = word(name), .type = type};
        if (*text == ' ') text++;
    }
    out[count] = (hw_field){0};
}

static void write_class(heap_writing *h, enum heap_class class)
{
    hw_field fields[8], statics[4] = {{0}};
    hw_class dump = {.id = heap_class_id(h->form, class), .fields = fields, .statics = statics};
    parse_fields(class_rows[class].fields, fields);
    if (class_rows[class].super != HEAP_CLASS_COUNT) dump.super = heap_class_id(h->form, class_rows[class].super);
    if (is_of_application(class)) dump.loader = object(h, HEAP_LOADER);
    if (class == HEAP_C_CACHE) {
        statics[0] = (hw_field){word("map"), 2, object(h, HEAP_MAP)};
        statics[1] = (hw_field){word("count"), 10, 3};
        statics[2] = (hw_field){word("<resolved_references>"), 2, object(h, HEAP_RESOLVED)};
    }
    if (class == HEAP_C_VERSION) statics[0] = (hw_field){word("java_version"), 2, object(h, HEAP_VERSION)};
    if (h->form->is_android) dump.size = 100 + (uint32_t) class;
    next_sub(h);
    hw_class_dump(h->w, &dump);
}

static void begin(heap_writing *h, enum heap_object which, enum heap_class class)
{
    next_sub(h);
    hw_instance(h->w, object(h, which), h->form->is_agent ? 7 : 1, heap_class_id(h->form, class));
}

static void write_value(heap_writing *h, enum heap_object which, uint32_t n)
{
    begin(h, which, HEAP_C_VALUE);
    hw_u4(h->w, n);
    hw_id(h->w, 0);
    hw_instance_end(h->w);
}

static void write_string(heap_writing *h, enum heap_object which, enum heap_object chars)
{
    begin(h, which, HEAP_C_STRING);
    hw_id(h->w, object(h, chars));
    hw_u4(h->w, 0x1234);
    hw_u1(h->w, 0);
    hw_u1(h->w, 0);
    hw_instance_end(h->w);
}

static void write_chars(heap_writing *h, enum heap_object which, const char *text)
{
    next_sub(h);
    hw_prim_array(h->w, object(h, which), 1, 8, (uint32_t)strlen(text), text);
}

static void write_node(heap_writing *h, enum heap_object which, enum heap_object key, enum heap_object value,
                       uint64_t next)
{
    begin(h, which, HEAP_C_NODE);
    hw_u4(h->w, 42);
    hw_id(h->w, object(h, key));
    hw_id(h->w, object(h, value));
    hw_id(h->w, next);
    hw_instance_end(h->w);
}

static void write_array(heap_writing *h, enum heap_object which, enum heap_class class, uint32_t count,
                        const uint64_t *elements)
{
    next_sub(h);
    hw_object_array(h->w, object(h, which), 1, heap_class_id(h->form, class), count, elements);
}

static void write_map(heap_writing *h)
{
    const uint64_t table[4] = {0, object(h, HEAP_NODE_1), 0, 0};
    const uint64_t resolved[2] = {object(h, HEAP_KEY_1), 0};
    begin(h, HEAP_MAP, HEAP_C_MAP);
    hw_id(h->w, object(h, HEAP_TABLE));
    hw_u4(h->w, 3);
    hw_instance_end(h->w);
    write_array(h, HEAP_TABLE, HEAP_C_NODES, 4, table);
    write_node(h, HEAP_NODE_1, HEAP_KEY_1, HEAP_VALUE_1, object(h, HEAP_NODE_2));
    write_node(h, HEAP_NODE_2, HEAP_KEY_2, HEAP_VALUE_2, object(h, HEAP_NODE_3));
    write_node(h, HEAP_NODE_3, HEAP_KEY_3, HEAP_VALUE_3, 0);
    for (unsigned i = 0; i < 3; i++)
        write_string(h, HEAP_KEY_1 + i, HEAP_CHARS_KEY);
    for (unsigned i = 0; i < 3; i++)
        write_value(h, HEAP_VALUE_1 + i, i);
    write_array(h, HEAP_RESOLVED, HEAP_C_OBJECTS, 2, resolved);
}

static void write_thread(heap_writing *h, enum heap_object which, enum heap_object name, uint64_t locals)
{
    begin(h, which, HEAP_C_THREAD);
    hw_id(h->w, object(h, name));
    hw_id(h->w, locals);
    hw_id(h->w, 0);
    hw_u4(h->w, 5);
    hw_instance_end(h->w);
}

static void write_threads(heap_writing *h)
{
    const uint64_t locals[1] = {object(h, HEAP_LOCAL_VALUE)};
    write_thread(h, HEAP_THREAD_MAIN, HEAP_NAME_MAIN, 0);
    write_thread(h, HEAP_THREAD_WORKER, HEAP_NAME_WORKER, object(h, HEAP_LOCALS));
    write_string(h, HEAP_NAME_MAIN, HEAP_CHARS_MAIN);
    write_string(h, HEAP_NAME_WORKER, HEAP_CHARS_WORKER);
    write_chars(h, HEAP_CHARS_MAIN, "main");
    write_chars(h, HEAP_CHARS_WORKER, "worker-1");
    write_chars(h, HEAP_CHARS_KEY, "key");
    write_array(h, HEAP_LOCALS, HEAP_C_OBJECTS, 1, locals);
    write_value(h, HEAP_LOCAL_VALUE, 77);
}

static void write_derived(heap_writing *h)
{
    begin(h, HEAP_DERIVED, HEAP_C_DERIVED);
    hw_u1(h->w, 0x7a); /* own fields first, then the superclass' */
    hw_id(h->w, object(h, HEAP_OWN));
    hw_u8(h->w, UINT64_C(0x3ff8000000000000));
    hw_u1(h->w, 1);
    hw_id(h->w, object(h, HEAP_REF));
    hw_u8(h->w, 9);
    hw_instance_end(h->w);
    write_value(h, HEAP_OWN, 10);
    write_value(h, HEAP_REF, 11);
}

static void write_references(heap_writing *h)
{
    for (unsigned i = 0; i < 4; i++) {
        begin(h, HEAP_WEAK + i, HEAP_C_WEAK + i);
        hw_id(h->w, object(h, HEAP_WEAK_VALUE + i));
        hw_id(h->w, 0);
        hw_id(h->w, h->form->is_queued ? object(h, HEAP_WEAK + i) : 0);
        hw_instance_end(h->w);
    }
    for (unsigned i = 0; i < 4; i++)
        write_value(h, HEAP_WEAK_VALUE + i, 20 + i);
    begin(h, HEAP_LAMBDA, HEAP_C_LAMBDA);
    hw_id(h->w, 0);
    hw_instance_end(h->w);
}

static void write_primitives(heap_writing *h)
{
    static const unsigned types[8] = {4, 5, 6, 7, 8, 9, 10, 11};
    uint8_t data[24];
    uint64_t elements[8];
    for (unsigned i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)(i + 1);
    for (unsigned i = 0; i < 8; i++)
        elements[i] = object(h, HEAP_BOOLEANS + i);
    write_array(h, HEAP_ARRAYS, HEAP_C_OBJECTS, 8, elements);
    for (unsigned i = 0; i < 8; i++) {
        next_sub(h);
        if (i == 7 && h->form->is_android) {
            hw_u1(h->w, 0xC3); /* without data */
            hw_id(h->w, object(h, HEAP_LONGS));
            hw_u4(h->w, 1);
            hw_u4(h->w, 3);
            hw_u1(h->w, 11);
        } else {
            hw_prim_array(h->w, object(h, HEAP_BOOLEANS + i), 1, types[i], 3, data);
        }
    }
}

static void write_objects(heap_writing *h)
{
    if (h->form->is_android) {
        next_sub(h);
        hw_heap_info(h->w, 'A', word("app"));
    }
    write_map(h);
    write_threads(h);
    write_derived(h);
    write_references(h);
    write_primitives(h);
    write_value(h, HEAP_LOST, 30);
    write_string(h, HEAP_VERSION, HEAP_CHARS_VERSION);
    write_chars(h, HEAP_CHARS_VERSION, "17.0.9");
    begin(h, HEAP_LOADER, HEAP_C_LOADER);
    hw_instance_end(h->w);
    if (h->dump == 2) write_value(h, HEAP_EXTRA, 40);
}

static void write_classes(heap_writing *h)
{
    for (unsigned i = 0; i < HEAP_CLASS_COUNT; i++)
        write_class(h, (enum heap_class)i);
}

static void write_roots(heap_writing *h)
{
    hprof_writer *w = h->w;
    for (unsigned i = 0; i < HEAP_CLASS_COUNT; i++) {
        if (is_of_application((enum heap_class)i)) continue;
        next_sub(h);
        hw_root(w, 0x05, heap_class_id(h->form, (enum heap_class)i));
    }
    next_sub(h);
    hw_root_in_thread(w, 0x08, object(h, HEAP_THREAD_MAIN), 1, 3);
    next_sub(h);
    hw_root_in_thread(w, 0x08, object(h, HEAP_THREAD_WORKER), 2, 1);
    next_sub(h);
    hw_root_in_thread(w, 0x03, object(h, HEAP_DERIVED), 1, 0);
    next_sub(h);
    hw_root_in_thread(w, 0x02, object(h, HEAP_DERIVED), 1, UINT32_MAX);
    next_sub(h);
    hw_root(w, 0x01, object(h, HEAP_LAMBDA));
    next_sub(h);
    hw_root(w, 0xFF, object(h, HEAP_ARRAYS));
    for (unsigned i = 0; i < 4; i++) {
        next_sub(h);
        hw_root(w, 0x07, object(h, HEAP_WEAK + i));
    }
    next_sub(h);
    hw_root(w, 0x01, heap_class_id(h->form, HEAP_C_CACHE));
    if (h->dump == 2) {
        next_sub(h);
        hw_root(w, 0x01, object(h, HEAP_EXTRA));
    }
    if (!h->form->is_android) return;
    for (unsigned tag = 0x89; tag <= 0x8D; tag++) {
        next_sub(h);
        hw_root(w, tag, object(h, HEAP_MAP));
    }
    next_sub(h);
    hw_root_in_thread(w, 0x8E, object(h, HEAP_MAP), 1, 0);
    next_sub(h);
    hw_root(w, 0x90, object(h, HEAP_LOST));
}

static void write_dump(heap_writing *h)
{
    hw_open(h->w, dump_tag(h->form));
    h->subs = 0;
    if (h->form->roots_first) write_roots(h);
    if (!h->form->classes_last) write_classes(h);
    write_objects(h);
    if (h->form->classes_last) write_classes(h);
    if (!h->form->roots_first) write_roots(h);
    hw_close(h->w);
    if (dump_tag(h->form) == 0x1C && !h->form->no_end) hw_end_mark(h->w);
}

/* The references are of other classes where the form says so. */
static const char *word_of(const heap_form *form, const char *word)
{
    return form->cleans && strcmp(word, "java/lang/ref/PhantomReference") == 0 ? "jdk/internal/ref/PhantomCleanable"
                                                                               : word;
}

static void write_tables(hprof_writer *w, const heap_form *form)
{
    const uint64_t frames[1] = {0x9001};
    for (size_t i = 0; i < WORD_COUNT; i++) {
        char text[80];
        if (i < HEAP_CLASS_COUNT)
            spell(form, word_of(form, words[i]), text, sizeof text);
        else
            snprintf(text, sizeof text, "%s", words[i]);
        hw_string(w, 0x5000 + i, text);
    }
    for (unsigned i = 0; i < HEAP_CLASS_COUNT; i++)
        hw_load_class(w, 600 + i, heap_class_id(form, (enum heap_class)i), 0x5000 + i);
    hw_load_class(w, 700, heap_class_id(form, HEAP_C_OBJECTS), 0x5000 + HEAP_C_OBJECTS);
    hw_frame(w, 0x9001, word("run"), word("Main.java"), 600 + HEAP_C_MAIN, 12);
    hw_trace(w, 1, 0, 0, NULL);
    hw_trace(w, 3, 1, 1, frames);
    if (form->is_agent) hw_trace(w, 7, 1, 1, frames);
}

void heap_write(hprof_writer *w, const heap_form *form)
{
    const unsigned dumps = form->dumps == 0 ? 1 : form->dumps;
    hw_begin(w, form->version == NULL ? "1.0.2" : form->version, form->id_bytes == 0 ? 8 : form->id_bytes,
             UINT64_C(1700000000123));
    if (form->is_agent) {
        hw_open(w, 0x0E);
        hw_u4(w, 1);
        hw_u2(w, 4);
        hw_close(w);
    }
    write_tables(w, form);
    if (form->is_agent) {
        hw_start_thread(w, 1, heap_id(form, HEAP_THREAD_MAIN), 1, word("main"));
        hw_start_thread(w, 2, heap_id(form, HEAP_THREAD_WORKER), 1, word("worker-1"));
    }
    for (unsigned dump = 1; dump <= dumps; dump++) {
        heap_writing h = {.w = w, .form = form, .dump = dump};
        write_dump(&h);
    }
    if (form->is_agent) {
        hw_open(w, 0x06);
        hw_bytes(w, "allocation sites come behind the heap", 37);
        hw_close(w);
    }
}

/* ---- samples ---- */

typedef struct sample_row {
    const char *name;
    heap_form form;
} sample_row;

static const sample_row sample_rows[] = {
    {"hotspot", {.segment_every = 0}},
    {"hotspot-id4", {.id_bytes = 4}},
    {"segments", {.segment_every = 5}},
    {"jdk22", {.roots_first = true, .segment_every = 20}},
    {"one-record", {.version = "1.0.1", .dump_tag = 0x0C}},
    {"classes-last", {.classes_last = true, .roots_first = true, .dotted = true}},
    {"agent",
     {.version = "1.0.1",
      .dump_tag = 0x0C,
      .id_bytes = 4,
      .classes_last = true,
      .roots_first = true,
      .is_agent = true,
      .dumps = 2}},
    {"agent-segments",
     {.id_bytes = 4, .classes_last = true, .roots_first = true, .is_agent = true, .dumps = 2, .segment_every = 9}},
    {"android", {.version = "1.0.3", .id_bytes = 4, .roots_first = true, .is_android = true, .segment_every = 7}},
    {"no-end", {.no_end = true}},
};

const char *heap_sample(size_t index, heap_form *form)
{
    if (index >= sizeof sample_rows / sizeof sample_rows[0]) return NULL;
    *form = sample_rows[index].form;
    return sample_rows[index].name;
}
