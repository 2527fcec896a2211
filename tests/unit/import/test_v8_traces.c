/*
 * Snapshots of V8 that were taken while allocations were tracked (.heaptimeline): the stack of each object, from a tree
 * of calls, random ones among them; what lists that contradict themselves give, and what is left of a cut.
 */
#include "support/stack_profile.h"
#include <hscapture/hscapture.h>

enum { NODES = 60, CALLS = 120, FUNCTIONS = 20 };

#define META(traced)                                                                                                   \
    "{\"snapshot\":{\"meta\":{\"node_fields\":[\"type\",\"name\",\"id\",\"self_size\",\"edge_count\",\"trace_node_"    \
    "id\"],"                                                                                                           \
    "\"node_types\":[[\"hidden\",\"object\",\"synthetic\"],\"string\",\"number\",\"number\",\"number\",\"number\"],"   \
    "\"edge_fields\":[\"type\",\"name_or_index\",\"to_node\"],\"edge_types\":[[\"element\"],\"string_or_number\","     \
    "\"node\"],\"trace_function_info_fields\":[\"function_id\",\"name\",\"script_name\",\"script_id\",\"line\","       \
    "\"column\"],\"trace_node_fields\":[\"id\",\"function_info_index\",\"count\",\"size\",\"children\"]},"             \
    "\"node_count\":4,\"edge_count\":3,\"trace_function_count\":" traced "}"
/* the root, and three objects, of which one was there before */
#define GRAPH ",\"nodes\":[2,0,1,0,3,0,1,1,3,40,0,3,1,1,5,24,0,0,1,2,7,16,0,4],\"edges\":[0,0,6,0,1,12,0,2,18]"
#define INFOS ",\"trace_function_infos\":[0,3,0,0,0,0,9,4,5,7,12,3,11,0,5,7,20,0]"
#define TREE  ",\"trace_tree\":[1,0,0,0,[2,1,0,0,[3,2,1,40,[]],4,1,1,16,[5,2,0,0,[]]]]"
#define REST                                                                                                           \
    ",\"samples\":[0,7],\"locations\":[],\"strings\":[\"\",\"Order\",\"Note\",\"(root)\",\"main\",\"/srv/shop.js\"]}"

static const char known[] = META("3") GRAPH INFOS TREE REST;

static const hsd_import_options plain = {.compression = 1}, whatever = {.compression = 1, .salvage = true};

static void expect_object(const capture_view *view, uint64_t id, const char *wanted)
{
    char got[4096];
    const view_object *object = view_find(view, id);
    cr_assert(object != NULL);
    text_of_site(view, object->site, got, sizeof got);
    cr_assert(strcmp(got, wanted) == 0, "object %" PRIu64 ":\n%snot\n%s", id, got, wanted);
}

Test(v8_traces, gives_each_object_its_stack)
{
    hsd_import_result result;
    capture_view view;
    open_text(known, &plain, &result, &view);
    expect_object(&view, 3, "(anonymous) /srv/shop.js:20\nmain /srv/shop.js:12\n");
    expect_object(&view, 5, "");
    expect_object(&view, 7, "main /srv/shop.js:12\n");
    cr_assert(view.sites[view_find(&view, 7)->site].column == 3);
    cr_assert(view.sites[5].id == 0, "a site that nothing has was written");
    view_close(&view);
}

/* Snapshots that were taken without, and columns that are not known. */
Test(v8_traces, has_no_stacks_where_they_were_not_tracked)
{
    static const char untracked[] = META("0") GRAPH INFOS TREE REST,
                      odd[] = META("3") GRAPH ",\"trace_tree\":[[]]" REST;
    hsd_import_result result;
    capture_view view;
    hsd_error err;
    open_text(untracked, &plain, &result, &view);
    expect_object(&view, 3, "");
    view_close(&view);
    char *other = strdup(odd), *name = strstr(other, "function_info_index");
    memcpy(name, "function_info_place", 19);
    open_text(other, &plain, &result, &view);
    expect_object(&view, 3, "");
    view_close(&view);
    free(other);
    const hsd_import_options summary = {.compression = 1, .summary_only = true};
    cr_assert(import_text(known, sizeof known - 1, &summary, &result, NULL, &err) == HSD_OK && result.objects == 3);
}

