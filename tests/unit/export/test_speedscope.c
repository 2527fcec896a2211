/* Files of Speedscope, as text: every byte of small ones. That they are what the schema asks for is held in
 * tests/export. */
#include "unit/export/stack_case.h"

TestSuite(speedscope, .init = stack_begin, .fini = stack_end);

#define HEAD "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n\"exporter\":\"hsdiff\",\n\"name\":"

static void expect_text(const char *before, const char *text)
{
    size_t size;
    cr_assert_eq(stack_export(before, path, "speedscope", HSD_STACKS_AUTO, 0), HSD_OK, "%s", err.text);
    char *json = stack_read(&size);
    cr_expect_str_eq(json, text);
    free(json);
}

Test(speedscope, has_bytes_and_objects_of_a_capture)
{
    stack_write(path, &(stack_heap){0});
    expect_text(
        NULL, HEAD
        "\"shop\",\n\"activeProfileIndex\":0,\n"
        "\"shared\":{\"frames\":[\n"
        "{\"name\":\"(no allocation site)\"},\n"
        "{\"name\":\"Buffer\"},\n"
        "{\"name\":\"Map\"},\n"
        "{\"name\":\"Session\"},\n"
        "{\"name\":\"load\",\"file\":\"shop.c\",\"line\":11},\n"
        "{\"name\":\"main\",\"file\":\"shop.c\",\"line\":10},\n"
        "{\"name\":\"new Session\",\"file\":\"shop.c\",\"line\":30},\n"
        "{\"name\":\"serve\",\"file\":\"shop.c\",\"line\":20,\"col\":5}]},\n"
        "\"profiles\":[\n"
        "{\"type\":\"sampled\",\"name\":\"bytes\",\"unit\":\"bytes\",\"samples\":[\n[5,7,6,3],\n[5,4,2],\n[0,1]],\n"
        "\"weights\":[392,48,16],\n\"startValue\":0,\"endValue\":456},\n"
        "{\"type\":\"sampled\",\"name\":\"objects\",\"unit\":\"none\",\"samples\":[\n[5,7,6,3],\n[5,4,2],\n[0,1]],\n"
        "\"weights\":[5,1,1],\n\"startValue\":0,\"endValue\":7}]}\n");
}

Test(speedscope, has_what_grew_and_what_shrank_of_a_pair)
{
    stack_write(other, &(stack_heap){.has_no_sites = true, .has_no_large = true});
    stack_write(path, &(stack_heap){.has_no_sites = true, .process = ""});
    expect_text(
        other, HEAD
        "\"heap\",\n\"activeProfileIndex\":0,\n"
        "\"shared\":{\"frames\":[\n{\"name\":\".items: Session\"},\n{\"name\":\"Map\"},\n{\"name\":\"sessions\"}]},\n"
        "\"profiles\":[\n"
        "{\"type\":\"sampled\",\"name\":\"bytes that grew\",\"unit\":\"bytes\",\"samples\":[\n[2,1,0]],\n"
        "\"weights\":[200],\n\"startValue\":0,\"endValue\":200},\n"
        "{\"type\":\"sampled\",\"name\":\"objects that grew\",\"unit\":\"none\",\"samples\":[\n[2,1,0]],\n"
        "\"weights\":[2],\n\"startValue\":0,\"endValue\":2},\n"
        "{\"type\":\"sampled\",\"name\":\"bytes that shrank\",\"unit\":\"bytes\",\"samples\":[],\n"
        "\"weights\":[],\n\"startValue\":0,\"endValue\":0},\n"
        "{\"type\":\"sampled\",\"name\":\"objects that shrank\",\"unit\":\"none\",\"samples\":[],\n"
        "\"weights\":[],\n\"startValue\":0,\"endValue\":0}]}\n");
}

Test(speedscope, quotes_names_twice_over)
{
    static const char name[] = "\"\\</script>\n\xff";
    stack_write_named(path, name, sizeof name - 1);
    size_t size;
    cr_assert_eq(stack_export(NULL, path, "speedscope", HSD_STACKS_AUTO, 0), HSD_OK, "%s", err.text);
    char *json = stack_read(&size);
    cr_expect(strstr(json, "\n{\"name\":\"\\\"\\\\</script>\\\\x0a\\\\xff\"") != NULL, "%s", json);
    free(json);
}
