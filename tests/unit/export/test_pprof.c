/*
 * Profiles of pprof, read again with a reader of the test's own: all references lead somewhere, and what they say is
 * what the capture holds. What the tool itself makes of them is held in tests/export.
 */
#include <criterion/criterion.h>

#include "import/gzip.h"
#include "import/protobuf.h"
#include "unit/export/stack_case.h"

TestSuite(pprof, .init = stack_begin, .fini = stack_end);

enum { MOST = 64, MOST_FRAMES = 600 };

typedef struct sample {
    uint64_t locations[MOST_FRAMES];
    int64_t values[2];
    uint64_t label_keys[4], label_texts[4];
    size_t location_count, value_count, label_count;
} sample;

typedef struct location {
    uint64_t id, mapping, function, line, column;
} location;
typedef struct function {
    uint64_t id, name, system_name, file;
} function;

static struct profile {
    char texts[MOST][400];
    sample samples[MOST];
    location locations[MOST_FRAMES];
    function functions[MOST_FRAMES];
    uint64_t value_types[4][2], comments[4], period_type[2], time, duration, period, default_type, mapping,
        mapping_file;
    size_t text_count, sample_count, location_count, function_count, type_count, comment_count;
} p;

static bool next(hsd_proto_message *message, hsd_proto_field *field)
{
    const hsd_status status = hsd_proto_next(message, field, &err);
    cr_assert(status >= 0, "%s", err.text);
    return status == HSD_OK;
}

static hsd_proto_message enter(hsd_proto_message *outer, const hsd_proto_field *field)
{
    hsd_proto_message inner;
    cr_assert_eq(hsd_proto_enter(outer, field, &inner, &err), HSD_OK, "%s", err.text);
    return inner;
}

static void read_label(hsd_proto_message message, sample *to)
{
    hsd_proto_field field;
    while (next(&message, &field)) {
        if (field.number == 1) to->label_keys[to->label_count] = field.value;
        if (field.number == 2) to->label_texts[to->label_count] = field.value;
    }
    to->label_count++;
}

static void read_sample(hsd_proto_message message, sample *to)
{
    hsd_proto_field field;
    uint64_t value;
    while (next(&message, &field)) {
        uint64_t left = UINT64_MAX;
        if (field.number == 3)
            read_label(enter(&message, &field), to);
        else
            while (hsd_proto_number(&message, &field, &left, &value, &err) == HSD_OK) {
                if (field.number == 1) to->locations[to->location_count++] = value;
                if (field.number == 2) to->values[to->value_count++] = (int64_t)value;
            }
    }
}

/* Fields by number into words. */
static void read_words(hsd_proto_message message, uint64_t *words, size_t count)
{
    hsd_proto_field field;
    while (next(&message, &field))
        if (field.wire == HSD_PROTO_VARINT && field.number <= count) words[field.number - 1] = field.value;
}

static void read_location(hsd_proto_message message, location *to)
{
    hsd_proto_field field;
    while (next(&message, &field)) {
        uint64_t words[3] = {0};
        if (field.number == 1) to->id = field.value;
        if (field.number == 2) to->mapping = field.value;
        if (field.number != 4) continue;
        read_words(enter(&message, &field), words, 3);
        to->function = words[0];
        to->line = words[1];
        to->column = words[2];
    }
}

static void read_text(hsd_proto_message *message, const hsd_proto_field *field)
{
    hsd_bytes bytes;
    cr_assert_eq(hsd_proto_bytes(message, field, 399, &bytes, &err), HSD_OK);
    memcpy(p.texts[p.text_count++], bytes.data, bytes.size);
}

