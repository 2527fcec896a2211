/*
 * A fleet that never ran, with a truth: make_fleet STORE [PROCESSES CAPTURES LEAVES SEED PLANTED]. Two versions of one
 * service, each with half of the processes. What every fleet has:
 *
 *      noise           every place wanders by some percent from capture to capture
 *      a cache         fills in the first third, and breathes then: in both versions
 *      known growth    one place grows in both versions: nothing new
 *      odd processes   one in twenty leaks at a place of its own
 *      restarts        one in ten is another process halfway, and starts empty
 *      clock skew      hosts are up to half an hour off, one in fifty a day
 *      missing         one capture in twelve is not there
 *
 * STORE is a folder or a database. PLANTED 1: in version 2.4.1 one place grows in every process. Its path is printed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/batch.h"
#include "fleet/layout.h"
#include "fleet/postgres.h"
#include "io/checksum.h"

#define ROOTS    16u
#define HOUR_MS  UINT64_C(3600000)
#define BEGAN_MS UINT64_C(1795132800000) /* 2026-11-20 00:00:00Z */
#define KNOWN    5u                      /* leaves: grows everywhere; the planted one; the cache */
#define PLANTED  38u
#define CACHE    21u

typedef struct fleet {
    hsd_psql_writer *psql; /* NULL = a folder */
    hsd_fleet_batch batch;
    const char *store;
    uint64_t random;
    unsigned processes, captures, leaves, types, planted;
    uint64_t *values;  /* of the leaves of one process, without noise */
    uint64_t *of_type; /* of one capture */
    uint64_t rows, bytes;
    char day[HSD_FLEET_PART_CHARS];
} fleet;

typedef struct keys { /* the same in all captures */
    uint64_t heap, root[ROOTS], holder[ROOTS], *leaf, *type;
} keys;

static void stop(const hsd_error *err)
{
    fprintf(stderr, "make_fleet: %s: %s\n", err->file, err->text);
    exit(1);
}

