/*
 * Builds the reference captures: one function for each, one row in the table at the end. None of them checks statuses
 * as it goes: errors of the writer stick, so hsc_finish tells of all of them.
 */
#include "support/make_samples.h"

#include <stdio.h>
#include <string.h>

typedef hsc_writer writer;

static void string(writer *w, uint32_t id, const char *text) { hsc_define_string(w, id, text, strlen(text)); }

static void type(writer *w, uint32_t id, const char *name, uint32_t flags)
{
    hsc_define_type(w, id, name, strlen(name), flags);
}

static void object(writer *w, uint64_t id, uint32_t type_id, uint64_t size_bytes)
{
    hsc_begin_object(w, &(hsc_object){.id = id, .type = type_id, .size_bytes = size_bytes});
}

/* The same small numbers on every machine. */
static uint64_t next_random(uint64_t *state)
{
    *state += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* ---- the samples ---- */

static void tiny(writer *w)
{
    string(w, 1, "sessions");
    type(w, 1, "Map", 0);
    type(w, 2, "Session", 0);
    hsc_define_label(w, 1, HSC_LABEL_FIELD, 0, 1);
    object(w, 0x1000, 1, 48);
    hsc_reference(w, 0x1040, 1, 0);
    hsc_reference(w, 0x1080, 1, 1);
    hsc_end_object(w);
    object(w, 0x1040, 2, 64);
    hsc_end_object(w);
    object(w, 0x1080, 2, 64);
    hsc_end_object(w);
    hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_GLOBAL, .label = 1, .target = 0x1000});
}

static void empty(writer *w) { (void)w; }

static void tables(writer *w)
{
    static const char *const texts[] = {"name", "items", "run", "server.c", "main", "worker-1", "cache", "old space"};
    for (uint32_t i = 0; i < 8; i++)
        string(w, i + 1, texts[i]);
    type(w, 1, "Object", 0);
    type(w, 2, "Array", HSC_TYPE_PART);
    type(w, 3, "(hidden class)", HSC_TYPE_INTERNAL | HSC_TYPE_CODE);
    for (uint32_t kind = HSC_LABEL_FIELD; kind <= HSC_LABEL_CLASS; kind++)
        hsc_define_label(w, kind + 1, (hsc_label_kind)kind, 0, kind == HSC_LABEL_ELEMENT ? 0 : 1);
    hsc_define_label(w, 20, HSC_LABEL_FIELD, HSC_STRENGTH_WEAK, 2);
    hsc_define_label(w, 21, HSC_LABEL_INTERNAL, HSC_STRENGTH_SOFT | HSC_LABEL_FOLD, 2);
    hsc_define_label(w, 22, HSC_LABEL_STATIC, HSC_LABEL_NAMED_ROOT, 7);
    hsc_define_site(w, 1, 2, 3, 4, 17, 9);
    hsc_define_site(w, 2, 0, 5, 4, 120, 1);
    hsc_define_thread(w, 1, 6);
    hsc_frame(w, 1, 0, 3, 4, 17);
    hsc_frame(w, 1, 1, 5, 4, 120);
}

static void every_root(writer *w)
{
    for (unsigned kind = 0; kind < HSC_ROOT_KIND_COUNT; kind++)
        hsc_root(w, &(hsc_root_record){.kind = (hsc_root_kind)kind,
                                       .label = kind % 3,
                                       .target = 0x4000 + 16 * kind,
                                       .thread = kind == HSC_ROOT_STACK,
                                       .frame = kind == HSC_ROOT_STACK ? 2 : 0,
                                       .flags = kind >= HSC_ROOT_HANDLE ? HSC_ROOT_SECONDARY : 0});
}

