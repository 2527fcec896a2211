/*
 * Lines of luaC_dump, as its printf calls have them.
 */
#include "support/luau_writer.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_ROOM = 4096, TABLE_BYTES = 48, NODE_BYTES = 32, VALUE_BYTES = 16 };

static void put(luau_dump *dump, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    const int size = vsnprintf(NULL, 0, format, arguments);
    while (dump->room - dump->size <= (size_t)size) {
        dump->room = dump->room == 0 ? LEAST_ROOM : dump->room * 2;
        dump->data = realloc(dump->data, dump->room);
        if (dump->data == NULL) abort();
    }
    vsnprintf(dump->data + dump->size, (size_t)size + 1, format, again);
    va_end(again);
    dump->size += (size_t)size;
}

void luau_raw(luau_dump *dump, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put(dump, format, arguments);
    va_end(arguments);
}

static void put_address(luau_dump *dump, uint64_t address)
{
    luau_raw(dump, dump->is_msvc ? "\"%016" PRIX64 "\"" : "\"0x%" PRIx64 "\"", address);
}

static void put_reference(luau_dump *dump, uint64_t address)
{
    if (address == 0)
        luau_raw(dump, "null");
    else
        put_address(dump, address);
}

static void put_list(luau_dump *dump, luau_list list)
{
    for (size_t i = 0; i < list.count; i++) {
        if (i > 0) luau_raw(dump, ",");
        put_reference(dump, list.items[i]);
    }
}

static void put_key_list(luau_dump *dump, const char *key, luau_list list)
{
    luau_raw(dump, ",\"%s\":[", key);
    put_list(dump, list);
    luau_raw(dump, "]");
}

static void put_edge(luau_dump *dump, const char *key, uint64_t address)
{
    if (address == 0) return;
    luau_raw(dump, ",\"%s\":", key);
    put_address(dump, address);
}

/* What the dump prints of data and sources: what is not plain becomes a question mark. */
static void put_filtered(luau_dump *dump, const char *text)
{
    for (; *text != '\0'; text++)
        luau_raw(dump, "%c", *text >= 32 && *text < 127 && *text != '"' && *text != '\\' ? *text : '?');
}

static void put_source(luau_dump *dump, const char *source, int line)
{
    if (source == NULL) return;
    luau_raw(dump, ",\"source\":\"");
    put_filtered(dump, source);
    luau_raw(dump, "\",\"line\":%d", line);
}

static void open_object(luau_dump *dump, uint64_t address, const char *type, size_t size)
{
    put_address(dump, address);
    luau_raw(dump, ":{\"type\":\"%s\",\"cat\":%u,\"size\":%d", type, dump->category, (int)(uint32_t)size);
}

static void close_object(luau_dump *dump) { luau_raw(dump, "},\n"); }

void luau_begin(luau_dump *dump)
{
    dump->category = 0;
    luau_raw(dump, "{\"objects\":{\n");
}

void luau_string(luau_dump *dump, uint64_t address, const char *data)
{
    open_object(dump, address, "string", 24 + strlen(data) + 1);
    luau_raw(dump, ",\"data\":\"");
    put_filtered(dump, data);
    luau_raw(dump, "\"");
    close_object(dump);
}

void luau_table(luau_dump *dump, uint64_t address, luau_list pairs, luau_list array, uint64_t metatable)
{
    open_object(dump, address, "table", TABLE_BYTES + pairs.count / 2 * NODE_BYTES + array.count * VALUE_BYTES);
    if (pairs.items != NULL) put_key_list(dump, "pairs", pairs);
    if (array.items != NULL) put_key_list(dump, "array", array);
    put_edge(dump, "metatable", metatable);
    close_object(dump);
}