static uint64_t next_random(fleet *f)
{
    f->random += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t x = f->random;
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static uint64_t below(fleet *f, uint64_t most) { return next_random(f) % most; }

/* ---- names */

static uint64_t make_key(fleet *f, hsd_fleet_kind kind, hsd_fleet_step step, uint64_t parent, const char *edge,
                         const char *name)
{
    hsd_error err;
    uint64_t key;
    const hsd_fleet_path path = {
        kind, step, parent, {(const uint8_t *)edge, strlen(edge)}, {(const uint8_t *)name, strlen(name)}};
    if (hsd_fleet_key(&key, &path, &f->batch.scratch, &err) != HSD_OK) stop(&err);
    return key;
}

static void put_name(fleet *f, hsd_fleet_kind kind, uint64_t key, uint64_t parent, const char *text, const char *edge,
                     const char *type)
{
    hsd_error err;
    if (hsd_fleet_batch_find(&f->batch, key) != NULL) return;
    const hsd_fleet_name name = {key,          parent, {text, strlen(text)}, {edge, strlen(edge)}, {type, strlen(type)},
                                 (uint8_t)kind};
    if (hsd_fleet_batch_name(&f->batch, &name, &err) != HSD_OK) stop(&err);
}

static void leaf_names(unsigned leaf, unsigned types, char root[64], char holder[64], char edge[64], char type[64])
{
    snprintf(root, 64, "static com.example.Part%02u.instance", leaf % ROOTS);
    snprintf(holder, 64, "com.example.Registry%02u", leaf % ROOTS);
    snprintf(edge, 64, "[%u]", leaf);
    snprintf(type, 64, "com.example.model.Item%03u", leaf % types);
}

/* Names go with each batch. */
static void make_keys(fleet *f, keys *k)
{
    char root[64], holder[64], edge[64], type[64], text[512];
    k->heap = make_key(f, HSD_FLEET_PLACE, HSD_STEP_OBJECT, 0, "", "");
    put_name(f, HSD_FLEET_PLACE, k->heap, 0, "(heap)", "", "");
    for (unsigned i = 0; i < f->leaves; i++) {
        const unsigned r = i % ROOTS;
        leaf_names(i, f->types, root, holder, edge, type);
        k->root[r] = make_key(f, HSD_FLEET_PLACE, HSD_STEP_ROOT, k->heap, "", root);
        put_name(f, HSD_FLEET_PLACE, k->root[r], k->heap, root, "", root);
        k->holder[r] = make_key(f, HSD_FLEET_PLACE, HSD_STEP_OBJECT, k->root[r], "", holder);
        snprintf(text, sizeof text, "%s > %s", root, holder);
        put_name(f, HSD_FLEET_PLACE, k->holder[r], k->root[r], text, "", holder);
        k->leaf[i] = make_key(f, HSD_FLEET_PLACE, HSD_STEP_OBJECT, k->holder[r], edge, type);
        snprintf(text, sizeof text, "%s > %s > %s %s", root, holder, edge, type);
        put_name(f, HSD_FLEET_PLACE, k->leaf[i], k->holder[r], text, edge, type);
        k->type[i % f->types] = make_key(f, HSD_FLEET_TYPE, HSD_STEP_OBJECT, 0, "", type);
        put_name(f, HSD_FLEET_TYPE, k->type[i % f->types], 0, type, "", type);
    }
}

/* ---- rows */

static void put_row(fleet *f, hsd_fleet_kind kind, uint64_t key, uint64_t own, uint64_t all, bool is_single)
{
    hsd_error err;
    const hsd_fleet_row row = {.key = key,
                               .objects = is_single ? 1 : own / 96,
                               .bytes = own,
                               .retained = all,
                               .kind = (uint8_t)kind,
                               .is_single = is_single,
                               .has_retained = true};
    if (hsd_fleet_batch_row(&f->batch, &row, &err) != HSD_OK) stop(&err);
}

/* What a leaf has in hour `hour` since its process began. Sizes are those of objects of 96 bytes. */
static uint64_t value_of(fleet *f, unsigned leaf, double hour, unsigned version, unsigned odd)
{
    double value = (double)f->values[leaf];
    if (leaf == CACHE) value += hour < 4 ? 8e6 * hour : 32e6;
    if (leaf == KNOWN) value += 9e5 * hour;
    if (leaf == odd) value += 2e6 * hour;
    if (leaf == PLANTED && version == 1 && f->planted) value += 1.2e6 * hour;
    const double noise = 1 + ((double)below(f, 2001) - 1000) / 1000 * 0.03;
    return (uint64_t)(value * noise) / 96 * 96;
}

static void put_capture_rows(fleet *f, const keys *k, double hour, unsigned version, unsigned odd)
{
    uint64_t of_root[ROOTS] = {0}, all = 0;
    memset(f->of_type, 0, f->types * sizeof *f->of_type);
    for (unsigned i = 0; i < f->leaves; i++) {
        const uint64_t value = value_of(f, i, hour, version, odd);
        of_root[i % ROOTS] += value;
        f->of_type[i % f->types] += value;
        all += value;
        put_row(f, HSD_FLEET_PLACE, k->leaf[i], value, value, false);
    }
    for (unsigned i = 0; i < ROOTS; i++) {
        put_row(f, HSD_FLEET_PLACE, k->holder[i], 64, of_root[i] + 64, true);
        put_row(f, HSD_FLEET_PLACE, k->root[i], 0, of_root[i] + 64, true);
    }
    put_row(f, HSD_FLEET_PLACE, k->heap, 0, all + 64 * ROOTS, true);
    for (unsigned i = 0; i < f->types; i++)
        put_row(f, HSD_FLEET_TYPE, k->type[i], f->of_type[i], f->of_type[i] / 2 * 3, false);
}

static void put_capture(fleet *f, unsigned process, unsigned run, uint64_t time_ms, unsigned version)
{
    char host[32], domain[40];
    hsd_error err;
    snprintf(host, sizeof host, "web-%u", process);
    snprintf(domain, sizeof domain, "%016x%016x", process, run);
    const hsd_text none = {"", 0};
    hsd_fleet_capture row = {.time_ms = time_ms,
                             .pid = 100 + process,
                             .service = {"shop", 4},
                             .version = {version ? "2.4.1" : "2.4.0", 5},
                             .host = {host, strlen(host)},
                             .pod = none,
                             .runtime = {"JVM", 3},
                             .domain = {domain, 32},
                             .digest = none,
                             .labels = {"{}", 2},
                             .live = {1000000, 96000000},
                             .is_complete = true,
                             .has_places = true};
    const uint64_t numbers[4] = {process, run, version, time_ms};
    row.process = hsd_checksum(numbers, 24, 0);
    row.id = hsd_checksum(numbers, 32, 0);
    if (hsd_fleet_batch_capture(&f->batch, &row, &err) != HSD_OK) stop(&err);
}

/* To a database. */
static void send_batch(fleet *f)
{
    hsd_error err;
    f->rows += f->batch.row_count;
    if (hsd_psql_writer_put(f->psql, &f->batch, &err) != HSD_OK) stop(&err);
    hsd_fleet_batch_release(&f->batch);
}

static void finish_store(fleet *f)
{
    hsd_error err;
    hsd_fleet_added added = {0};
    if (f->psql == NULL) return;
    if (hsd_psql_writer_finish(f->psql, &added, &err) != HSD_OK) stop(&err);
    hsd_psql_writer_close(f->psql);
    f->bytes = added.bytes;
}

static void write_batch(fleet *f)
{
    char service[HSD_FLEET_PART_CHARS], *folder;
    hsd_fleet_written written;
    hsd_error err;
    hsd_fleet_service_part(service, "shop");
    if (f->batch.capture_count == 0) return;
    if (f->psql != NULL) {
        send_batch(f);
        return;
    }
    if (hsd_fleet_partition(f->store, service, f->day, &folder, &err) != HSD_OK ||
        hsd_fleet_batch_write(&f->batch, folder, &written, &err) != HSD_OK)
        stop(&err);
    free(folder);
    f->rows += written.rows;
    f->bytes += written.bytes;
    hsd_fleet_batch_release(&f->batch);
}

static void make_process(fleet *f, keys *k, unsigned process)
{
    const unsigned version = process % 2;
    const bool restarts = below(f, 10) == 0;
    const unsigned odd = below(f, 20) == 0 ? (unsigned)below(f, f->leaves) : f->leaves;
    const uint64_t skew_ms = below(f, 50) == 0 ? 24 * HOUR_MS : below(f, HOUR_MS / 2);
    double began = 0;
    unsigned run = 0;
    for (unsigned i = 0; i < f->leaves; i++)
        f->values[i] = 20000 + below(f, 2000000);
    for (unsigned i = 0; i < f->captures; i++) {
        if (restarts && i == f->captures / 2) {
            run++;
            began = i;
        }
        if (below(f, 12) == 0) continue;
        /* a canary is younger than what it is to replace */
        const uint64_t time_ms = BEGAN_MS + version * HOUR_MS + skew_ms + i * HOUR_MS / 2 + below(f, 60000);
        hsd_fleet_date_part(f->day, BEGAN_MS);
        put_capture(f, process, run, time_ms, version);
        make_keys(f, k);
        put_capture_rows(f, k, i - began, version, odd);
        if (hsd_fleet_batch_is_full(&f->batch)) write_batch(f);
    }
}

int main(int argc, char **argv)
{
    hsd_error err;
    keys k;
    const unsigned numbers[5] = {1000, 12, 303, 1, 1};
    unsigned n[5];
    for (int i = 0; i < 5; i++)
        n[i] = argc > i + 2 ? (unsigned)strtoul(argv[i + 2], NULL, 10) : numbers[i];
    if (argc < 2 || n[2] < 2 * ROOTS + 8) {
        fprintf(stderr, "usage: make_fleet STORE [PROCESSES CAPTURES LEAVES SEED PLANTED]\n");
        return 2;
    }
    fleet f = {.store = argv[1],
               .processes = n[0],
               .captures = n[1],
               .leaves = n[2],
               .random = n[3],
               .planted = n[4],
               .types = n[2] / 5 + 4};
    f.values = calloc(f.leaves, sizeof *f.values);
    f.of_type = calloc(f.types, sizeof *f.of_type);
    k.leaf = calloc(f.leaves, sizeof *k.leaf);
    k.type = calloc(f.types, sizeof *k.type);
    if (!f.values || !f.of_type || !k.leaf || !k.type) return 1;
    hsd_error_init(&err);
    const bool is_folder = hsd_fleet_where_is(f.store) == HSD_FLEET_FOLDER;
    if ((is_folder ? hsd_fleet_make(f.store, &err) : hsd_psql_writer_open(&f.psql, f.store, NULL, &err)) != HSD_OK)
        stop(&err);
    for (unsigned i = 0; i < f.processes; i++)
        make_process(&f, &k, i);
    write_batch(&f);
    finish_store(&f);
    char root[64], holder[64], edge[64], type[64];
    leaf_names(PLANTED, f.types, root, holder, edge, type);
    printf("%llu rows, %llu bytes\n%s > %s\n%s > %s > %s %s\n%s\n", (unsigned long long)f.rows,
           (unsigned long long)f.bytes, root, holder, root, holder, edge, type, type);
    free(f.values);
    free(f.of_type);
    free(k.leaf);
    free(k.type);
    return 0;
}