static void read_field(hsd_proto_message *message, const hsd_proto_field *field)
{
    uint64_t words[9] = {0};
    cr_assert(p.text_count < MOST && p.sample_count < MOST && p.location_count < MOST_FRAMES &&
              p.function_count < MOST_FRAMES);
    switch (field->number) {
    case 1: read_words(enter(message, field), p.value_types[p.type_count++], 2); break;
    case 2: read_sample(enter(message, field), &p.samples[p.sample_count++]); break;
    case 3:
        read_words(enter(message, field), words, 9);
        p.mapping = words[0];
        p.mapping_file = words[4];
        cr_expect(words[6] == 1 && words[7] == 1 && words[8] == 1);
        break;
    case 4: read_location(enter(message, field), &p.locations[p.location_count++]); break;
    case 5:
        read_words(enter(message, field), words, 4);
        p.functions[p.function_count++] = (function){words[0], words[1], words[2], words[3]};
        break;
    case 6: read_text(message, field); break;
    case 9: p.time = field->value; break;
    case 10: p.duration = field->value; break;
    case 11: read_words(enter(message, field), p.period_type, 2); break;
    case 12: p.period = field->value; break;
    case 13: p.comments[p.comment_count++] = field->value; break;
    case 14: p.default_type = field->value; break;
    default: cr_assert_fail("field %u", field->number);
    }
}

/* Every number names something. */
static void check_references(void)
{
    for (size_t i = 0; i < p.sample_count; i++) {
        cr_expect_eq(p.samples[i].value_count, p.type_count);
        for (size_t k = 0; k < p.samples[i].location_count; k++)
            cr_expect(p.samples[i].locations[k] - 1 < p.location_count);
        for (size_t k = 0; k < p.samples[i].label_count; k++)
            cr_expect(p.samples[i].label_keys[k] < p.text_count && p.samples[i].label_texts[k] < p.text_count);
    }
    for (size_t i = 0; i < p.location_count; i++)
        cr_expect(p.locations[i].id == i + 1 && p.locations[i].mapping == p.mapping &&
                  p.locations[i].function - 1 < p.function_count);
    for (size_t i = 0; i < p.function_count; i++)
        cr_expect(p.functions[i].id == i + 1 && p.functions[i].name < p.text_count &&
                  p.functions[i].file < p.text_count);
    cr_expect_str_empty(p.texts[0]);
    cr_expect_eq(p.mapping, 1);
    cr_expect_lt(p.mapping_file, p.text_count);
}

static void read_profile(const char *before, hsd_export_stacks stacks)
{
    hsd_source below, source;
    hsd_proto_field field;
    memset(&p, 0, sizeof p);
    cr_assert_eq(stack_export(before, path, "pprof", stacks, 0), HSD_OK, "%s", err.text);
    cr_assert_eq(hsd_source_open_file(&below, out, 0, &err), HSD_OK);
    cr_assert_eq(hsd_gzip_open(&source, &below, 0, false, &err), HSD_OK);
    hsd_proto_message all = hsd_proto_all(&source);
    while (next(&all, &field))
        read_field(&all, &field);
    hsd_source_close(&source);
    hsd_source_close(&below);
    check_references();
}

/* "new Session@shop.c:30 < serve@shop.c:20 < …" */
static const char *stack_of(const sample *s)
{
    static char text[4000];
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < s->location_count; i++) {
        const location *l = &p.locations[s->locations[i] - 1];
        const function *f = &p.functions[l->function - 1];
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s@%s:%u:%u", i == 0 ? "" : " < ",
                                 p.texts[f->name], p.texts[f->file], (unsigned)l->line, (unsigned)l->column);
    }
    return text;
}

static const char *label_of(const sample *s, const char *key)
{
    for (size_t i = 0; i < s->label_count; i++)
        if (strcmp(p.texts[s->label_keys[i]], key) == 0) return p.texts[s->label_texts[i]];
    return "";
}

static void expect_sample(size_t i, int64_t objects, int64_t bytes, const char *stack, const char *root,
                          const char *type)
{
    const sample *s = &p.samples[i];
    cr_assert_lt(i, p.sample_count);
    cr_expect(s->values[0] == objects && s->values[1] == bytes, "%zu: %lld, %lld", i, (long long)s->values[0],
              (long long)s->values[1]);
    cr_expect_str_eq(stack_of(s), stack);
    cr_expect_str_eq(label_of(s, "root"), root);
    cr_expect_str_eq(label_of(s, "type"), type);
    cr_expect_str_eq(label_of(s, "process"), "shop");
}

