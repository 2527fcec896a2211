/*
 * Captures as databases: what is in them, that it is the same however it was made, and what is left when something
 * fails.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <hscapture/hscapture.h>
#include <hsdiff/diff.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export/tables/inserter.h"
#include "sqlite_case.h"
#include "support/fault.h"
#include "support/heap_model.h"

TestSuite(sqlite, .init = db_begin, .fini = db_end, .timeout = 300);

/* ---- one heap with all there is */

static void put_string(hsc_writer *w, uint32_t number, const char *text)
{
    hsc_define_string(w, number, text, strlen(text));
}

static void write_heap(const char *path, unsigned more)
{
    hsc_writer *w;
    hsc_options options;
    hsc_options_init(&options);
    options.producer = "test 1";
    options.runtime = "Toy 2";
    options.identity = HSC_IDENTITY_ADDRESS;
    options.domain[0] = 7;
    options.capture_id[0] = 1;
    options.taken_unix_ns = 1000 + more;
    options.facts = HSC_FACT_VALUES;
    cr_assert_eq(hsc_open_file(&w, path, &options), HSC_OK);
    hsc_define_type(w, 1, "Map", 3, 0);
    hsc_define_type(w, 2, "Session", 7, 0);
    hsc_define_type(w, 3, "Node", 4, HSC_TYPE_INTERNAL);
    put_string(w, 1, "sessions");
    put_string(w, 2, "user");
    put_string(w, 3, "main");
    put_string(w, 4, "run");
    put_string(w, 5, "app.c");
    hsc_define_label(w, 1, HSC_LABEL_ELEMENT, 0, 0);
    hsc_define_label(w, 2, HSC_LABEL_FIELD, HSC_STRENGTH_WEAK, 2);
    hsc_define_site(w, 1, 0, 3, 5, 10, 0);
    hsc_define_site(w, 2, 1, 4, 5, 20, 3);
    hsc_define_thread(w, 9, 3);
    hsc_frame(w, 9, 0, 4, 5, 21);
    hsc_frame(w, 9, 1, 3, 5, 11);
    hsc_begin_object(w, &(hsc_object){.id = 0x100, .type = 1, .size_bytes = 48, .elements = 2, .site = 1});
    for (unsigned i = 0; i < 2 + more; i++)
        hsc_reference(w, 0x200 + 0x10 * i, 1, i);
    hsc_reference(w, 0x100, 2, 0);
    hsc_reference(w, 0xdead, 2, 0);
    hsc_end_object(w);
    for (unsigned i = 0; i < 2 + more; i++) {
        hsc_begin_object(
            w, &(hsc_object){
                   .id = 0x200 + 0x10 * i, .type = 2, .size_bytes = 64, .native_bytes = 7, .site = 2, .content = i});
        hsc_value(w,
                  i == 0 ? "alice"
                         : "\xff\x00"
                           "b",
                  i == 0 ? 5 : 3);
        hsc_end_object(w);
    }
    hsc_begin_object(
        w, &(hsc_object){
               .id = UINT64_MAX, .type = 3, .size_bytes = 8, .flags = HSC_OBJECT_DETACHED, .name = 4, .category = 3});
    hsc_end_object(w);
    hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_STATIC, .label = 1, .target = 0x100});
    hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_STACK, .target = 0x210, .thread = 9, .frame = 2});
    hsc_metric(w, "heap.used", "bytes", 1234);
    hsc_loss(w, "events dropped", 17);
    cr_assert_eq(hsc_finish(w), HSC_OK, "%s", hsc_error_text(w));
    hsc_close(w);
}