static void everything(writer *w)
{
    for (uint32_t i = 0; i < 40; i++) { /* uses tables that are defined after it */
        hsc_begin_object(w, &(hsc_object){.id = 0x4000 + 16 * i,
                                          .type = 1 + i % 3,
                                          .size_bytes = 16 + i % 5 * 24,
                                          .native_bytes = i == 7 ? 4096 : 0,
                                          .elements = i % 4,
                                          .site = i % 3,
                                          .age = i % 2,
                                          .flags = i == 0   ? HSC_OBJECT_PSEUDO
                                                   : i == 5 ? HSC_OBJECT_DETACHED | HSC_OBJECT_CUT
                                                            : 0,
                                          .name = i % 6 == 0 ? 5 : 0,
                                          .category = i % 4 == 3 ? 8 : 0,
                                          .identity = i == 9 ? UINT64_C(0x123456789ABCDEF0) : 0,
                                          .content = i % 10 == 1 ? 77 + i : 0});
        for (uint32_t r = 0; r < i % 5; r++)
            hsc_reference(w, 0x4000 + 16 * ((i * 7 + r * 3) % 43), 1 + (i + r) % 8, r);
        if (i == 11) hsc_reference(w, 0x4010, 22, 0);
        if (i == 12) hsc_reference(w, 0x4020, 20, 0), hsc_reference(w, 0x4030, 21, 0);
        hsc_end_object(w);
    }
    for (uint32_t i = 0; i < 10; i++)
        hsc_edge(w, 0x4000 + 16 * i, 0x4000 + 16 * (i + 1), 1 + i % 8, i);
    tables(w);
    every_root(w);
    hsc_metric(w, "heap.used", "bytes", 123456);
    hsc_metric(w, "gc.count", "count", 3);
    hsc_loss(w, "events dropped", 17);
    hsc_loss(w, "regions skipped", 2);
}

static void ordinals(writer *w)
{
    type(w, 1, "Node", 0);
    hsc_define_label(w, 1, HSC_LABEL_FIELD, 0, 0);
    for (uint32_t i = 0; i < 300; i++) {
        object(w, 5000 + 2 * i, 1, 32);
        hsc_reference(w, (i + 1) % 300, 1, 0);
        if (i % 10 == 0) hsc_reference(w, i / 2, 1, 1);
        hsc_end_object(w);
    }
    hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_STACK, .target = 0});
}

static void edges(writer *w)
{
    type(w, 1, "Node", 0);
    for (uint32_t i = 0; i < 200; i++) {
        object(w, 0x7F0000001000 + 32 * i, 1, 32);
        hsc_end_object(w);
        if (i > 0) hsc_edge(w, 0x7F0000001000 + 32 * (i / 2), 0x7F0000001000 + 32 * i, 0, i % 2);
    }
    hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_GLOBAL, .target = 0x7F0000001000});
}

static void edges_by_ordinal(writer *w)
{
    for (uint32_t i = 0; i < 100; i++) {
        object(w, 900 - i, 0, i);
        hsc_end_object(w);
    }
    for (uint32_t i = 1; i < 100; i++)
        hsc_edge(w, i / 3, i, 0, 0);
    hsc_root(w, &(hsc_root_record){.target = 0});
}

static void values(writer *w)
{
    type(w, 1, "String", 0);
    char text[4096];
    memset(text, 'x', sizeof text);
    for (uint32_t i = 0; i < 30; i++) {
        object(w, 100 + i, 1, 40 + i);
        const size_t size = i == 13 ? sizeof text : i % 3 == 0 ? 0 : (size_t)i;
        if (size != 0) hsc_value(w, i == 5 ? "a\"b\\c\n\xff\x01" : text, size < 9 && i == 5 ? 8 : size);
        hsc_reference(w, 100 + (i + 1) % 30, 0, 0);
        hsc_end_object(w);
    }
}

static void incomplete(writer *w)
{
    tiny(w);
    hsc_loss(w, "objects after the cap", 1000);
    hsc_mark_incomplete(w, "cap of 3 objects reached");
}