Test(pprof, has_sites_with_their_lines)
{
    stack_write(path, &(stack_heap){0});
    read_profile(NULL, HSD_STACKS_AUTO);
    cr_assert_eq(p.sample_count, 3);
    expect_sample(1, 1, 48, "load@shop.c:11:0 < main@shop.c:10:0", "", "Map");
    expect_sample(0, 5, 392, "new Session@shop.c:30:0 < serve@shop.c:20:5 < main@shop.c:10:0", "", "Session");
    expect_sample(2, 1, 16, "(no allocation site)@:0:0", "", "Buffer");
    cr_expect(p.time == 1700000000000000000 && p.duration == 0);
    cr_expect_str_eq(p.texts[p.mapping_file], "shop");
}

Test(pprof, has_columns_that_tools_know_for_those_of_a_heap)
{
    stack_write(path, &(stack_heap){0});
    read_profile(NULL, HSD_STACKS_AUTO);
    cr_assert_eq(p.type_count, 2);
    cr_expect_str_eq(p.texts[p.value_types[0][0]], "inuse_objects");
    cr_expect_str_eq(p.texts[p.value_types[0][1]], "count");
    cr_expect_str_eq(p.texts[p.value_types[1][0]], "inuse_space");
    cr_expect_str_eq(p.texts[p.value_types[1][1]], "bytes");
    cr_expect_str_eq(p.texts[p.default_type], "inuse_space");
    cr_expect_str_eq(p.texts[p.period_type[0]], "space");
    cr_expect_eq(p.period, 1);
    cr_assert_eq(p.comment_count, 2);
    cr_expect_str_eq(p.texts[p.comments[0]], "stacks: where the objects were allocated");
    cr_expect_str_eq(p.texts[p.comments[1]], "Test 1.0");
}

Test(pprof, has_paths_with_their_roots)
{
    stack_write(path, &(stack_heap){0});
    read_profile(NULL, HSD_STACKS_PATHS);
    cr_assert_eq(p.sample_count, 2);
    expect_sample(0, 1, 1048, "Map@:0:0 < sessions@:0:0", "sessions", "Map");
    expect_sample(1, 5, 392, ".items: Session@:0:0 < Map@:0:0 < sessions@:0:0", "sessions", "Session");
}

Test(pprof, has_values_below_zero_where_a_pair_shrank)
{
    stack_write(other, &(stack_heap){.more_sessions = 7});
    stack_write(path, &(stack_heap){0});
    read_profile(other, HSD_STACKS_AUTO);
    cr_assert_eq(p.sample_count, 1);
    expect_sample(0, -7, -448, "new Session@shop.c:30:0 < serve@shop.c:20:5 < main@shop.c:10:0", "", "Session");
    cr_expect_str_eq(p.texts[p.comments[1]], "growth between two captures");
    cr_expect_str_empty(stack_notes);
}

Test(pprof, tells_no_period_of_a_sample)
{
    hsc_writer *w;
    hsc_options options;
    hsc_options_init(&options);
    options.facts = HSC_FACT_SAMPLED;
    cr_assert_eq(hsc_open_file(&w, path, &options), HSC_OK);
    cr_assert_eq(hsc_finish(w), HSC_OK);
    hsc_close(w);
    read_profile(NULL, HSD_STACKS_AUTO);
    cr_expect(p.period == 0 && p.sample_count == 0 && p.type_count == 2);
}

Test(pprof, marks_names_that_no_terminal_should_see)
{
    static const char name[] = "evil\x1b]0;\x07\xff\n\xe2\x80\xae";
    stack_write_named(path, name, sizeof name - 1);
    read_profile(NULL, HSD_STACKS_AUTO);
    cr_assert_eq(p.sample_count, 1);
    expect_sample(0, 1, 8, "evil\\x1b]0;\\x07\\xff\\x0a\\u202e@evil\\x1b]0;\\x07\\xff\\x0a\\u202e:7:0", "",
                  "evil\\x1b]0;\\x07\\xff\\x0a\\u202e");
}
