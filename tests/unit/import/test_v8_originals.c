/*
 * Programs that tools wrote, told in the words of their sources: a bundle of esbuild, a script of one source, and maps
 * that are missing or of another build.
 */
#include <criterion/criterion.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "support/memfile.h"
#include "support/v8_bundle.h"
#include "unit/import/v8_case.h"
#include <hscapture/hscapture.h>

TestSuite(v8_originals, .init = case_v8_setup);

typedef struct a_file {
    const char *path, *text;
} a_file;

typedef struct some_files {
    const a_file *files;
    size_t count;
} some_files;

static int open_one(void *context, const char *path)
{
    const some_files *all = context;
    for (size_t i = 0; i < all->count; i++) {
        if (strcmp(all->files[i].path, path) != 0) continue;
        memfile file = memfile_of(all->files[i].text, strlen(all->files[i].text));
        const int fd = open(file.path, O_RDONLY | O_CLOEXEC);
        memfile_close(&file);
        return fd;
    }
    errno = ENOENT;
    return -1;
}

static loaded import_with(const v8_heap *heap, const a_file *files, size_t count)
{
    some_files all = {files, count};
    const hsd_import_options options = {
        .struct_bytes = sizeof options, .compression = 1, .open_file = open_one, .open_context = &all};
    return case_v8_import(heap, V8_FORM_NODE_20, &options, NULL);
}

static void expect_words(const loaded *c, const v8_bundle *n, const char *function, const char *class,
                         const char *variable, uint32_t flags)
{
    cr_expect_str_eq(c->objects[n->admit].type, function);
    cr_expect_str_eq(c->objects[n->entry].type, class);
    const loaded_reference *reference = &c->objects[n->module].references[1];
    cr_expect_eq(reference->target, n->entries);
    cr_expect_str_eq(reference->name, variable);
    cr_expect_eq(reference->flags, flags);
}

Test(v8_originals, a_bundle_is_told_in_the_words_of_its_sources)
{
    static const char *const comments[] = {V8_BUNDLE_COMMENT, ""}; /* app.js.map is looked for without it, too */
    for (size_t i = 0; i < 2; i++) {
        char script[512];
        snprintf(script, sizeof script, "%s%s", V8_BUNDLE, comments[i]);
        const a_file files[] = {{V8_BUNDLE_FOLDER "app.js", script}, {V8_BUNDLE_FOLDER "app.js.map", V8_BUNDLE_MAP}};
        v8_heap *heap = v8_heap_new();
        const v8_bundle n = v8_add_bundle(heap, "file://" V8_BUNDLE_FOLDER "app.js");
        loaded c = import_with(heap, files, 2);
        expect_words(&c, &n, "Function admit (main.ts:2)", "Entry", "cache.ts.sessions",
                     HSC_LABEL_NAMED_ROOT | HSC_LABEL_WHOLE_NAME);
        loaded_release(&c);
        v8_heap_free(heap);
    }
}