Test(sqlite, has_a_table_for_everything)
{
    write_heap(db_after, 0);
    db_expect(false, "select side, runtime, identity, has_values, objects, refs, roots, lost, bytes from captures",
              "after|Toy 2|address|1|4|4|2|17|184\n");
    db_expect(false, "select name, objects, bytes, native_bytes, is_internal from types order by name",
              "Map|1|48|0|0\nNode|1|8|0|1\nSession|2|128|14|0\n");
    db_expect(false, "select string, text from strings order by string",
              "1|sessions\n2|user\n3|main\n4|run\n5|app.c\n");
    db_expect(false, "select label, kind, strength, name, is_fold from labels",
              "1|element|strong||0\n2|field|weak|2|0\n");
    db_expect(false, "select * from v_sites", "1||main|app.c|10|\n2|1|run|app.c|20|3\n");
    db_expect(false, "select * from v_frames", "9|main|0|run|app.c|21\n9|main|1|main|app.c|11\n");
    db_expect(false, "select name, unit, value from metrics", "heap.used|bytes|1234\n");
    db_expect(false, "select what, count from losses", "events dropped|17\n");
    db_expect(false,
              "select object, address, type, bytes, native_bytes, elements, name, category, site, is_detached, "
              "typeof(value) from v_objects",
              "0|0x100|Map|48||2|||1|0|null\n1|0x200|Session|64|7||||2|0|text\n2|0x210|Session|64|7||||2|0|blob\n"
              "3|0xffffffffffffffff|Node|8|||run|main||1|null\n");
    db_expect(false, "select id, value from objects where value = 'alice' or id = -1", "512|alice\n-1|\n");
    db_expect(false, "select source_type, position, edge, strength, target_id, target_type from v_references",
              "Map|0|[0]|strong|512|Session\nMap|1|[1]|strong|528|Session\nMap|2|.user|weak|256|Map\n");
    db_expect(false,
              "select kind, name, target_id, target_type, thread_name, depth, function, is_secondary from v_roots",
              "static|sessions|256|Map||||0\nstack|stack|528|Session|main|1|main|0\n");
    db_expect(false, "select id, retained_bytes, dominator from retained order by id",
              "256|119|\n512|71|256\n528|71|\n");
    db_expect(false, "select type, live_objects, unreached_objects, retained_bytes from heap_types",
              "Session|2|0|142\nMap|1|0|119\nNode|0|1|0\n");
    db_expect(false, "select root, kind, live_bytes from heap_roots order by root",
              "(shared)|unknown|71\nsessions|static|119\n");
    db_expect(false, "select count(*) from places where depth = 1", "3\n");
    db_expect(false, "select count(*) from sqlite_schema where sql like '%--%' and type = 'table'", "18\n");
}

Test(sqlite, has_the_growth_of_a_pair)
{
    write_heap(db_before, 0);
    write_heap(db_after, 3);
    db_expect(true, "select growth_objects, growth_bytes, new_objects, freed_objects from growth", "3|213|3|0\n");
    db_expect(true, "select type, growth_objects, growth_bytes from growth_types where growth_bytes <> 0",
              "Session|3|213\n");
    db_expect(true, "select root, growth_bytes from growth_roots where growth_bytes <> 0", "sessions|213\n");
    db_expect(true, "select type, id, root, growth_bytes, path from v_holders",
              "Map|256|sessions|213|sessions > Map\n");
    db_expect(true, "select holder, type, new_objects, net_bytes from holder_types", "0|Session|3|213\n");
    db_expect(true, "select id, what, before_state, after_state, after_bytes from changes",
              "544|new|absent|live|71\n560|new|absent|live|71\n576|new|absent|live|71\n");
    db_expect(true, "select before_id, after_id, rung from matches order by after_id",
              "-1|-1|address\n256|256|address\n512|512|address\n528|528|address\n");
    db_expect(true,
              "select type, growth_objects, f.function, f.line from growth_sites s join growth_frames f "
              "using(growth_site) where growth_objects > 0",
              "Session|3|run|20\nSession|3|main|10\n");
    db_expect(true,
              "select (select count(*) from before_objects), (select count(*) from objects), (select count(*) from "
              "before_refs)",
              "4|7|3\n");
    db_expect(true, "select side, objects from captures order by side", "after|7\nbefore|4\n");
    db_expect(true, "select b.objects, a.objects from before_types b join types a using(type) where a.name = 'Session'",
              "2|5\n");
    db_expect(true,
              "select type, before_objects, after_objects from growth_places where type = 'Session' and depth > 1",
              "Session|1|4\n");
}