static void many_types(writer *w)
{
    char name[32];
    for (uint32_t i = 1; i <= 3000; i++) {
        const uint32_t id = i % 7 == 0 ? 0x7FFFFFFF - i : i;
        snprintf(name, sizeof name, "app.Type%u", i);
        type(w, id, name, 0);
        object(w, i * 8, id, (uint64_t)1 << i % 40);
        hsc_end_object(w);
        object(w, 100000 + i * 8, id, 3);
        hsc_end_object(w);
    }
}

/* One object with more references than a block holds, between ordinary ones. */
static void continuation(writer *w)
{
    type(w, 1, "Array", 0);
    hsc_define_label(w, 1, HSC_LABEL_ELEMENT, 0, 0);
    uint64_t state = 9;
    for (uint32_t i = 0; i < 20; i++) {
        object(w, 10 + i, 1, 16);
        for (uint32_t r = 0; r < (i == 10 ? 12000u : i); r++)
            hsc_reference(w, 10 + next_random(&state) % 20, 1, r);
        hsc_end_object(w);
    }
    hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_STATIC, .target = 20});
}

static void blocks(writer *w)
{
    uint64_t state = 3;
    char name[32];
    for (uint32_t i = 1; i <= 20; i++) {
        snprintf(name, sizeof name, "Type %u", i);
        type(w, i, name, 0);
        hsc_define_label(w, i, HSC_LABEL_FIELD, 0, i);
        string(w, i, name);
    }
    for (uint32_t i = 0; i < 4000; i++) {
        /* one draw a statement: machines differ in the order of arguments */
        const uint64_t size = 8 + next_random(&state) % 200;
        object(w, 0x10000 + 8 * i, 1 + (uint32_t)(next_random(&state) % 20), size);
        for (uint64_t r = next_random(&state) % 5; r > 0; r--) {
            const uint32_t label = 1 + (uint32_t)(next_random(&state) % 20);
            hsc_reference(w, 0x10000 + 8 * (next_random(&state) % 4000), label, 0);
        }
        hsc_end_object(w);
        if (i % 100 == 0) hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_HANDLE, .target = 0x10000 + 8 * i});
    }
}

static void wide(writer *w)
{
    static const uint64_t ids[] = {
        0, 1, UINT64_MAX, UINT64_MAX - 1, UINT64_C(1) << 63, UINT32_MAX, UINT64_C(1) << 32, 0x7FFFFFFFFFFFFFFF};
    type(w, 0x7FFFFFFF, "last type", 0);
    hsc_define_label(w, 0x7FFFFFFF, HSC_LABEL_FIELD, 0, 0);
    for (size_t i = 0; i < 8; i++) {
        hsc_begin_object(w, &(hsc_object){.id = ids[i],
                                          .size_bytes = ids[i],
                                          .native_bytes = ids[7 - i],
                                          .elements = ids[i],
                                          .identity = ids[i],
                                          .content = ids[7 - i],
                                          .age = UINT32_MAX,
                                          .type = 0x7FFFFFFF});
        for (size_t r = 0; r < 8; r++)
            hsc_reference(w, ids[r], r == 3 ? 0x7FFFFFFF : 0, ids[7 - r]);
        hsc_end_object(w);
        hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_REGISTER, .target = ids[i], .frame = UINT32_MAX});
        hsc_metric(w, "x", "", ids[i]);
        hsc_loss(w, "", ids[i]);
    }
}

/* Records all of whose fields are 0, which is what absent columns mean. */
static void zeros(writer *w)
{
    object(w, 0, 0, 0);
    hsc_end_object(w);
    hsc_edge(w, 0, 0, 0, 0);
    hsc_root(w, &(hsc_root_record){.target = 0});
    hsc_metric(w, "", "", 0);
    hsc_loss(w, "", 0);
}

static void summary(writer *w)
{
    type(w, 1, "goroutine stacks", 0);
    type(w, 2, "string", 0);
    hsc_count(w, 1, 12, 24576);
    hsc_count(w, 2, 1000000, 48000000);
    hsc_count(w, 2, 1, 8);
}