/* A stack that the tree does not have is not known, and no failure. */
Test(v8_traces, takes_numbers_that_nothing_says_more_of)
{
    static const char without[] = META("3") GRAPH REST,
                      beyond[] = META("3") GRAPH INFOS
                      ",\"trace_tree\":[1,0,0,0,[3,77,0,0,[],99999999,1,0,0,[4,1,0,0,[]]]]" REST;
    hsd_import_result result;
    capture_view view;
    open_text(without, &plain, &result, &view);
    expect_object(&view, 3, " :0\n");
    view_close(&view);
    open_text(beyond, &plain, &result, &view);
    expect_object(&view, 3, " :0\n");
    expect_object(&view, 7, "main /srv/shop.js:12\n");
    view_close(&view);
}

static void expect_damage(const char *text, hsd_status status, const char *word)
{
    expect_refusal(text, strlen(text), &plain, status, word);
}

Test(v8_traces, refuses_lists_that_contradict_themselves)
{
#define TRACES(infos, tree) META("3") GRAPH infos tree REST
    expect_damage(TRACES(",\"trace_function_infos\":[0,3,0]", TREE), HSD_E_CORRUPT, "ends inside one");
    expect_damage(TRACES(INFOS, ",\"trace_tree\":[1,0,0]"), HSD_E_CORRUPT, "ends inside one");
    expect_damage(TRACES(INFOS, ",\"trace_tree\":[1,0,0,0,7]"), HSD_E_CORRUPT, "'['");
    expect_damage(TRACES(INFOS, ",\"trace_tree\":[1,0,0,0,[2,1,0,0,[],2,1,0,0,[]]]"), HSD_E_CORRUPT, "twice");
    expect_damage(TRACES(INFOS, ",\"trace_tree\":[1,0,0,0,[2,1,0,0,[2,1,0,0,[]]]]"), HSD_E_CORRUPT, "twice");
    expect_damage(TRACES(INFOS, ",\"trace_tree\":{}"), HSD_E_CORRUPT, "'['");
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    fputs(META("3") GRAPH INFOS ",\"trace_tree\":[", file);
    for (int i = 0; i < 1100; i++)
        fprintf(file, "%d,1,0,0,[", i + 1);
    fclose(file);
    expect_damage(text, HSD_E_UNSUPPORTED, "deeper than 1024");
    free(text);
}

Test(v8_traces, keeps_the_objects_of_a_file_that_was_cut)
{
    hsd_import_result result;
    hsd_error err;
    const size_t begin = (size_t)(strstr(known, INFOS) - known);
    for (size_t size = begin; size < sizeof known - 2; size++) {
        cr_assert(import_text(known, size, &plain, &result, NULL, &err) == HSD_E_TRUNCATED, "at %zu: %s", size,
                  err.text);
        cr_assert(import_text(known, size, &whatever, &result, NULL, &err) == HSD_OK && result.objects == 3,
                  "at %zu: %s", size, err.text);
    }
}

Test(v8_traces, survives_every_changed_byte) { survive_changes(known, &plain); }

/* ---- random trees ---- */

typedef struct call {
    unsigned parent, function; /* 0 = the root's child */
} call;

static void write_calls(FILE *file, const call *calls, unsigned of)
{
    bool is_first = true;
    fputc('[', file);
    for (unsigned i = 1; i < CALLS; i++) {
        if (calls[i].parent != of) continue;
        fprintf(file, "%s%u,%u,1,8,", is_first ? "" : ",", i + 1, calls[i].function + 1);
        write_calls(file, calls, i);
        is_first = false;
    }
    fputc(']', file);
}