/* Two lists of two nodes each, of which nothing is left; `facts` says who frees them. */
static void write_lost(const char *path, uint32_t facts, unsigned lists)
{
    hsc_writer *w;
    hsc_options options;
    hsc_options_init(&options);
    options.facts = facts;
    cr_assert_eq(hsc_open_file(&w, path, &options), HSC_OK);
    put_string(w, 1, "push");
    hsc_define_type(w, 1, "Node", 4, 0);
    hsc_define_site(w, 1, 0, 1, 0, 7, 0);
    for (unsigned i = 0; i < 2 * lists; i++) {
        hsc_begin_object(w, &(hsc_object){.id = 0x100 + 0x10 * i, .type = 1, .size_bytes = 16, .site = 1});
        if (i % 2 == 0) hsc_reference(w, 0x110 + 0x10 * i, 0, 0);
        hsc_end_object(w);
    }
    hsc_begin_object(w, &(hsc_object){.id = 1, .type = 1, .size_bytes = 8});
    hsc_end_object(w);
    hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_GLOBAL, .target = 1});
    cr_assert_eq(hsc_finish(w), HSC_OK, "%s", hsc_error_text(w));
    hsc_close(w);
}

Test(sqlite, has_what_is_lost)
{
    write_lost(db_before, HSC_FACT_MANUAL, 1);
    write_lost(db_after, HSC_FACT_MANUAL, 3);
    db_expect(true,
              "select type, cycle, place, before_objects, after_objects, growth_bytes, before_heads, after_heads, "
              "others from lost",
              "Node||push|2|6|64|1|3|\n");
    db_expect(true, "select lost, depth, is_wanted, function, line from lost_frames", "0|0|1|push|7\n");
    db_expect(true, "select count(*) from uncollected", "0\n");
}

Test(sqlite, has_what_is_not_collected_yet)
{
    write_lost(db_before, 0, 1);
    write_lost(db_after, 0, 3);
    db_expect(true, "select type, before_objects, after_objects, growth_bytes, others from uncollected",
              "Node|2|6|64|\n");
    db_expect(true, "select count(*) from lost", "0\n");
}

Test(sqlite, has_the_sites_of_totals)
{
    hsc_writer *w;
    hsc_options options;
    hsc_options_init(&options);
    options.has_site_totals = true;
    options.facts = HSC_FACT_NO_ROOTS | HSC_FACT_NO_REFERENCES;
    cr_assert_eq(hsc_open_file(&w, db_after, &options), HSC_OK);
    put_string(w, 1, "main");
    hsc_define_type(w, 1, "Node", 4, 0);
    hsc_define_site(w, 1, 0, 1, 0, 0, 0);
    hsc_count_site(w, 1, 1, 3, 300);
    hsc_count(w, 1, 2, 70);
    cr_assert_eq(hsc_finish(w), HSC_OK, "%s", hsc_error_text(w));
    hsc_close(w);
    db_expect(false,
              "select t.name, v.function, s.objects, s.bytes from site_totals s join types t using(type) join v_sites "
              "v using(site)",
              "Node|main|3|300\n");
    db_expect(false, "select name, objects, bytes from types where objects > 0", "Node|5|370\n");
    db_expect(false, "select type, live_objects, live_bytes from heap_types", "Node|5|370\n");
}

/* ---- random heaps, by definition */

static bool is_there(const model_heap *heap, uint64_t id)
{
    for (uint32_t i = 0; i < heap->object_count; i++)
        if (heap->objects[i].id == id) return true;
    return false;
}

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* Lines in order, as SQL's "order by" of one text column gives them. */
static char *sorted(char **lines, size_t count)
{
    size_t size = 1;
    qsort(lines, count, sizeof *lines, by_text);
    for (size_t i = 0; i < count; i++)
        size += strlen(lines[i]) + 1;
    char *text = malloc(size), *at = text;
    cr_assert_not_null(text);
    *text = '\0';
    for (size_t i = 0; i < count; i++) {
        at += snprintf(at, size - (size_t)(at - text), "%s\n", lines[i]);
        free(lines[i]);
    }
    return text;
}

