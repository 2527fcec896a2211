/*
 * Importing heap snapshots of the Dart VM: see importing.h.
 *
 *      bench_import_dart [OBJECTS | FILE]      8,400,000 objects are 147 MiB
 *
 * Without a file a snapshot of OBJECTS is made, of nodes of eight: a widget's state with a string, a number, a list and
 * its array, a closure with its context, a map entry's key; each refers to some before it, and most to null.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "importing.h"

enum { ROOT = 1, PAGES, ISOLATE, NIL, OBJECT, STRING, DOUBLE, LIST, ARRAY, CLOSURE, CONTEXT, NODE, KINDS = NODE };
enum { FIRST = 5, UNIT = 8, FIELDS = 6, STATICS = 1000 };

static void put(FILE *file, uint64_t number)
{
    for (; number > 0x7f; number >>= 7)
        putc_unlocked((int)(number & 0x7f) | 0x80, file);
    putc_unlocked((int)number, file);
}

static void put_text(FILE *file, const char *text)
{
    put(file, strlen(text));
    fputs(text, file);
}

static void put_class(FILE *file, const char *name, const char *library, const char *const *fields, unsigned count)
{
    put(file, 0);
    put_text(file, name);
    put_text(file, "");
    put_text(file, library);
    put_text(file, "");
    put(file, count);
    for (unsigned i = 0; i < count; i++) {
        put(file, 1);
        put(file, i);
        put_text(file, fields == NULL ? "entry" : fields[i]);
        put_text(file, "");
    }
}

static void put_classes(FILE *file)
{
    static const char *const state[FIELDS] = {"_element", "title", "price", "items", "onTap", "next"},
                             *const list[] = {"type_arguments_", "length_", "data_"},
                             *const closure[] = {"function_", "context_", "hash_"}, *const parent[] = {"parent_"};
    put(file, KINDS);
    put_class(file, "Root", "", NULL, 0);
    put_class(file, "Read-Only Pages", "", NULL, 0);
    put_class(file, "Isolate", "", NULL, STATICS);
    put_class(file, "Null", "dart:core", NULL, 0);
    put_class(file, "Object", "dart:core", NULL, 0);
    put_class(file, "_OneByteString", "dart:core", NULL, 0);
    put_class(file, "_Double", "dart:core", NULL, 0);
    put_class(file, "_GrowableList", "dart:core", list, 3);
    put_class(file, "_List", "dart:core", list, 2);
    put_class(file, "_Closure", "dart:core", closure, 3);
    put_class(file, "Context", "", parent, 1);
    put_class(file, "_TileState", "package:shop/ui/tile.dart", state, FIELDS);
}

static void begin_object(FILE *file, unsigned kind, uint64_t bytes, unsigned data)
{
    put(file, kind);
    put(file, bytes);
    put(file, data);
}

static void put_references(FILE *file, const uint64_t *targets, unsigned count)
{
    put(file, count);
    for (unsigned i = 0; i < count; i++)
        put(file, targets[i]);
}

#define REFER(file, ...)                                                                                               \
    put_references(file, (const uint64_t[]){__VA_ARGS__}, sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

/* Objects `at` to `at` + 7. */
static void put_unit(FILE *file, uint64_t at, uint64_t first)
{
    char text[24];
    const uint64_t earlier = at == first ? at : first + (at - first) / UNIT / 2 * UNIT;
    begin_object(file, NODE, 64, 0);
    REFER(file, earlier, at + 1, at + 2, at + 3, at + 5, at + UNIT);
    begin_object(file, STRING, 32, 5);
    snprintf(text, sizeof text, "title %" PRIu64, at);
    put(file, strlen(text));
    put_text(file, text);
    put(file, 0);
    begin_object(file, DOUBLE, 16, 4);
    const double price = (double)at * 1.25;
    fwrite(&price, sizeof price, 1, file);
    put(file, 0);
    begin_object(file, LIST, 32, 7);
    put(file, 3);
    REFER(file, NIL, NIL, at + 4);
    begin_object(file, ARRAY, 48, 7);
    put(file, 4);
    REFER(file, NIL, NIL, at + 1, earlier, at + 7, NIL);
    begin_object(file, CLOSURE, 64, 0);
    REFER(file, NIL, at + 6, NIL);
    begin_object(file, CONTEXT, 32, 0);
    REFER(file, NIL, at, earlier + 3);
    begin_object(file, STRING, 32, 5);
    put(file, 12);
    put_text(file, "key of entry");
    put(file, 0);
}

static void make_dump(FILE *file, uint64_t objects)
{
    const uint64_t units = objects / UNIT, count = FIRST - 1 + units * UNIT + UNIT;
    fputs("dartheap", file);
    put(file, 0);
    put_text(file, "main");
    put(file, objects * 40);
    put(file, objects * 48);
    put(file, 0);
    put_classes(file);
    put(file, units * 32 + STATICS);
    put(file, count);
    begin_object(file, ROOT, 0, 0);
    REFER(file, PAGES, ISOLATE);
    begin_object(file, PAGES, 0, 0);
    put(file, 0);
    begin_object(file, ISOLATE, 0, 8);
    put_text(file, "4503599627370497");
    put(file, STATICS);
    for (unsigned i = 0; i < STATICS; i++)
        put(file, FIRST + i % (units + 1) * UNIT);
    begin_object(file, NIL, 0, 1);
    put(file, 0);
    for (uint64_t i = 0; i <= units; i++)
        if (i < units) put_unit(file, FIRST + i * UNIT, FIRST);
    for (unsigned i = 0; i < UNIT; i++) { /* the last unit refers to these */
        begin_object(file, OBJECT, 16, 0);
        put(file, 0);
    }
    put(file, 0);
    for (uint64_t i = 1; i <= count; i++) {
        const uint64_t of_unit = (i - FIRST) % UNIT;
        const int has_hash = i >= FIRST && (of_unit == 0 || of_unit == 5 || of_unit == 6);
        put(file, has_hash ? (uint32_t)(i * UINT64_C(0x9e3779b97f4a7c15) >> 32) : 0);
    }
}

int main(int argc, char **argv) { return bench_import_main(argc, argv, "import_dart", make_dump); }
