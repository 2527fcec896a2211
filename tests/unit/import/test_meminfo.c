/*
 * The importer of php-meminfo's dumps, on texts that are known line by line: as the extension writes them, in another
 * order, and damaged in every place.
 */
#include "support/stack_profile.h"
#include <hscapture/hscapture.h>

#define HEAD                                                                                                           \
    "{\n  \"header\" : {\n    \"memory_usage\" : 390000,\n    \"memory_usage_real\" : 2097152,\n    "                  \
    "\"peak_memory_usage\" : 400000,\n    \"peak_memory_usage_real\" : 2097152\n  },\n  \"items\": {\n"
#define TAIL "\n    }\n}\n}\n"
#define ROOT(address, type, name, frame)                                                                               \
    "    \"" address "\" : {\n        \"type\" : \"" type                                                              \
    "\",\n        \"size\" : \"72\",\n        \"symbol_name\" : "                                                      \
    "\"" name "\",\n        \"is_root\" : true,\n        \"frame\" : \"" frame "\"\n"
#define ITEM(address, type, size)                                                                                      \
    "    \"" address "\" : {\n        \"type\" : \"" type "\",\n        \"size\" : \"" size                            \
    "\",\n        \"is_root\" : false\n"
#define CHILDREN(list) ",\n        \"children\" : {\n" list "\n        }\n"
#define OBJECT(class)  ",\n        \"class\" : \"" class "\",\n        \"object_handle\" : \"5\",\n"
#define NEXT           "\n    },\n"

static const char known[] = HEAD ROOT("0x7f01", "array", "Shop\\\\Cache::sessions", "<CLASS_STATIC_MEMBER>")
    CHILDREN("            \"ann\":\"0x7f10\",\n            \"17\":\"0x7f20\"") NEXT ITEM("0x7f10", "object", "72")
        OBJECT("Shop\\\\Session") "        \"children\" : {\n            \"cart\":\"0x7f11\"\n        }\n" NEXT ITEM(
            "0x7f11", "array", "72") CHILDREN("") NEXT ITEM("0x7f20", "object", "72") OBJECT("Closure")
            NEXT ROOT("0x7f02", "int", "hits", "Shop\\\\dump()") NEXT ROOT("0x7f03", "string", "argv0", "<GLOBAL>")
                NEXT ROOT("0x7f04", "array", "*::kept", "<CLASS_STATIC_MEMBER>") CHILDREN("") TAIL;

static const hsd_import_options plain = {.compression = 1}, whatever = {.compression = 1, .salvage = true},
                                named = {.compression = 1, .format = "meminfo"},
                                with_keys = {.compression = 1, .with_values = true};

Test(meminfo, objects_have_their_classes_and_properties)
{
    hsd_import_result result;
    capture_view view;
    open_text(known, &plain, &result, &view);
    cr_expect_str_eq(result.format, "meminfo");
    cr_expect(result.objects == 7 && result.references == 3 && result.is_complete);
    const view_object *session = view_find(&view, 0x7f10), *closure = view_find(&view, 0x7f20);
    cr_assert(session != NULL && closure != NULL && session->size_bytes == 72);
    cr_expect_str_eq(view_type(&view, session->type), "Shop\\Session");
    cr_expect_str_eq(view_type(&view, closure->type), "Closure"); /* without properties: a comma, and its end */
    cr_expect_eq(view_reference_of(&view, session, "cart", 0)->target, 0x7f11);
    const view_object *numbers = view_find(&view, 0x7f02);
    cr_expect(numbers != NULL && view.type_flags[numbers->type] == HSC_TYPE_PART);
    view_close(&view);
}

Test(meminfo, variables_are_roots_as_php_writes_them)
{
    hsd_import_result result;
    capture_view view;
    open_text(known, &plain, &result, &view);
    cr_expect_eq(view_count_roots(&view, HSC_ROOT_STATIC, "Shop\\Cache::$sessions", 0x7f01), 1);
    cr_expect_eq(view_count_roots(&view, HSC_ROOT_STATIC, "(protected)::$kept", 0x7f04), 1);
    cr_expect_eq(view_count_roots(&view, HSC_ROOT_STACK, "$hits of Shop\\dump()", 0x7f02), 1);
    cr_expect_eq(view_count_roots(&view, HSC_ROOT_GLOBAL, "$argv0", 0x7f03), 1);
    view_close(&view);
}