static char *line(const char *format, ...) __attribute__((format(printf, 1, 2)));
static char *line(const char *format, ...)
{
    char text[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return strdup(text);
}

static char *objects_of(const model_heap *heap)
{
    char *lines[MODEL_MAX_OBJECTS];
    for (uint32_t i = 0; i < heap->object_count; i++) {
        const model_object *o = &heap->objects[i];
        char name[16] = "-";
        if (o->has_name) snprintf(name, sizeof name, "N%u", (unsigned)(o->id % 3));
        lines[i] = line("%" PRId64 " T%u %" PRIu64 " %u %s", (int64_t)o->id, o->type, o->size_bytes, o->flags, name);
    }
    return sorted(lines, heap->object_count);
}

static char *references_of(const model_heap *heap)
{
    static const char *const edges[MODEL_LABELS] = {".field strong", ".field weak",   ".field soft",
                                                    ".field strong", ".field strong", ".another strong",
                                                    "[0] strong",    ".inside strong"};
    char *lines[MODEL_MAX_OBJECTS * MODEL_MAX_REFERENCES];
    size_t count = 0;
    for (uint32_t i = 0; i < heap->object_count; i++)
        for (uint32_t k = 0; k < heap->objects[i].reference_count; k++) {
            const model_reference *r = &heap->objects[i].references[k];
            if (!is_there(heap, r->target)) continue;
            lines[count++] = line("%" PRId64 " %" PRId64 " %u %s", (int64_t)heap->objects[i].id, (int64_t)r->target,
                                  r->label + 1, edges[r->label]);
        }
    return sorted(lines, count);
}

static char *roots_of(const model_heap *heap)
{
    char *lines[MODEL_MAX_ROOTS];
    size_t count = 0;
    for (uint32_t i = 0; i < heap->root_count; i++) {
        const model_root *r = &heap->roots[i];
        char name[20] = "stack";
        if (r->name > 0) snprintf(name, sizeof name, "root%u", r->name);
        if (is_there(heap, r->target))
            lines[count++] = line("%s %" PRId64 " %d", name, (int64_t)r->target, r->is_secondary);
    }
    return sorted(lines, count);
}

Test(sqlite, holds_any_heap_in_any_form)
{
    static const struct {
        const char *statement;
        char *(*by_definition)(const model_heap *);
    } questions[] = {
        {"select id || ' ' || type || ' ' || bytes || ' ' || (is_pseudo + 2 * is_detached + 4 * is_cut) || ' ' || "
         "coalesce(name, '-') as x "
         "from v_objects order by x",
         objects_of},
        {"select source_id || ' ' || target_id || ' ' || r.label || ' ' || edge || ' ' || strength as x from "
         "v_references v join refs r "
         "using(source, position) order by x",
         references_of},
        {"select name || ' ' || target_id || ' ' || is_secondary as x from v_roots order by x", roots_of},
    };
    const uint64_t seed = test_seed(1);
    for (uint64_t i = 0; i < 25; i++) {
        test_random random = {seed + i};
        const model_heap heap = model_random(&random);
        const model_form form = model_random_form(&random);
        cr_assert(model_write(&heap, &form, db_after));
        remove(db_file);
        for (size_t q = 0; q < sizeof questions / sizeof questions[0]; q++) {
            char *wanted = questions[q].by_definition(&heap);
            db_expect(false, questions[q].statement, wanted);
            free(wanted);
        }
    }
}

static void expect_sum(hsd_sql *sql, const char *statement, int64_t wanted, uint64_t seed)
{
    char *text = db_ask(sql, statement);
    cr_expect_eq(strtoll(text, NULL, 10), wanted, "seed %" PRIu64 ": %s is %s not %" PRId64, seed, statement, text,
                 wanted);
    free(text);
}

static void check_growth(uint64_t seed)
{
    hsd_capture *before = db_open_capture(db_before), *after = db_open_capture(db_after);
    hsd_diff *diff;
    hsd_sql *sql;
    cr_assert_eq(hsd_diff_run(&diff, before, after, NULL, NULL, &db_err), HSD_OK, "%s", db_err.text);
    cr_assert_eq(hsd_sql_open(&sql, before, after, NULL, NULL, &db_err), HSD_OK);
    const int64_t bytes = hsd_change_bytes(&diff->total);
    expect_sum(sql, "select total(growth_bytes) from growth_types", bytes, seed);
    expect_sum(sql, "select growth_bytes from growth", bytes, seed);
    expect_sum(sql, "select count(*) from growth_types", (int64_t)diff->type_count, seed);
    expect_sum(sql, "select count(*) from growth_roots", (int64_t)diff->root_count, seed);
    expect_sum(sql, "select count(*) from growth_places", (int64_t)diff->tree_count, seed);
    if (diff->has_holders) expect_sum(sql, "select total(growth_bytes) from holders", bytes, seed);
    const uint64_t pairs = diff->match.exact + diff->match.address + diff->match.structure;
    expect_sum(sql, "select count(*) from matches", (int64_t)pairs, seed);
    expect_sum(sql,
               "select count(*) from matches m join before_objects b on b.id = m.before_id join objects a on a.id = "
               "m.after_id",
               (int64_t)pairs, seed);
    hsd_sql_close(sql);
    hsd_diff_free(diff);
    hsd_capture_close(before);
    hsd_capture_close(after);
}

Test(sqlite, says_of_a_pair_what_the_diff_says)
{
    const uint64_t seed = test_seed(100);
    for (uint64_t i = 0; i < 12; i++) {
        test_random random = {seed + i};
        const model_heap heap = model_random(&random), later = model_later(&heap, &random);
        model_form form = model_random_form(&random);
        cr_assert(model_write(&heap, &form, db_before));
        form.moment++;
        form.shuffle++;
        cr_assert(model_write(&later, &form, db_after));
        check_growth(seed + i);
    }
}

/* ---- bytes */

static char *export_bytes(uint64_t memory_bytes, size_t *size)
{
    cr_assert_eq(db_export(true, memory_bytes), HSD_OK, "%s", db_err.text);
    return db_read_file(size);
}

Test(sqlite, is_the_same_file_for_any_memory)
{
    size_t small_size, large_size;
    write_heap(db_before, 0);
    write_heap(db_after, 20000);
    char *small = export_bytes(24 << 20, &small_size), *large = export_bytes(1 << 30, &large_size);
    cr_expect_eq(small_size, large_size);
    cr_expect(small_size == large_size && memcmp(small, large, small_size) == 0);
    free(small);
    free(large);
}

Test(sqlite, is_private_and_alone)
{
    struct stat info;
    write_heap(db_after, 0);
    cr_assert_eq(db_export(false, 0), HSD_OK);
    cr_assert_eq(stat(db_file, &info), 0);
    cr_expect_eq(info.st_mode & 0777, 0600);
    cr_expect_eq(db_count_files(), 2);
}

Test(sqlite, takes_heaps_without_anything)
{
    hsc_writer *w;
    hsc_options options;
    hsc_options_init(&options);
    cr_assert_eq(hsc_open_file(&w, db_after, &options), HSC_OK);
    cr_assert_eq(hsc_finish(w), HSC_OK);
    hsc_close(w);
    db_expect(false,
              "select (select count(*) from objects), (select count(*) from refs), (select count(*) from retained)",
              "0|0|0\n");
    db_expect(false, "select count(*) from v_references", "0\n");
    db_expect(false, "select objects from captures", "0\n");
}

Test(sqlite, keeps_names_that_are_no_text)
{
    hsc_writer *w;
    hsc_options options;
    hsc_options_init(&options);
    cr_assert_eq(hsc_open_file(&w, db_after, &options), HSC_OK);
    hsc_define_type(w, 1, "a\0b", 3, 0);
    hsc_define_type(w, 2, "\xc3", 1, 0);
    hsc_define_type(w, 3, "'); drop table types; --", 24, 0);
    hsc_define_type(w, 4, "\xf0\x9f\x92\xa9", 4, 0);
    for (uint64_t i = 1; i <= 4; i++) {
        hsc_begin_object(w, &(hsc_object){.id = i, .type = (uint32_t)i, .size_bytes = i});
        hsc_end_object(w);
    }
    cr_assert_eq(hsc_finish(w), HSC_OK);
    hsc_close(w);
    db_expect(false, "select bytes, typeof(name), hex(name) from types where bytes > 0 order by bytes",
              "1|blob|610062\n2|blob|C3\n3|text|27293B2064726F70207461626C652074797065733B202D2D\n4|text|F09F92A9\n");
}

Test(sqlite, tells_text_from_bytes)
{
    static const char *const text[] = {"",
                                       "a",
                                       "\xc2\x80",
                                       "\xdf\xbf",
                                       "\xe0\xa0\x80",
                                       "\xed\x9f\xbf",
                                       "\xef\xbf\xbf",
                                       "\xf0\x90\x80\x80",
                                       "\xf4\x8f\xbf\xbf"};
    static const char *const bytes[] = {"\x80",
                                        "\xc0\x80",
                                        "\xc1\xbf",
                                        "\xe0\x9f\xbf",
                                        "\xed\xa0\x80",
                                        "\xf0\x8f\xbf\xbf",
                                        "\xf4\x90\x80\x80",
                                        "\xf5\x80\x80\x80",
                                        "\xc2",
                                        "\xe1\x80",
                                        "a\xff"};
    for (size_t i = 0; i < sizeof text / sizeof text[0]; i++)
        cr_expect(hsd_is_text(text[i], strlen(text[i])), "%zu", i);
    for (size_t i = 0; i < sizeof bytes / sizeof bytes[0]; i++)
        cr_expect_not(hsd_is_text(bytes[i], strlen(bytes[i])), "%zu", i);
    cr_expect_not(hsd_is_text("", 1));
}

/* ---- what is left when something fails */

static struct {
    hsd_fault_family family;
    uint64_t at;
} fault;

static void arm(void)
{
    hsd_fault_reset();
    hsd_fault_arm(fault.family, fault.at, false, ENOSPC);
}

/* False when the call never came. */
static bool fails_cleanly(hsd_fault_family family, uint64_t at)
{
    fault.family = family;
    fault.at = at;
    db_arm = arm;
    const hsd_status status = db_export(true, 24 << 20);
    db_arm = NULL;
    const bool has_struck = hsd_fault_strikes() > 0;
    hsd_fault_reset();
    if (status == HSD_OK) {
        remove(db_file);
        return has_struck;
    }
    cr_expect(has_struck, "%s %" PRIu64 ": %s", hsd_fault_name(family), at, db_err.text);
    cr_expect_neq(db_err.text[0], '\0');
    cr_expect_eq(db_count_files(), 2, "%s %" PRIu64 " left a file", hsd_fault_name(family), at);
    return true;
}

Test(sqlite, is_whole_or_not_there)
{
    static const hsd_fault_family families[] = {HSD_FAULT_MALLOC, HSD_FAULT_OPEN, HSD_FAULT_PREAD,
                                                HSD_FAULT_PWRITE, HSD_FAULT_SYNC, HSD_FAULT_RENAME};
    write_heap(db_before, 0);
    write_heap(db_after, 3);
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        const uint64_t step = families[i] == HSD_FAULT_MALLOC ? 17 : 1;
        uint64_t at = 1;
        while (at < 10000 && fails_cleanly(families[i], at))
            at += step;
        cr_expect_lt(at, 10000);
        cr_expect_gt(at, 1, "%s never came", hsd_fault_name(families[i]));
    }
}