static void long_texts(writer *w)
{
    static char text[65536];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)(i * 7 + i / 251);
    hsc_define_string(w, 1, text, 0);
    hsc_define_string(w, 2, text, sizeof text);
    hsc_define_string(w, 3, text, 300);
    hsc_define_type(w, 1, text, sizeof text - 1, 0);
    hsc_define_type(w, 2, "\x1b[31m<script>\xe2\x80\xae\x00|=cmd\n", 22, HSC_TYPE_INTERNAL);
    memset(text, 'm', 5000);
    text[5000] = '\0';
    hsc_metric(w, text, "per long unit", 1);
    hsc_loss(w, text, 1);
}

/* The two sides of a small leak in one process: a global list of sessions grows, a cache shrinks. */
static void leak(writer *w, uint32_t sessions, uint32_t cached)
{
    string(w, 1, "sessions");
    string(w, 2, "cache");
    type(w, 1, "SessionList", 0);
    type(w, 2, "Session", 0);
    type(w, 3, "byte[]", 0);
    type(w, 4, "Cache", 0);
    hsc_define_label(w, 1, HSC_LABEL_ELEMENT, 0, 0);
    hsc_define_label(w, 2, HSC_LABEL_FIELD, 0, 2);
    object(w, 0x100, 1, 32);
    for (uint32_t i = 0; i < sessions; i++)
        hsc_reference(w, 0x10000 + 64 * i, 1, i);
    hsc_end_object(w);
    for (uint32_t i = 0; i < sessions; i++) {
        object(w, 0x10000 + 64 * i, 2, 56);
        hsc_end_object(w);
    }
    object(w, 0x200, 4, 40);
    for (uint32_t i = 0; i < cached; i++)
        hsc_reference(w, 0x90000 + 1024 * i, 1, i);
    hsc_end_object(w);
    for (uint32_t i = 0; i < cached; i++) {
        object(w, 0x90000 + 1024 * i, 3, 1016);
        hsc_end_object(w);
    }
    hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_GLOBAL, .label = 1, .target = 0x100});
    hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_STATIC, .label = 2, .target = 0x200});
    hsc_metric(w, "heap.used", "bytes", 72 + 56u * sessions + 1016u * cached);
}

static void leak_before(writer *w) { leak(w, 100, 40); }
static void leak_after(writer *w) { leak(w, 700, 30); }

/* The sums of a heap as that of `tiny`, and something unreached. */
static void baseline(writer *w)
{
    static const struct {
        const char *name;
        hsc_live_total total;
    } types[] = {{"Map", {1, 1, 48, 176, 0, 0}}, {"Session", {2, 2, 128, 128, 1, 64}}, {"Timer", {3, 0, 0, 0, 2, 80}}};
    static const hsc_place places[] = {{0, 0, 0, 0, 0, 0},
                                       {0, 0, 1, HSC_PLACE_IS_ROOT | HSC_PLACE_CAN_HOLD, 0, 0},
                                       {1, 0, 1, HSC_PLACE_CAN_HOLD, 1, 48},
                                       {2, 2, 2, HSC_PLACE_CAN_HOLD, 2, 128}};
    string(w, 1, "sessions");
    string(w, 2, "[*]");
    string(w, 3, "(shared)");
    for (size_t i = 0; i < 3; i++) {
        const hsc_live_total *total = &types[i].total;
        type(w, total->type, types[i].name, i == 2 ? HSC_TYPE_INTERNAL : 0);
        hsc_sum_type(w, total);
        if (total->unreached_objects > 0) hsc_count(w, total->type, total->unreached_objects, total->unreached_bytes);
    }
    hsc_sum_root(w, &(hsc_root_total){1, HSC_ROOT_GLOBAL, 0, 3, 176, 176});
    hsc_sum_root(w, &(hsc_root_total){3, HSC_ROOT_UNKNOWN, HSC_ROOT_TOTAL_SHARED, 0, 0, 0});
    for (size_t i = 0; i < 4; i++)
        hsc_sum_place(w, &places[i]);
    for (uint64_t id = 0x1000; id <= 0x1080; id += 0x40) {
        object(w, id, id == 0x1000 ? 1 : 2, id == 0x1000 ? 48 : 64);
        hsc_end_object(w);
    }
    hsc_metric(w, "heap.used", "bytes", 4096);
}

