/*
 * Importing heap dumps of Luau: see importing.h.
 *
 *      bench_import_luau [OBJECTS | FILE.json]
 *
 * Without a file a dump of OBJECTS is made: tables of an id and a name in one list, whose line is as long as it gets,
 * each with a string of its own. 105 bytes an object, as of a real one.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "importing.h"

#define FIRST UINT64_C(0x555d03500000)

static void make_dump(FILE *file, uint64_t objects)
{
    const uint64_t name = FIRST - 0x1000, list = FIRST - 0x2000, globals = FIRST - 0x3000, main_thread = FIRST - 0x4000;
    fprintf(file,
            "{\"objects\":{\n\"0x%" PRIx64 "\":{\"type\":\"thread\",\"cat\":0,\"size\":1232,\"env\":\"0x%" PRIx64
            "\",\"stack\":[\"0x%" PRIx64 "\"],\"stacknames\":[null]},\n",
            main_thread, globals, list);
    fprintf(file, "\"0x%" PRIx64 "\":{\"type\":\"table\",\"cat\":0,\"size\":80,\"pairs\":[]},\n", globals);
    fprintf(file, "\"0x%" PRIx64 "\":{\"type\":\"string\",\"cat\":0,\"size\":29,\"data\":\"name\"},\n", name);
    for (uint64_t i = 0; i < objects / 2; i++) {
        const uint64_t table = FIRST + i * 96, text = table + 56;
        fprintf(file,
                "\"0x%" PRIx64 "\":{\"type\":\"table\",\"cat\":0,\"size\":112,\"pairs\":[\"0x%" PRIx64 "\",\"0x%" PRIx64
                "\"]},\n",
                table, name, text);
        fprintf(file, "\"0x%" PRIx64 "\":{\"type\":\"string\",\"cat\":0,\"size\":37,\"data\":\"name %" PRIu64 "\"},\n",
                text, i);
    }
    fprintf(file, "\"0x%" PRIx64 "\":{\"type\":\"table\",\"cat\":0,\"size\":8388656,\"array\":[", list);
    for (uint64_t i = 0; i < objects / 2; i++)
        fprintf(file, "%s\"0x%" PRIx64 "\"", i == 0 ? "" : ",", FIRST + i * 96);
    fprintf(file,
            "]},\n\"0\":{\"type\":\"userdata\",\"cat\":0,\"size\":0}\n},\"roots\":{\n\"mainthread\":\"0x%" PRIx64
            "\",\"registry\":\"0x%" PRIx64 "\"},\"stats\":{\n\"size\":1,\n\"categories\":{\n\"none\":{}\n}\n}}\n",
            main_thread, globals);
    if (fflush(file) != 0) exit(1);
}

int main(int argc, char **argv) { return bench_import_main(argc, argv, "import_luau", make_dump); }
