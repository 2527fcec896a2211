/*
 * The program of luau_writer.h. Strings stand at 0x7f000000S000 + 0x100 for each, what refers to them before and
 * behind.
 */
#include <stdio.h>
#include <stdlib.h>

#include "support/luau_writer.h"

#define AT(n) (UINT64_C(0x7f0000000000) + (n))
enum {
    MAIN = 0x1000,
    REGISTRY = 0x1100,
    GLOBALS = 0x1200,
    SESSION = 0x1300,
    LOADED = 0x1400,
    STRING_LIB = 0x1500,
    STRING_META = 0x1600,
    CACHE = 0x1700,
    CACHE_META = 0x1800,
    KEYED = 0x1900,
    KEYED_META = 0x1a00,
    SESSIONS = 0x2000,
    OPEN = 0x3000,
    OPEN_PROTO = 0x3100,
    OPEN_UPVALUE = 0x3200,
    OPEN_VALUE = 0x3300,
    PRINT = 0x3400,
    SOCKET = 0x3500,
    SOCKET_META = 0x3600,
    BLOB = 0x3700,
    WORKER = 0x3800,
    POINT = 0x3900,
    POINT_OBJECT = 0x3a00,
    VECTOR = 0x3b00,
    CACHED = 0x3c00,
    HELD = 0x3d00,
    TEXT = 0x8000, /* strings, 0x100 apart */
};
enum {
    S_MODE,
    S_TYPE,
    S_INDEX,
    S_NAME,
    S_OWNER,
    S_SESSIONS,
    S_SESSION,
    S_STRING,
    S_LOADED,
    S_KV,
    S_K,
    S_SOCKET,
    S_SOURCE,
    S_OPEN,
    S_SECRET,
    S_SOCKET_TYPE,
    S_PLAIN,
    S_CACHE
};

static uint64_t text(unsigned number) { return AT(TEXT + 0x100 * (uint64_t)number); }

static void put_strings(luau_dump *dump, unsigned from, unsigned to)
{
    static const char *const words[] = {"__mode",   "__type",   "__index",    "name",    "owner",
                                        "sessions", "Session",  "string",     "_LOADED", "v",
                                        "k",        "socket",   "@shop.luau", "open",    "caf\xc3\xa9 \"no name\"",
                                        "Socket",   "weak key", "cache"};
    for (unsigned i = from; i < to; i++)
        luau_string(dump, text(i), words[i]);
}

static void put_session(luau_dump *dump, unsigned number)
{
    char name[32];
    const uint64_t session = LUAU_SHOP_FIRST + 0x1000 * (uint64_t)number;
    snprintf(name, sizeof name, "session number %u", number);
    luau_table(dump, session, LUAU_LIST(text(S_NAME), session + 0x100, text(S_OWNER), AT(OPEN_VALUE)), LUAU_NONE,
               AT(SESSION));
    luau_string(dump, session + 0x100, name);
}

/* Tables that come first refer to strings that come last, and the other way round. */
static void put_tables(luau_dump *dump, unsigned sessions)
{
    uint64_t *all = malloc((sessions + 1) * sizeof *all);
    if (all == NULL) abort();
    for (unsigned i = 0; i < sessions; i++)
        all[i] = LUAU_SHOP_FIRST + 0x1000 * (uint64_t)i;
    luau_table(dump, AT(REGISTRY), LUAU_LIST(text(S_LOADED), AT(LOADED)), LUAU_LIST(AT(HELD)), 0);
    luau_table(dump, AT(GLOBALS),
               LUAU_LIST(text(S_SESSIONS), AT(SESSIONS), text(S_SESSION), AT(SESSION), text(S_STRING), AT(STRING_LIB),
                         text(S_SOCKET), AT(SOCKET), text(S_OPEN), AT(OPEN), text(S_CACHE), AT(CACHE), text(S_SECRET),
                         AT(BLOB)),
               LUAU_NONE, 0);
    luau_table(dump, AT(SESSIONS), LUAU_NONE, (luau_list){all, sessions}, 0);
    luau_table(dump, AT(SESSION), LUAU_LIST(text(S_INDEX), AT(SESSION)), LUAU_NONE, 0);
    luau_table(dump, AT(LOADED), LUAU_LIST(text(S_STRING), AT(STRING_LIB), text(S_CACHE), AT(KEYED)), LUAU_NONE, 0);
    luau_table(dump, AT(STRING_LIB), LUAU_LIST(text(S_OPEN), AT(PRINT)), LUAU_NONE, 0);
    luau_table(dump, AT(STRING_META), LUAU_LIST(text(S_INDEX), AT(STRING_LIB)), LUAU_NONE, 0);
    luau_table(dump, AT(CACHE), LUAU_LIST(text(S_NAME), AT(CACHED), AT(WORKER), 0), LUAU_LIST(AT(CACHED)),
               AT(CACHE_META));
    luau_table(dump, AT(CACHED), LUAU_NONE, LUAU_NONE, 0);
    luau_table(dump, AT(HELD), LUAU_NONE, LUAU_NONE, 0);
    luau_table(dump, AT(KEYED), LUAU_LIST(AT(WORKER), text(S_OWNER), text(S_PLAIN), AT(VECTOR), AT(POINT_OBJECT), 0),
               LUAU_NONE, AT(KEYED_META));
    free(all);
}