/* Sums of several blocks; the deepest places that there may be, and a wide tree. */
static void baseline_blocks(writer *w)
{
    static const uint32_t types = 300, roots = 200, places = 3000;
    uint64_t state = 9;
    char name[32];
    for (uint32_t i = 1; i <= types; i++) {
        const uint64_t amount = next_random(&state) % 1000;
        snprintf(name, sizeof name, "package.Type%u", i);
        type(w, i, name, 0);
        hsc_sum_type(w, &(hsc_live_total){i, amount, 24 * amount, 48 * amount, i % 3, 8 * (i % 3)});
        hsc_count(w, i, amount + i % 3, 24 * amount + 8 * (i % 3));
    }
    for (uint32_t i = 1; i <= roots; i++) {
        snprintf(name, sizeof name, "static Class%u.field", i);
        string(w, i, name);
        hsc_sum_root(w,
                     &(hsc_root_total){i, (hsc_root_kind)(i % HSC_ROOT_KIND_COUNT), 0, i, 40 * i, next_random(&state)});
    }
    hsc_sum_place(w, &(hsc_place){0});
    for (uint32_t i = 1; i < places; i++) {
        const bool is_chain = i < 256;
        const uint32_t parent = is_chain ? i - 1 : i % 4 == 0 ? 0 : i - i % 4;
        const bool is_root = parent == 0;
        hsc_sum_place(w, &(hsc_place){parent, is_root ? 0 : 1 + i % roots, 1 + i % roots,
                                      is_root ? HSC_PLACE_IS_ROOT : 0, i % 5, next_random(&state) >> (i % 60)});
    }
}

/* What a heap profile says: sums of stacks. Two types share a site, one site comes twice, one sum has no site, and
 * there is an object. */
static void profile(writer *w)
{
    string(w, 1, "main.main");
    string(w, 2, "main.fill");
    string(w, 3, "/src/main.go");
    type(w, 1, "48 B at main.fill", 0);
    type(w, 2, "1024 B at main.fill", 0);
    hsc_define_site(w, 1, 0, 1, 3, 12, 0);
    hsc_define_site(w, 2, 1, 2, 3, 31, 5);
    hsc_count_site(w, 1, 2, 1000, 48000);
    hsc_count_site(w, 2, 2, 3, 3072);
    hsc_count_site(w, 1, 1, 10, 480);
    hsc_count_site(w, 1, 2, 1, 48);
    hsc_count_site(w, 0, 1, 2, 7);
    hsc_count(w, 2, 1, 1024);
    object(w, 0x1000, 1, 48);
    hsc_end_object(w);
}

/* Site totals of several blocks. */
static void profile_blocks(writer *w)
{
    uint64_t state = 11;
    for (uint32_t i = 1; i <= 2000; i++) {
        const uint64_t objects = next_random(&state) % 5000;
        char name[32];
        snprintf(name, sizeof name, "package.function%u", i);
        string(w, i, name);
        hsc_define_site(w, i, i > 1 ? 1 + (uint32_t)(next_random(&state) % (i - 1)) : 0, i, 0, i, 0);
        if (i <= 40) type(w, i, name, 0);
        hsc_count_site(w, 1 + i % 40, i, objects, objects * (16 + i % 40 * 8));
    }
}

/* ---- the table ---- */

enum { ORDINALS = 1, VALUES = 2, STORED = 4, SMALL = 8, CUT_SHORT = 16, BASELINE = 32, PROFILE = 64 };

