/*
 * Random captures through the writer and back through the second reader: what was said comes out as it was said,
 * whatever the order of calls, the sizes of blocks and of values, the level and the memory; and the totals at the end
 * are those of what was said.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/reading.h"
#include "capture/recorder.h"

static uint64_t state;

static uint64_t next_random(void)
{
    state += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t z = state;
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static uint64_t below(uint64_t n) { return next_random() % n; }

/* A number of any magnitude, often small. */
static uint64_t any_number(void) { return next_random() >> below(64); }
static uint32_t any_id(void) { return (uint32_t)(any_number() & 0x7FFFFFFF); }
static uint32_t any_key(void) { return any_id() | 1; }

/* A name of this process alone. */
static const char *own_path(void)
{
    static char path[64];
    snprintf(path, sizeof path, "/tmp/hsc-roundtrip-%d.hs", (int)getpid());
    return path;
}

/* ---- reading back ---- */

/* Blocks before END, as the last line of the text counts them with it. */
static uint64_t blocks_before_end(const char *text)
{
    const char *word = strrchr(text, ' ');
    cr_assert(word != NULL && strncmp(word, " blocks=", 8) == 0);
    return strtoull(word + 8, NULL, 10) - 1;
}

/* What the second reader reads must be what the recorder says, to the byte. */
static void expect_read_back(recorder *r, const char *path)
{
    char *expected, *got;
    size_t expected_bytes, got_bytes;
    recorder_close(r);
    cr_assert_eq(second_reader(path, &got, &got_bytes), READ_COMPLETE);
    FILE *out = open_memstream(&expected, &expected_bytes);
    recorder_write_text(r, blocks_before_end(got), out);
    fclose(out);
    expect_same_text(path, expected, expected_bytes, got, got_bytes);
    free(expected);
    free(got);
    unlink(path);
}

/* ---- random captures ---- */

static hsc_options random_options(unsigned run)
{
    static const size_t memory[] = {64 << 10, 64 << 10, 100 << 10, 0, 3 << 20};
    hsc_options o;
    hsc_options_init(&o);
    o.producer = "roundtrip";
    o.runtime = run % 3 == 0 ? "a \"runtime\" \xc3\xa9\n" : NULL;
    o.pid = any_number();
    o.taken_unix_ns = 1 + any_number() / 2;
    o.facts = (uint32_t)below(64);
    o.identity = (hsc_identity)below(4);
    for (size_t i = 0; i < 16 && run % 2 == 0; i++)
        o.domain[i] = (uint8_t)next_random();
    for (size_t i = 0; i < 16; i++)
        o.capture_id[i] = (uint8_t)(1 + below(255));
    o.pointer_bytes = run % 3 == 0 ? 0 : run % 3 == 1 ? 4 : 8;
    o.memory_bytes = memory[below(5)];
    o.compression = (int)below(5) - 1;
    o.targets_are_ordinals = below(2) == 0;
    return o;
}

/* Fields that a capture uses; those that it does not are 0 everywhere. */
static hsc_object random_object(unsigned used, uint64_t id)
{
    return (hsc_object){.id = id,
                        .type = any_id(),
                        .size_bytes = (used & 1) != 0 ? any_number() : 8 * below(100),
                        .native_bytes = (used & 2) != 0 && below(4) == 0 ? any_number() : 0,
                        .elements = (used & 4) != 0 ? below(1000) : 0,
                        .site = (used & 8) != 0 ? any_id() : 0,
                        .age = (used & 16) != 0 ? (uint32_t)any_number() : 0,
                        .flags = (used & 32) != 0 ? (uint32_t)below(8) : 0,
                        .name = (used & 64) != 0 && below(9) == 0 ? any_id() : 0,
                        .category = (used & 128) != 0 ? (uint32_t)below(5) : 0,
                        .identity = (used & 256) != 0 ? next_random() : 0,
                        .content = (used & 512) != 0 && below(3) == 0 ? next_random() : 0};
}

static void random_references(recorder *r, size_t count)
{
    enum { CHUNK = 500 };
    uint64_t targets[CHUNK], indexes[CHUNK];
    uint32_t labels[CHUNK];
    const unsigned shape = (unsigned)below(8);
    while (count > 0) {
        const size_t n = count < CHUNK ? count : 1 + below(CHUNK);
        for (size_t i = 0; i < n; i++) {
            targets[i] = shape == 0 ? any_number() : 0x1000 + 8 * below(5000);
            labels[i] = shape == 1 ? any_id() : (uint32_t)below(9);
            indexes[i] = shape == 2 ? any_number() : shape == 3 ? i : 0;
        }
        recorder_references(r, targets, shape == 4 ? NULL : labels, shape == 5 ? NULL : indexes, n, below(2) == 0);
        count -= n;
    }
}

static void random_object_with_references(recorder *r, unsigned used, uint64_t id)
{
    char value[4096];
    size_t value_bytes = 0;
    if ((r->options.facts & HSC_FACT_VALUES) != 0 && below(3) == 0) {
        value_bytes = below(20) == 0 ? below(4097) : below(40);
        for (size_t i = 0; i < value_bytes; i++)
            value[i] = (char)next_random();
    }
    const hsc_object object = random_object(used, id);
    recorder_object(r, &object, value, value_bytes);
    random_references(r, below(60) == 0 ? below(6000) : below(7));
    recorder_end(r);
}

