/*
 * Importing dumps of php-meminfo: see importing.h.
 *
 *      bench_import_meminfo [SESSIONS | FILE]
 *
 * Without a file one is made as the extension writes it: a static array of sessions by name, each with a cart of two
 * elements, a string and a number.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "importing.h"

#define FIRST UINT64_C(0x7f11f1880000)

static void item(FILE *file, uint64_t address, const char *type, unsigned size)
{
    fprintf(file,
            "\n    },\n    \"0x%" PRIx64 "\" : {\n        \"type\" : \"%s\",\n        \"size\" : \"%u\",\n        "
            "\"is_root\" : false\n",
            address, type, size);
}

static void session(FILE *file, uint64_t number)
{
    const uint64_t at = FIRST + number * 256;
    item(file, at, "object", 72);
    fprintf(file,
            ",\n        \"class\" : \"Shop\\\\Session\",\n        \"object_handle\" : \"%" PRIu64
            "\",\n        \"children\" : {\n            \"cart\":\"0x%" PRIx64 "\",\n            \"user\":\"0x%" PRIx64
            "\",\n            \"number\":\"0x%" PRIx64 "\"\n        }\n",
            number + 4, at + 40, at + 56, at + 72);
    item(file, at + 40, "array", 72);
    fprintf(file,
            ",\n        \"children\" : {\n            \"0\":\"0x%" PRIx64 "\",\n            \"1\":\"0x%" PRIx64
            "\"\n        }\n",
            at + 128, at + 144);
    item(file, at + 128, "string", 25);
    fputs("\n", file);
    item(file, at + 144, "int", 16);
    fputs("\n", file);
    item(file, at + 56, "string", 27);
    fputs("\n", file);
    item(file, at + 72, "int", 16);
    fputs("\n", file);
}

static void make_file(FILE *file, uint64_t sessions)
{
    fputs(
        "{\n  \"header\" : {\n    \"memory_usage\" : 446576\n  },\n  \"items\": {\n    \"0x7f11f1803ae0\" : {\n        "
        "\"type\" : \"array\",\n        \"size\" : \"72\",\n        \"symbol_name\" : \"Shop\\\\Cache::sessions\",\n   "
        " "
        "    \"is_root\" : true,\n        \"frame\" : \"<CLASS_STATIC_MEMBER>\"\n,\n        \"children\" : {\n",
        file);
    for (uint64_t i = 0; i < sessions; i++)
        fprintf(file, "%s            \"user-%" PRIu64 "\":\"0x%" PRIx64 "\"", i == 0 ? "" : ",\n", i, FIRST + i * 256);
    fputs("\n        }\n", file);
    for (uint64_t i = 0; i < sessions; i++)
        session(file, i);
    fputs("\n    }\n}\n}\n", file);
    if (fflush(file) != 0) exit(1);
}

int main(int argc, char **argv)
{
    static char usual[] = "300000";
    char *words[] = {argv[0], usual, NULL};
    return bench_import_main(argc > 1 ? argc : 2, argc > 1 ? argv : words, "import_meminfo", make_file);
}