static const struct {
    const char *name;
    void (*fill)(writer *w);
    unsigned how;
} samples[] = {
    {"tiny", tiny, STORED},
    {"empty", empty, 0},
    {"everything", everything, 0},
    {"everything-stored", everything, STORED | SMALL},
    {"ordinals", ordinals, ORDINALS},
    {"edges", edges, 0},
    {"edges-by-ordinal", edges_by_ordinal, ORDINALS},
    {"values", values, VALUES | SMALL},
    {"incomplete", incomplete, CUT_SHORT},
    {"many-types", many_types, SMALL},
    {"continuation", continuation, SMALL},
    {"continuation-by-ordinal", continuation, SMALL | ORDINALS},
    {"blocks", blocks, SMALL},
    {"blocks-stored", blocks, SMALL | STORED},
    {"wide", wide, 0},
    {"zeros", zeros, 0},
    {"summary", summary, 0},
    {"long-texts", long_texts, SMALL},
    {"leak-before", leak_before, 0},
    {"leak-after", leak_after, 0},
    {"baseline", baseline, BASELINE | STORED},
    {"baseline-blocks", baseline_blocks, BASELINE | SMALL},
    {"profile", profile, PROFILE | STORED},
    {"profile-blocks", profile_blocks, PROFILE | SMALL},
};

static const hsc_baseline of_heap = {.sums = HSC_SUMS_ROOTS | HSC_SUMS_REFERENCES | HSC_SUMS_PLACES,
                                     .place_least_bytes = 32,
                                     .soft_objects = 1,
                                     .soft_bytes = 64,
                                     .dangling = 7};

enum { SAMPLES = sizeof samples / sizeof samples[0] };

size_t hsd_sample_count(void) { return SAMPLES; }

const char *hsd_sample_name(size_t index) { return index < SAMPLES ? samples[index].name : NULL; }

bool hsd_sample_is_complete(size_t index) { return (samples[index].how & CUT_SHORT) == 0; }

static hsc_options options_of(size_t index)
{
    const unsigned how = samples[index].how;
    hsc_options options;
    hsc_options_init(&options);
    options.producer = "make_samples";
    options.runtime = "Sample 1.0";
    options.process_name = samples[index].name;
    options.pid = 4121;
    options.started_unix_ns = UINT64_C(1700000000000000000);
    options.taken_unix_ns = UINT64_C(1700000060000000000) + index;
    options.facts = (how & VALUES) != 0 ? HSC_FACT_VALUES : HSC_FACT_COLLECTED;
    options.identity = HSC_IDENTITY_ADDRESS;
    memcpy(options.domain, "one sample proc.", 16);
    snprintf((char *)options.capture_id, sizeof options.capture_id, "sample %u", (unsigned)index + 1);
    options.pointer_bytes = 8;
    options.memory_bytes = (how & SMALL) != 0 ? 64 << 10 : 0;
    options.compression = (how & STORED) != 0 ? 0 : 1;
    options.targets_are_ordinals = (how & ORDINALS) != 0;
    options.baseline = (how & BASELINE) != 0 ? &of_heap : NULL;
    options.has_site_totals = (how & PROFILE) != 0;
    return options;
}

static hsc_status fill(size_t index, hsc_writer *w)
{
    samples[index].fill(w);
    const hsc_status status = hsc_finish(w);
    if (status != HSC_OK) fprintf(stderr, "sample %s: %s\n", samples[index].name, hsc_error_text(w));
    hsc_close(w);
    return status;
}

hsc_status hsd_sample_write(size_t index, const char *path)
{
    hsc_writer *w;
    const hsc_options options = options_of(index);
    const hsc_status status = hsc_open_file(&w, path, &options);
    return status == HSC_OK ? fill(index, w) : status;
}

hsc_status hsd_sample_write_to(size_t index, const hsc_sink *sink)
{
    hsc_writer *w;
    const hsc_options options = options_of(index);
    const hsc_status status = hsc_open(&w, sink, &options);
    return status == HSC_OK ? fill(index, w) : status;
}