Test(meminfo, keys_are_told_where_they_are_names)
{
    static char text[1 << 16];
    hsd_import_result result;
    capture_view view;
    open_text(known, &plain, &result, &view);
    const view_object *array = view_find(&view, 0x7f01);
    cr_expect(view_reference_of(&view, array, "ann", 0) == NULL); /* one array has it */
    cr_expect_eq(view_reference_of(&view, array, NULL, 17)->target, 0x7f20);
    for (uint32_t i = 1; i < view.string_limit; i++)
        cr_expect(strcmp(view_string(&view, i), "ann") != 0);
    view_close(&view);
    size_t size = (size_t)snprintf(text, sizeof text, "%s", HEAD);
    for (unsigned i = 0; i < 16; i++)
        size += (size_t)snprintf(text + size, sizeof text - size,
                                 "%s\"0x%x\" : {\"type\":\"array\",\"size\":72,\"is_root\":true,\"children\":{\"cart\":"
                                 "\"0x9000\",\"is it\":\"0x9001\"}}\n",
                                 i == 0 ? "" : ",", 0x100 + i);
    snprintf(text + size, sizeof text - size, "}}");
    open_text(text, &plain, &result, &view);
    array = view_find(&view, 0x100);
    cr_expect_eq(view_reference_of(&view, array, "cart", 0)->target, 0x9000);
    cr_expect(view_reference_of(&view, array, "is it", 0) == NULL);
    view_close(&view);
    open_text(known, &with_keys, &result, &view);
    cr_expect_eq(view_reference_of(&view, view_find(&view, 0x7f01), "ann", 0)->target, 0x7f10);
    view_close(&view);
}

/* As jq -S has them: children in front of what they are children of. */
Test(meminfo, reads_keys_in_any_order)
{
    hsd_import_result result;
    capture_view view;
    open_text(
        "{\"header\":{\"memory_usage\":1,\"other\":[1]},\"more\":{},\"items\":{\"0x10\":{\"children\":{\"a\":"
        "\"0x20\"},\"class\":\"A\",\"frame\":\"<GLOBAL>\",\"is_root\":true,\"object_handle\":\"1\",\"size\":\"72\","
        "\"symbol_name\":\"a\",\"type\":\"object\"},\"00000020\":{\"is_root\":false,\"size\":16,\"type\":\"\"}}}",
        &plain, &result, &view);
    const view_object *object = view_find(&view, 0x10);
    cr_assert(object != NULL && view_find(&view, 0x20) != NULL && view.edge_count == 1);
    cr_expect(view.edges[0].source == 0x10 && view.edges[0].target == 0x20);
    cr_expect_str_eq(view_type(&view, object->type), "A");
    cr_expect_str_eq(view_type(&view, view_find(&view, 0x20)->type), "(unknown)");
    cr_expect_eq(view_count_roots(&view, HSC_ROOT_GLOBAL, "$a", 0x10), 1);
    view_close(&view);
}

/* reli: compact, with more keys behind the children, and addresses of its own for what lies in something else. */
Test(meminfo, reads_what_reli_writes)
{
    hsd_import_result result;
    capture_view view;
    open_text(
        "{\"header\":{\"memory_usage\":390000,\"memory_usage_real\":2097152,\"peak_memory_usage\":400000,\"peak_memory_"
        "usage_real\":2097152},\"items\":{\"0x7f10\":{\"type\":\"array\",\"size\":\"56\",\"symbol_name\":"
        "\"Shop\\\\Cache::"
        "log\",\"is_root\":true,\"frame\":\"<CLASS_STATIC_MEMBER>\",\"children\":{\"0\":\"0x7f20\",\"a\\/"
        "b\":\"0x1000000000000007\"},"
        "\"#reli_node_id\":3},\"0x7f20\":{\"type\":\"object\",\"size\":\"104\",\"is_root\":false,\"class\":"
        "\"Shop\\\\Session\","
        "\"object_handle\":\"node:5\",\"children\":{},\"#reli_node_id\":5},\"0x1000000000000007\":{\"type\":\"int\","
        "\"size\":"
        "\"16\",\"is_root\":false,\"#reli_node_id\":7,\"#reli_value\":\"{\\\"secret\\\"\"}}}\n",
        &plain, &result, &view);
    cr_expect(result.objects == 3 && result.references == 2 && result.is_complete);
    cr_expect_eq(view_count_roots(&view, HSC_ROOT_STATIC, "Shop\\Cache::$log", 0x7f10), 1);
    cr_expect_str_eq(view_type(&view, view_find(&view, 0x7f20)->type), "Shop\\Session");
    cr_expect(view_find(&view, UINT64_C(0x1000000000000007)) != NULL);
    view_close(&view);
}

Test(meminfo, sums_by_type_are_those_of_the_objects)
{
    const hsd_import_options summary = {.compression = 1, .summary_only = true};
    hsd_import_result result;
    capture_view view;
    open_text(known, &summary, &result, &view);
    cr_expect(view.object_count == 0 && result.objects == 7);
    expect_total(&view, "Shop\\Session", 1, 72);
    expect_total(&view, "array", 3, 216);
    view_close(&view);
}

static void expect_damage(const char *text, hsd_status status, const char *word)
{
    expect_refusal(text, strlen(text), &named, status, word);
}

