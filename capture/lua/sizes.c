/*
 * Bytes of objects. The API tells lengths of strings and userdata and numbers of upvalues, from which the rest follows;
 * what a table and a thread take is in their structs alone. Those of Lua 5.4 are copied here, and used only after this
 * very VM has counted the same bytes for tables and a thread that were made to be measured.
 */
#include <string.h>

#include "lua_agent.h"

enum { VALUE_BYTES = sizeof(void *) == 8 ? 16 : 8 };

#if LUA_VERSION_NUM == 504

typedef struct table_layout {
    void *next;
    unsigned char tt, marked, flags, size_log;
    unsigned int limit;
    void *array, *node, *last_free, *metatable, *gclist;
} table_layout;

typedef struct thread_layout {
    void *next;
    unsigned char tt, marked, status, allow_hook;
    unsigned short call_infos;
    void *top, *global, *call_info;
    char *stack_last, *stack;
} thread_layout;

enum {
    STRING_HEAD = 24,
    UDATA_HEAD = 32,
    UDATA_VALUES_HEAD = 40,
    CLOSURE_HEAD = 32,
    NODE_BYTES = 24,
    CALL_INFO_BYTES = 64,
    THREAD_BYTES = 208,
    EXTRA_STACK = 5,
    IS_NOT_REAL = 0x80
};

static uint64_t array_slots(const table_layout *table)
{
    const uint64_t limit = table->limit;
    if ((table->flags & IS_NOT_REAL) == 0 || (limit & (limit - 1)) == 0) return limit;
    uint64_t power = 1;
    while (power < limit)
        power *= 2;
    return power;
}

static uint64_t table_bytes(const void *address)
{
    const table_layout *table = address;
    const uint64_t nodes = table->last_free == NULL ? 0 : UINT64_C(1) << (table->size_log & 31);
    return sizeof *table + array_slots(table) * VALUE_BYTES + nodes * NODE_BYTES;
}

static uint64_t thread_bytes(const void *address)
{
    const thread_layout *thread = address;
    if (thread->stack == NULL) return THREAD_BYTES;
    return THREAD_BYTES + (uint64_t)(thread->stack_last - thread->stack) + EXTRA_STACK * VALUE_BYTES +
           (uint64_t)thread->call_infos * CALL_INFO_BYTES;
}

static uint64_t used(lua_State *L)
{
    return (uint64_t)lua_gc(L, LUA_GCCOUNT) * 1024 + (uint64_t)lua_gc(L, LUA_GCCOUNTB);
}

static bool is_table_as_known(lua_State *L, int array, int nodes)
{
    const uint64_t before = used(L);
    lua_createtable(L, array, nodes);
    const uint64_t bytes = used(L) - before;
    const table_layout *table = lua_topointer(L, -1);
    /* Fields that a wrong layout would have elsewhere are looked at before any of them is believed. */
    const bool fits = table->limit == (unsigned)array && (table->array != NULL) == (array > 0) &&
                      table->metatable == NULL && (table->last_free != NULL) == (nodes > 0) &&
                      bytes == table_bytes(table);
    lua_pop(L, 1);
    return fits;
}

static bool is_thread_as_known(lua_State *L)
{
    const uint64_t before = used(L);
    const lua_State *thread = lua_newthread(L);
    const uint64_t bytes = used(L) - before;
    const bool fits =
        bytes == THREAD_BYTES + (2 * LUA_MINSTACK + EXTRA_STACK) * VALUE_BYTES && bytes == thread_bytes(thread);
    lua_pop(L, 1);
    return fits;
}

void sizes_learn(sizes *known, lua_State *L)
{
    known->is_exact = sizeof(void *) == 8 && lua_version(L) == 504 && is_table_as_known(L, 0, 0) &&
                      is_table_as_known(L, 5, 0) && is_table_as_known(L, 0, 8) && is_table_as_known(L, 7, 4) &&
                      is_thread_as_known(L);
}

static uint64_t userdata_bytes(lua_State *L)
{
    uint64_t values = 0;
    while (lua_getiuservalue(L, -1, (int)values + 1) != LUA_TNONE) {
        lua_pop(L, 1);
        values++;
    }
    lua_pop(L, 1);
    return (values == 0 ? UDATA_HEAD : UDATA_VALUES_HEAD + values * VALUE_BYTES) + raw_length(L, -1);
}