Test(v8_traces, finds_the_stacks_of_random_trees)
{
    test_random random = {test_seed(24)};
    for (int round = 0; round < 20; round++) {
        call calls[CALLS] = {{0, 0}};
        unsigned traces[NODES];
        hsd_import_result result;
        capture_view view;
        char *text, wanted[4096];
        size_t size;
        FILE *file = open_memstream(&text, &size);
        for (unsigned i = 1; i < CALLS; i++)
            calls[i] = (call){i < 10 ? 0 : (unsigned)test_below(&random, i), (unsigned)test_below(&random, FUNCTIONS)};
        fprintf(file, META("20") ",\"nodes\":[2,0,1,0,%d,0", NODES);
        for (unsigned i = 0; i < NODES; i++) {
            traces[i] = (unsigned)test_below(&random, CALLS);
            fprintf(file, ",1,1,%u,16,0,%u", 2 * i + 3, traces[i] == 0 ? 0 : traces[i] + 1);
        }
        fputs("],\"edges\":[", file);
        for (unsigned i = 0; i < NODES; i++)
            fprintf(file, "%s0,%u,%u", i > 0 ? "," : "", i, 6 * (i + 1));
        fputs("],\"trace_function_infos\":[0,0,0,0,0,0", file);
        for (unsigned i = 0; i < FUNCTIONS; i++)
            fprintf(file, ",%u,%u,%u,1,%u,7", i, 2 + 2 * i, 3 + 2 * i, i + 1);
        fputs("],\"trace_tree\":[1,0,0,0,", file);
        write_calls(file, calls, 0);
        fputs("],\"samples\":[],\"locations\":[],\"strings\":[\"\",\"Order\"", file);
        for (unsigned i = 0; i < FUNCTIONS; i++)
            fprintf(file, ",\"call_%u(int)\",\"part%u.c\"", i, i);
        fputs("]}", file);
        fclose(file);
        char *count = strstr(text, "\"node_count\":4");
        memcpy(count, "\"node_count\":0", 14); /* the header need not know */
        open_text(text, &plain, &result, &view);
        for (unsigned i = 0; i < NODES; i++) {
            size_t used = 0;
            wanted[0] = '\0';
            for (unsigned at = traces[i]; at != 0; at = calls[at].parent)
                used += (size_t)snprintf(wanted + used, sizeof wanted - used, "call_%u(int) part%u.c:%u\n",
                                         calls[at].function, calls[at].function, calls[at].function + 1);
            expect_object(&view, 2 * i + 3, wanted);
        }
        view_close(&view);
        free(text);
    }
}

/* ---- Bun ---- */

/* Bun 1.4.5: V8's form, other numbers. */
#define BUN(second, edge_count, of_roots, edges)                                                                       \
    "{\"snapshot\":{\"meta\":{\"node_fields\":[\"type\",\"name\",\"id\",\"self_size\",\"edge_count\",\"trace_node_"    \
    "id\","                                                                                                            \
    "\"detachedness\"],\"node_types\":[[\"hidden\",\"array\",\"string\",\"object\",\"code\",\"closure\",\"regexp\","   \
    "\"number\",\"native\",\"synthetic\",\"concatenated string\",\"sliced string\",\"symbol\",\"bigint\",\"object "    \
    "shape\"],"                                                                                                        \
    "\"string\",\"number\",\"number\",\"number\",\"number\",\"number\"],\"edge_fields\":[\"type\",\"name_or_index\","  \
    "\"to_node\"],\"edge_types\":[[\"context\",\"element\"],\"string_or_number\",\"node\"]},\"node_count\":3,"         \
    "\"edge_count\":" edge_count ",\"trace_function_count\":0},\"nodes\":[9,0,1,0,1,0,0,9,1," second ",0," of_roots    \
    ",0,0,3,2,4830,16,0,0,0],\"edges\":[" edges "],\"trace_function_infos\":[],\"trace_tree\":[],"                     \
    "\"samples\":[],\"locations\":[],\"strings\":[\"\",\"(GC roots)\",\"Order\"]}"

Test(v8_traces, knows_that_buns_numbers_say_nothing)
{
    hsd_import_result result;
    capture_view view;
    open_text(BUN("2", "2", "1", "1,0,7,1,0,14"), &plain, &result, &view);
    cr_assert(view.info->identity == HSD_IDENTITY_MOVING && strcmp(view.info->runtime, "Bun") == 0);
    view_close(&view);
    open_text(BUN("3", "2", "1", "1,0,7,1,0,14"), &plain, &result, &view);
    cr_assert(view.info->identity == HSD_IDENTITY_EXACT && strcmp(view.info->runtime, "V8") == 0);
    view_close(&view);
}

/* JavaScriptCore leaves out what the table of a Map refers to. */
Test(v8_traces, says_what_bun_does_not_tell)
{
    hsd_import_result result;
    capture_view view;
    open_text(BUN("2", "1", "0", "1,0,7"), &plain, &result, &view);
    const char *said = "(in a Map, a Set or native code that Bun does not tell)";
    size_t count = 0;
    for (size_t i = 0; i < view.object_count; i++)
        count += view_count_roots(&view, HSC_ROOT_RUNTIME, said, view.objects[i].id);
    cr_assert_eq(count, 1);
    view_close(&view);
}
