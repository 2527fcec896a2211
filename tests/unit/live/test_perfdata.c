/*
 * Counters of a JVM: a file as HotSpot writes it, cut at every byte and with every byte changed; the cgroup of a
 * process.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "live/jvm/perfdata.h"

typedef struct image {
    uint8_t data[2048];
    size_t size;
    uint32_t entries;
} image;

static void put(uint8_t *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static void begin(image *to)
{
    static const uint8_t head[] = {0xca, 0xfe, 0xc0, 0xc0, 1, 2, 0, 1};
    *to = (image){.size = 32};
    memcpy(to->data, head, sizeof head);
    put(to->data + 24, 32, 4);
}

/* `text` NULL: a number. */
static void add(image *to, const char *name, const char *text, uint64_t number)
{
    uint8_t *at = to->data + to->size;
    const size_t named = (strlen(name) + 1 + 7) & ~(size_t)7;
    const size_t value = text == NULL ? 8 : strlen(text) + 1, length = (20 + 4 + named + value + 7) & ~(size_t)7;
    put(at, length, 4);
    put(at + 4, 24, 4);
    put(at + 8, text == NULL ? 0 : value, 4);
    at[12] = text == NULL ? 'J' : 'B';
    put(at + 16, 24 + named, 4);
    memcpy(at + 24, name, strlen(name));
    if (text == NULL)
        put(at + 24 + named, number, 8);
    else
        memcpy(at + 24 + named, text, strlen(text));
    to->size += length;
    put(to->data + 28, ++to->entries, 4);
}

static image sample(void)
{
    image out;
    begin(&out);
    add(&out, "java.property.java.version", "17.0.15", 0);
    add(&out, "java.property.java.version.date", "no", 0);
    add(&out, "sun.os.hrt.frequency", NULL, 1000000);
    add(&out, "sun.gc.generation.0.space.0.used", NULL, 100);
    add(&out, "sun.gc.generation.0.space.2.used", NULL, 20);
    add(&out, "sun.gc.generation.1.space.0.used", NULL, 7000);
    add(&out, "sun.gc.generation.1.space.0.usedX", NULL, 1);
    add(&out, "sun.gc.generation.0.capacity", NULL, 300);
    add(&out, "sun.gc.generation.1.capacity", NULL, 9000);
    add(&out, "sun.gc.collector.0.invocations", NULL, 4);
    add(&out, "sun.gc.collector.1.invocations", NULL, 2);
    add(&out, "sun.gc.collector.1.time", NULL, 5);
    add(&out, "sun.gc.metaspace.used", NULL, 55);
    return out;
}

Test(perfdata, reads_what_hotspot_writes)
{
    const image in = sample();
    hsd_perfdata out;
    hsd_origin_metric metrics[8];
    cr_assert(hsd_perfdata_parse(&out, in.data, in.size));
    cr_assert_str_eq(out.version, "17.0.15");
    cr_assert_eq(out.young_bytes, 120);
    cr_assert_eq(out.old_bytes, 7000);
    cr_assert_eq(out.capacity_bytes, 9300);
    cr_assert_eq(out.metadata_bytes, 55);
    cr_assert_eq(out.gc_count, 6);
    cr_assert_eq(out.gc_pause_ns, 5000);
    cr_assert_eq(hsd_perfdata_metrics(&out, metrics, 8), 5);
    cr_assert_eq(hsd_perfdata_metrics(&out, metrics, 2), 2);
    cr_assert_str_eq(metrics[1].name, "heap.old");
    out.gc_count = 0;
    cr_assert_eq(hsd_perfdata_metrics(&out, metrics, 8), 2);
    cr_assert_str_eq(metrics[0].name, "gc.count");
}

Test(perfdata, survives_every_cut_and_every_byte)
{
    const image whole = sample();
    hsd_perfdata out;
    for (size_t size = 0; size <= whole.size; size++) {
        uint8_t *exact = malloc(size + 1); /* so that a sanitizer sees a read too far */
        uint8_t *end = exact + 1;
        memcpy(end, whole.data, size);
        cr_assert_eq(hsd_perfdata_parse(&out, end, size), size >= 32);
        free(exact);
    }
    for (size_t i = 0; i < whole.size; i++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            image one = whole;
            one.data[i] ^= (uint8_t)(1u << bit);
            hsd_perfdata_parse(&out, one.data, one.size);
            cr_assert_eq(out.version[sizeof out.version - 1], '\0');
        }
    }
}

Test(perfdata, a_jvm_says_that_nobody_may_attach)
{
    static const struct {
        const char *said;
        bool lets_nobody_in;
    } rows[] = {{"0100000000", true}, {"1100000000", false}, {"", false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        image in = sample();
        hsd_perfdata out;
        add(&in, "sun.rt.jvmCapabilities", rows[i].said, 0);
        cr_assert(hsd_perfdata_parse(&out, in.data, in.size));
        cr_expect_eq(out.lets_nobody_in, rows[i].lets_nobody_in, "%s", rows[i].said);
    }
}

Test(perfdata, a_pause_past_every_number_is_the_largest)
{
    image in;
    hsd_perfdata out;
    begin(&in);
    add(&in, "sun.os.hrt.frequency", NULL, 1);
    add(&in, "sun.gc.collector.0.time", NULL, UINT64_C(20000000000));
    cr_assert(hsd_perfdata_parse(&out, in.data, in.size));
    cr_assert_eq(out.gc_pause_ns, UINT64_MAX, "%llu", (unsigned long long)out.gc_pause_ns);
}

Test(perfdata, a_version_takes_no_strange_letters)
{
    image in;
    hsd_perfdata out;
    begin(&in);
    add(&in, "java.property.java.version", "21.0.1\x1b[31m", 0);
    cr_assert(hsd_perfdata_parse(&out, in.data, in.size));
    cr_assert_str_eq(out.version, "21.0.1");
}