/* In each of these nothing is told but what the snapshot has. */
Test(v8_originals, a_map_that_is_missing_or_of_another_build_changes_nothing)
{
    static const a_file cases[][2] = {
        {{"", ""}, {"", ""}},
        {{V8_BUNDLE_FOLDER "app.js", V8_BUNDLE V8_BUNDLE_COMMENT}, {"", ""}},
        {{"", ""}, {V8_BUNDLE_FOLDER "app.js.map", V8_BUNDLE_MAP}},
        {{V8_BUNDLE_FOLDER "app.js", V8_BUNDLE V8_BUNDLE_COMMENT},
         {V8_BUNDLE_FOLDER "app.js.map", "{\"version\":3,\"mappings\":"}},
        {{V8_BUNDLE_FOLDER "app.js", V8_BUNDLE V8_BUNDLE_COMMENT}, {V8_BUNDLE_FOLDER "app.js.map", "not found"}},
        {{V8_BUNDLE_FOLDER "app.js", V8_BUNDLE "//# sourceMappingURL=https://cdn.example/app.js.map"},
         {V8_BUNDLE_FOLDER "app.js.map", V8_BUNDLE_MAP}},
        /* built anew since: functions stand elsewhere */
        {{V8_BUNDLE_FOLDER "app.js", "import{a}from\"b\";" V8_BUNDLE V8_BUNDLE_COMMENT},
         {V8_BUNDLE_FOLDER "app.js.map", V8_BUNDLE_MAP}},
        /* the map is of before: mappings begin inside of words */
        {{V8_BUNDLE_FOLDER "app.js", V8_BUNDLE V8_BUNDLE_COMMENT},
         {V8_BUNDLE_FOLDER "app.js.map",
          "{\"mappings\":\"EAAA,CAAA,CAAA,CAAA,EAAA,CAAA\",\"sources\":[\"x.ts\"],\"names\":[]}"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        v8_heap *heap = v8_heap_new();
        const v8_bundle n = v8_add_bundle(heap, V8_BUNDLE_FOLDER "app.js");
        loaded c = import_with(heap, cases[i], 2);
        expect_words(&c, &n, "Function o (app.js:1)", "s", "n", HSC_LABEL_NAMED_ROOT);
        loaded_release(&c);
        v8_heap_free(heap);
    }
}

Test(v8_originals, a_script_of_one_source_is_called_as_that)
{
    /* The map stands in the script. Names are as in the source, so it has none. */
    static const a_file files[] = {
        {V8_BUNDLE_FOLDER "app.js", V8_BUNDLE
         "//# sourceMappingURL=data:application/json;charset=utf-8;base64,"
         "eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpbIi4uL3NyYy9hcHAudHMiXSwibmFtZXMiOltdLCJtYXBwaW5ncyI6IkFBTUEifQ==\n"}};
    v8_heap *heap = v8_heap_new();
    const v8_bundle n = v8_add_bundle(heap, V8_BUNDLE_FOLDER "app.js");
    loaded c = import_with(heap, files, 1);
    expect_words(&c, &n, "Function o (app.ts:7)", "s", "n", HSC_LABEL_NAMED_ROOT);
    cr_expect_str_eq(c.objects[n.module].name, "app.ts");
    loaded_release(&c);
    v8_heap_free(heap);
}

/* Two classes that a bundler called alike are one type, which says so. */
Test(v8_originals, a_class_that_stands_for_two_is_called_as_both)
{
    static const char script[] = "(()=>{class t{constructor(a){}}x=t})();(()=>{class t{constructor(b){}}y=t})();\n";
    static const char map[] =
        "{\"mappings\":\"AAAA,YAAAA,uCAAAC;\",\"sources\":[\"a.ts\"],\"names\":[\"Cache\",\"Session\"]}";
    const a_file files[] = {{V8_BUNDLE_FOLDER "two.js", script}, {V8_BUNDLE_FOLDER "two.js.map", map}};
    static const char *const places[] = {"(b)", "(a)"};
    v8_heap *heap = v8_heap_new();
    const v8_program p = v8_add_program(heap);
    const uint32_t of_script = v8_node(heap, "code", V8_BUNDLE_FOLDER "two.js", 128);
    uint32_t objects[2];
    for (unsigned i = 0; i < 2; i++) {
        const uint32_t class = v8_add_closure(heap, &p, "t", p.native_context, of_script);
        objects[i] = v8_node(heap, "object", "t", 24);
        v8_edge(heap, p.leak, "property", "one", objects[i]);
        v8_locate(heap, class, 0, v8_column_of(script, places[i]));
        v8_locate(heap, objects[i], 0, v8_column_of(script, places[i]));
    }
    v8_edge(heap, of_script, "internal", "source", p.function);
    v8_edge(heap, of_script, "internal", "name", p.function);
    loaded c = import_with(heap, files, 2);
    for (unsigned i = 0; i < 2; i++)
        cr_expect_str_eq(c.objects[objects[i]].type, "Cache or Session");
    loaded_release(&c);
    v8_heap_free(heap);
}