static void random_table_record(recorder *r)
{
    char text[3000];
    const size_t size = below(30) == 0 ? below(sizeof text) : below(30);
    for (size_t i = 0; i < size; i++)
        text[i] = (char)next_random();
    switch (below(9)) {
    case 0: recorder_string(r, any_key(), text, size); break;
    case 1: recorder_type(r, any_key(), text, size, (uint32_t)below(8)); break;
    case 2:
        recorder_label(r, any_key(), (hsc_label_kind)below(8), (uint32_t)(below(3) | below(4) << 2), any_id());
        break;
    case 3:
        recorder_site(r, any_key(), any_id(), any_id(), any_id(), (uint32_t)any_number(), (uint32_t)any_number());
        break;
    case 4: recorder_thread(r, any_key(), any_id()); break;
    case 5: recorder_frame(r, any_key(), (uint32_t)below(500), any_id(), any_id(), (uint32_t)any_number()); break;
    case 6: recorder_metric(r, "heap.used", below(2) == 0 ? "bytes" : "", any_number()); break;
    case 7: recorder_loss(r, "something", below(5)); break;
    default:
        recorder_root(r, &(hsc_root_record){.kind = (hsc_root_kind)below(12),
                                            .label = any_id(),
                                            .target = any_number(),
                                            .thread = any_id(),
                                            .frame = (uint32_t)any_number(),
                                            .flags = below(3) == 0 ? (uint32_t)any_number() : (uint32_t)below(2)});
    }
}

static void one_capture(unsigned run, const char *path)
{
    recorder r;
    state = run * 1000003u + 1;
    const hsc_options options = random_options(run);
    recorder_open(&r, path, &options);
    const unsigned used = (unsigned)below(1024);
    const uint64_t records = run % 10 == 0 ? below(8) : below(3000), tables = 1 + below(12);
    uint64_t id = any_number();
    for (uint64_t i = 0; i < records; i++) {
        id = run % 4 == 0 ? next_random() : id + 8 * (1 + below(9));
        if (below(tables) == 0) random_table_record(&r);
        if (below(6) == 0) recorder_edge(&r, any_number(), any_number(), any_id(), any_number());
        random_object_with_references(&r, below(200) == 0 ? 1023 : used, id);
    }
    expect_read_back(&r, path);
}

Test(roundtrip, random_captures_come_back_as_they_were_said)
{
    const char *runs = getenv("HSD_ROUNDTRIP_RUNS");
    const unsigned count = runs != NULL ? (unsigned)strtoul(runs, NULL, 10) : 10;
    for (unsigned run = 0; run < count; run++)
        one_capture(run, own_path());
}

/* ---- shapes that are their own test ---- */

static void plain_options(hsc_options *o, size_t memory)
{
    hsc_options_init(o);
    o->memory_bytes = memory;
    o->taken_unix_ns = 5;
    o->capture_id[0] = 1;
}

Test(roundtrip, an_object_with_200_000_references)
{
    recorder r;
    hsc_options options;
    plain_options(&options, 64 << 10);
    recorder_open(&r, own_path(), &options);
    for (uint64_t i = 0; i < 3; i++) {
        recorder_object(&r, &(hsc_object){.id = 100 + i, .size_bytes = 8}, NULL, 0);
        for (uint64_t k = 0; k < (i == 1 ? 200u : 1u); k++) {
            uint64_t targets[1000];
            for (uint64_t j = 0; j < 1000; j++)
                targets[j] = k == 90 ? UINT64_MAX - j : k * j; /* columns widen in the middle of it */
            recorder_references(&r, targets, NULL, k == 150 ? targets : NULL, 1000, true);
        }
        recorder_end(&r);
    }
    expect_read_back(&r, own_path());
}

Test(roundtrip, definitions_inside_of_objects)
{
    recorder r;
    hsc_options options;
    plain_options(&options, 64 << 10);
    recorder_open(&r, own_path(), &options);
    for (uint32_t i = 1; i <= 500; i++) {
        recorder_object(&r, &(hsc_object){.id = i, .type = i, .size_bytes = 24}, NULL, 0);
        for (uint32_t k = 0; k < 50; k++) {
            const uint64_t target = k;
            recorder_references(&r, &target, &i, NULL, 1, false);
            recorder_string(&r, i * 50 + k, "a name of some length", 21);
        }
        recorder_type(&r, i, "T", 1, 0);
        recorder_label(&r, i, HSC_LABEL_FIELD, 0, i);
        recorder_root(&r, &(hsc_root_record){.target = i});
        recorder_end(&r);
    }
    expect_read_back(&r, own_path());
}

Test(roundtrip, more_types_than_a_block_of_totals_holds)
{
    recorder r;
    hsc_options options;
    plain_options(&options, 16 << 20);
    recorder_open(&r, own_path(), &options);
    for (uint32_t i = 1; i <= 70000; i++) {
        recorder_object(&r, &(hsc_object){.id = i, .type = i * 3, .size_bytes = i, .category = 100000 - i}, NULL, 0);
        recorder_end(&r);
    }
    expect_read_back(&r, own_path());
}
