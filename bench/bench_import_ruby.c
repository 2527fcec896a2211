/*
 * Importing heap dumps of Ruby: a list of sessions, each an object with a name, a hash and an array, 190 bytes of text
 * an object.
 *
 *      bench_import_ruby [OBJECTS | FILE]
 */
#include <inttypes.h>

#include "importing.h"

enum { A_SESSION = 4, FIRST = 0x10000 };

static uint64_t address(uint64_t number) { return FIRST + number * 40; }

static void put_rest(FILE *file, unsigned size, uint64_t line)
{
    fprintf(
        file,
        "\"file\":\"/srv/app/session.rb\", \"line\":%" PRIu64 ", \"method\":\"create\", \"generation\":%" PRIu64
        ", \"memsize\":%u, \"flags\":{\"wb_protected\":true, \"old\":true, \"uncollectible\":true, \"marked\":true}}\n",
        line % 40, line % 90, size);
}

static void put_session(FILE *file, uint64_t first, uint64_t session_class)
{
    fprintf(file,
            "{\"address\":\"0x%" PRIx64 "\", \"type\":\"OBJECT\", \"class\":\"0x%" PRIx64
            "\", \"ivars\":3, \"references\":[\"0x%" PRIx64 "\", \"0x%" PRIx64 "\", \"0x%" PRIx64 "\"], ",
            address(first), address(session_class), address(first + 1), address(first + 2), address(first + 3));
    put_rest(file, 40, first);
    fprintf(file,
            "{\"address\":\"0x%" PRIx64 "\", \"type\":\"STRING\", \"class\":\"0x%" PRIx64
            "\", \"embedded\":true, \"bytesize\":12, "
            "\"value\":\"user %07" PRIu64 "\", \"encoding\":\"UTF-8\", \"coderange\":\"7bit\", ",
            address(first + 1), address(session_class + 1), first);
    put_rest(file, 40, first);
    fprintf(file,
            "{\"address\":\"0x%" PRIx64 "\", \"type\":\"HASH\", \"class\":\"0x%" PRIx64
            "\", \"size\":2, \"references\":[\"0x%" PRIx64 "\"], ",
            address(first + 2), address(session_class + 2), address(first + 1));
    put_rest(file, 168, first);
    fprintf(file,
            "{\"address\":\"0x%" PRIx64 "\", \"type\":\"ARRAY\", \"class\":\"0x%" PRIx64
            "\", \"length\":2, \"references\":[\"0x%" PRIx64 "\", \"0x%" PRIx64 "\"], ",
            address(first + 3), address(session_class + 3), address(first), address(first + 2));
    put_rest(file, 40, first);
}

static void make(FILE *file, uint64_t objects)
{
    static const char *const classes[A_SESSION] = {"Session", "String", "Hash", "Array"};
    const uint64_t sessions = objects / A_SESSION, first_class = sessions * A_SESSION;
    fprintf(file, "{\"type\":\"ROOT\", \"root\":\"vm\", \"references\":[\"0x%" PRIx64 "\"]}\n", address(0));
    for (uint64_t i = 0; i < sessions; i++)
        put_session(file, i * A_SESSION, first_class);
    for (unsigned i = 0; i < A_SESSION; i++)
        fprintf(file,
                "{\"address\":\"0x%" PRIx64 "\", \"type\":\"CLASS\", \"class\":\"0x%" PRIx64
                "\", \"name\":\"%s\", \"memsize\":600}\n",
                address(first_class + i), address(first_class), classes[i]);
}

int main(int argc, char **argv) { return bench_import_main(argc, argv, "import_ruby", make); }