Test(meminfo, says_what_is_wrong)
{
    expect_damage(HEAD ITEM("0x7g", "int", "16") TAIL, HSD_E_CORRUPT, "an address should stand here");
    expect_damage(HEAD ITEM("", "int", "16") TAIL, HSD_E_CORRUPT, "an address should stand here");
    expect_damage(HEAD ITEM("0x11112222333344445", "int", "16") TAIL, HSD_E_CORRUPT, "an address");
    expect_damage(HEAD ITEM("0x7f", "int", "") TAIL, HSD_E_CORRUPT, "a number should stand here");
    expect_damage(HEAD ITEM("0x7f", "int", "1x") TAIL, HSD_E_CORRUPT, "a number should stand here");
    expect_damage(HEAD ITEM("0x7f", "int", "99999999999999999999") TAIL, HSD_E_CORRUPT, "a number");
    expect_damage(HEAD "\"0x7f\":{\"size\":\"16\"}" TAIL, HSD_E_CORRUPT, "an item with a type");
    expect_damage(HEAD "\"0x7f\":{\"type\":\"int\" \"size\":\"16\"}" TAIL, HSD_E_CORRUPT, "',' or '}'");
    expect_damage(HEAD "\"0x7f\":{\"type\":\"array\",\"children\":{\"a\":\"b!\"}}" TAIL, HSD_E_CORRUPT,
                  "in the children of an item");
    expect_damage(HEAD "\"0x7f\":[]" TAIL, HSD_E_CORRUPT, "'{'");
    expect_damage(HEAD "}}", HSD_E_CORRUPT, "no items");
    expect_damage("{\"header\":{\"memory_usage\":-1}}", HSD_E_CORRUPT, "whole number");
}

Test(meminfo, a_dump_that_was_cut_gives_what_is_there)
{
    const size_t first = (size_t)(strstr(known, NEXT) - known) + sizeof NEXT, size = sizeof known - 4;
    for (size_t cut = 40; cut < size; cut += cut < first ? 7 : 5) {
        hsd_import_result result;
        capture_view view;
        hsd_error err;
        cr_assert(import_text(known, cut, &named, &result, NULL, &err) == HSD_E_TRUNCATED, "%zu: %s", cut, err.text);
        const hsd_import_options partial = {.compression = 1, .salvage = true, .format = "meminfo"};
        const hsd_status status = import_text(known, cut, &partial, &result, &view, &err);
        if (cut < first && status != HSD_OK) continue;
        cr_assert(status == HSD_OK && !result.is_complete && result.objects >= 1, "%zu: %s", cut, err.text);
        cr_expect(view_find(&view, 0x7f01) != NULL);
        view_close(&view);
    }
}

Test(meminfo, survives_every_change_of_a_byte)
{
    survive_changes(
        "{\"header\":{\"memory_usage\":1},\"items\":{\"0x1\":{\"type\":\"array\",\"size\":\"72\",\"symbol_name\":"
        "\"a\\u0041\",\"is_root\":true,\"frame\":\"f()\",\"children\":{\"k\":\"0x2\"}},\"0x2\":{\"type\":"
        "\"object\",\"size\":\"9\",\"is_root\":false,\"class\":\"C\",\"object_handle\":\"1\",}}}",
        &whatever);
}

Test(meminfo, variables_without_end_are_over_the_budget)
{
    const size_t room = 16 << 20;
    char *text = malloc(room);
    hsd_error err;
    hsd_import_result result;
    cr_assert(text != NULL);
    size_t size = (size_t)snprintf(text, room, "%s", HEAD);
    for (unsigned i = 0; size < room - 4096; i++)
        size += (size_t)snprintf(text + size, room - size,
                                 "%s\"0x%x\":{\"type\":\"int\",\"symbol_name\":\"%0200u\",\"is_root\":true}",
                                 i == 0 ? "" : ",", i + 1, i);
    size += (size_t)snprintf(text + size, room - size, "}}");
    const hsd_run run = {.memory_bytes = HSD_MEMORY_MIN_BYTES};
    cr_assert(import_bytes(text, size, "file", &named, &run, &result, NULL, &err) == HSD_E_OVER_BUDGET, "%s", err.text);
    cr_expect(strstr(err.hint, "--memory") != NULL, "%s", err.hint);
    free(text);
}

/* Properties beyond what has labels are references without a name. */
Test(meminfo, properties_without_end_have_no_names)
{
    const size_t room = 8 << 20;
    char *text = malloc(room);
    hsd_import_result result;
    hsd_error err;
    capture_view view;
    cr_assert(text != NULL);
    size_t size = (size_t)snprintf(text, room,
                                   "%s\"0x1\":{\"type\":\"object\",\"class\":\"A\",\"is_root\":true,"
                                   "\"size\":\"72\",\"children\":{",
                                   HEAD);
    for (unsigned i = 0; i < 100000; i++)
        size += (size_t)snprintf(text + size, room - size, "%s\"p%u\":\"0x%x\"", i == 0 ? "" : ",", i, i + 16);
    size += (size_t)snprintf(text + size, room - size, "}}}}");
    const hsd_run run = {.memory_bytes = 64 << 20};
    cr_assert(import_bytes(text, size, "file", &named, &run, &result, &view, &err) == HSD_OK, "%s", err.text);
    const view_object *object = view_find(&view, 1);
    cr_expect_eq(result.references, 100000);
    cr_expect_eq(view_reference_of(&view, object, "p0", 0)->target, 16);
    cr_expect(view_reference_of(&view, object, "p99999", 0) == NULL && object->count == 100000);
    view_close(&view);
    free(text);
}