#else /* by their headers; 64 bits */

#if defined(LUA_JITLIBNAME)
enum {
    STRING_HEAD = 24,
    UDATA_HEAD = 48,
    CLOSURE_HEAD = 40,
    NODE_BYTES = 24,
    TABLE_BYTES = 64,
    THREAD_BYTES = 1024,
    CDATA_BYTES = 24,
    SLOT_BYTES = 8
};
#elif LUA_VERSION_NUM < 502
enum {
    STRING_HEAD = 24,
    UDATA_HEAD = 40,
    CLOSURE_HEAD = 40,
    NODE_BYTES = 40,
    TABLE_BYTES = 64,
    THREAD_BYTES = 1224,
    CDATA_BYTES = 0,
    SLOT_BYTES = 16
};
#elif LUA_VERSION_NUM < 503
enum {
    STRING_HEAD = 24,
    UDATA_HEAD = 40,
    CLOSURE_HEAD = 32,
    NODE_BYTES = 40,
    TABLE_BYTES = 64,
    THREAD_BYTES = 928,
    CDATA_BYTES = 0,
    SLOT_BYTES = 16
};
#else
enum {
    STRING_HEAD = 24,
    UDATA_HEAD = 40,
    CLOSURE_HEAD = 32,
    NODE_BYTES = 32,
    TABLE_BYTES = 56,
    THREAD_BYTES = 928,
    CDATA_BYTES = 0,
    SLOT_BYTES = 16
};
#endif

void sizes_learn(sizes *known, lua_State *L)
{
    (void)L;
    known->is_exact = false;
}

static uint64_t userdata_bytes(lua_State *L) { return UDATA_HEAD + raw_length(L, -1); }

#endif

#if LUA_VERSION_NUM == 504
static uint64_t table_estimate(lua_State *L);
static uint64_t table_size(const sizes *known, lua_State *L)
{
    return known->is_exact ? table_bytes(lua_topointer(L, -1)) : table_estimate(L);
}
enum { TABLE_BYTES = 56, SLOT_BYTES = 16, UPVALUE_BYTES = 8, C_UPVALUE_BYTES = 16, CDATA_BYTES = 0 };
static uint64_t thread_size(const sizes *known, lua_State *L)
{
    return known->is_exact ? thread_bytes(lua_topointer(L, -1)) : THREAD_BYTES;
}
#else
enum { UPVALUE_BYTES = 8, C_UPVALUE_BYTES = SLOT_BYTES };
static uint64_t table_estimate(lua_State *L);
static uint64_t table_size(const sizes *known, lua_State *L)
{
    (void)known;
    return table_estimate(L);
}
static uint64_t thread_size(const sizes *known, lua_State *L)
{
    (void)known, (void)L;
    return THREAD_BYTES;
}
#endif

/* By its entries: an array that is full, and a hash part that is the next power of two. */
static uint64_t table_estimate(lua_State *L)
{
    const uint64_t elements = raw_length(L, -1);
    uint64_t entries = 0, nodes = 1;
    lua_pushnil(L);
    while (lua_next(L, -2) != 0) {
        lua_pop(L, 1);
        entries++;
    }
    const uint64_t others = entries > elements ? entries - elements : 0;
    while (nodes < others)
        nodes *= 2;
    return TABLE_BYTES + elements * SLOT_BYTES + (others == 0 ? 0 : nodes * NODE_BYTES);
}

static uint64_t function_bytes(lua_State *L)
{
    uint64_t values = 0;
    while (lua_getupvalue(L, -1, (int)values + 1) != NULL) {
        lua_pop(L, 1);
        values++;
    }
    return CLOSURE_HEAD + values * (lua_iscfunction(L, -1) ? C_UPVALUE_BYTES : UPVALUE_BYTES);
}

uint64_t sizes_of(const sizes *known, lua_State *L)
{
    switch (lua_type(L, -1)) {
    case LUA_TSTRING: return STRING_HEAD + raw_length(L, -1) + 1;
    case LUA_TTABLE: return table_size(known, L);
    case LUA_TFUNCTION: return function_bytes(L);
    case LUA_TUSERDATA: return userdata_bytes(L);
    case LUA_TTHREAD: return thread_size(known, L);
    default: return CDATA_BYTES;
    }
}