static void put_others(luau_dump *dump)
{
    luau_function(dump, AT(OPEN), AT(GLOBALS), "open", AT(OPEN_PROTO), LUAU_LIST(AT(OPEN_UPVALUE)));
    luau_upvalue(dump, AT(OPEN_UPVALUE), false, AT(OPEN_VALUE));
    luau_table(dump, AT(OPEN_VALUE), LUAU_NONE, LUAU_NONE, 0);
    luau_function(dump, AT(PRINT), AT(GLOBALS), "dump\"quoted, \"proto", 0, LUAU_NONE);
    luau_userdata(dump, AT(SOCKET), 80, 3, AT(SOCKET_META));
    luau_table(dump, AT(SOCKET_META), LUAU_LIST(text(S_TYPE), text(S_SOCKET_TYPE)), LUAU_NONE, 0);
    luau_buffer(dump, AT(BLOB), 4096);
    luau_thread(dump, AT(WORKER), AT(GLOBALS), "@shop.luau", 30, LUAU_LIST(AT(OPEN), AT(BLOB), AT(OPEN_VALUE)),
                "\"frame:shop.luau:12:open\",\"od\"d\",null");
    luau_class(dump, AT(POINT), "Point", LUAU_LIST(text(S_NAME)), LUAU_LIST(AT(OPEN)), AT(CACHED));
    luau_object(dump, AT(POINT_OBJECT), AT(POINT), LUAU_LIST(text(S_PLAIN)));
    luau_vector_of_doubles(dump, AT(VECTOR));
    luau_table(dump, AT(CACHE_META), LUAU_LIST(text(S_MODE), text(S_KV)), LUAU_NONE, 0);
    luau_table(dump, AT(KEYED_META), LUAU_LIST(text(S_MODE), text(S_K)), LUAU_NONE, 0);
    luau_proto(dump, AT(OPEN_PROTO), "@shop.luau", 12, LUAU_LIST(text(S_NAME), text(S_OWNER)), LUAU_NONE);
}

void luau_shop(luau_dump *dump, unsigned sessions, bool is_msvc)
{
    *dump = (luau_dump){.is_msvc = is_msvc};
    luau_begin(dump);
    luau_thread(dump, AT(MAIN), AT(GLOBALS), NULL, 0, LUAU_LIST(AT(PRINT), AT(SESSIONS)), "\"frame:[C]\",\"sessions\"");
    put_strings(dump, S_SESSIONS, S_SOURCE);
    put_tables(dump, sessions);
    dump->category = 3;
    for (unsigned i = 0; i < sessions; i++)
        put_session(dump, i);
    dump->category = 0;
    put_others(dump);
    put_strings(dump, S_MODE, S_SESSIONS);
    put_strings(dump, S_SOURCE, S_CACHE + 1);
    luau_roots(dump, AT(MAIN), AT(REGISTRY), 237668);
    luau_category(dump, 0, "main", 230000);
    luau_category(dump, 3, "cat \"3\"", -1000000000);
    luau_category(dump, 7, NULL, 512);
    luau_end(dump);
}