void luau_function(luau_dump *dump, uint64_t address, uint64_t env, const char *name, uint64_t proto,
                   luau_list upvalues)
{
    open_object(dump, address, "function", 32 + upvalues.count * VALUE_BYTES);
    put_edge(dump, "env", env);
    if (name != NULL) luau_raw(dump, ",\"name\":\"%s\"", name);
    put_edge(dump, "proto", proto);
    if (upvalues.count > 0) put_key_list(dump, "upvalues", upvalues);
    close_object(dump);
}

void luau_userdata(luau_dump *dump, uint64_t address, int size, int tag, uint64_t metatable)
{
    open_object(dump, address, "userdata", (size_t)size);
    luau_raw(dump, ",\"tag\":%d", tag);
    put_edge(dump, "metatable", metatable);
    close_object(dump);
}

void luau_thread(luau_dump *dump, uint64_t address, uint64_t env, const char *source, int line, luau_list stack,
                 const char *names)
{
    open_object(dump, address, "thread", 1128);
    put_edge(dump, "env", env);
    put_source(dump, source, line);
    if (stack.items != NULL) put_key_list(dump, "stack", stack);
    if (stack.items != NULL) luau_raw(dump, ",\"stacknames\":[%s]", names);
    close_object(dump);
}

void luau_buffer(luau_dump *dump, uint64_t address, int size)
{
    open_object(dump, address, "buffer", (size_t)size);
    close_object(dump);
}

void luau_proto(luau_dump *dump, uint64_t address, const char *source, int line, luau_list constants, luau_list protos)
{
    open_object(dump, address, "proto", 200);
    put_source(dump, source, line);
    if (constants.items != NULL) put_key_list(dump, "constants", constants);
    if (protos.items != NULL) put_key_list(dump, "protos", protos);
    close_object(dump);
}

void luau_upvalue(luau_dump *dump, uint64_t address, bool is_open, uint64_t object)
{
    open_object(dump, address, "upvalue", 40);
    luau_raw(dump, ",\"open\":%s", is_open ? "true" : "false");
    put_edge(dump, "object", object);
    close_object(dump);
}

void luau_class(luau_dump *dump, uint64_t address, const char *name, luau_list member_names, luau_list statics,
                uint64_t offsets)
{
    open_object(dump, address, "class", 80);
    luau_raw(dump, ",\"name\":");
    put_filtered(dump, name);
    luau_raw(dump, ",\"super\":null");
    put_key_list(dump, "membernames", member_names);
    luau_raw(dump, ",\"staticmembers\":[");
    put_list(dump, statics);
    luau_raw(dump, ",\"instancemetatable\":null,\"memberstooffset\":");
    put_reference(dump, offsets);
    close_object(dump);
}

void luau_object(luau_dump *dump, uint64_t address, uint64_t class_address, luau_list members)
{
    open_object(dump, address, "object", 32);
    put_edge(dump, "class", class_address);
    put_key_list(dump, "members", members);
    close_object(dump);
}

void luau_vector_of_doubles(luau_dump *dump, uint64_t address)
{
    put_address(dump, address);
    luau_raw(dump, ":,\n");
}

void luau_roots(luau_dump *dump, uint64_t main_thread, uint64_t registry, int size)
{
    luau_raw(dump, "\"0\":{\"type\":\"userdata\",\"cat\":0,\"size\":0}\n},\"roots\":{\n\"mainthread\":");
    put_address(dump, main_thread);
    luau_raw(dump, ",\"registry\":");
    put_address(dump, registry);
    luau_raw(dump, "},\"stats\":{\n\"size\":%d,\n\"categories\":{\n", size);
}

void luau_category(luau_dump *dump, unsigned number, const char *name, int size)
{
    if (name == NULL)
        luau_raw(dump, "\"%u\":{\"size\":%d},\n", number, size);
    else
        luau_raw(dump, "\"%u\":{\"name\":\"%s\", \"size\":%d},\n", number, name, size);
}

void luau_end(luau_dump *dump) { luau_raw(dump, "\"none\":{}\n}\n}}\n"); }

void luau_release(luau_dump *dump)
{
    free(dump->data);
    *dump = (luau_dump){0};
}
