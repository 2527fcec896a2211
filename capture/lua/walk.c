/*
 * The walk. Objects wait in chunks, Lua tables of CHUNK values each, in a table of chunks: no table of the walk is ever
 * moved, so the VM is asked for 64 KiB at a time and not for the double of what it has. The last that came is the first
 * to go.
 */
#include <stdio.h>
#include <string.h>

#include "lua_agent.h"

enum { CHUNK = 4096, STACK_SLOTS = 24 };

uint64_t walk_address(lua_State *L)
{
    switch (lua_type(L, -1)) {
    case LUA_TSTRING:
#if LUA_VERSION_NUM < 504 && !defined(LUAJIT_VERSION_NUM) && !defined(LUA_JITLIBNAME)
        return (uint64_t)(uintptr_t)lua_tostring(L, -1);
#endif
    case LUA_TTABLE:
    case LUA_TUSERDATA:
    case LUA_TTHREAD:
    case LUA_CDATA_TYPE: return (uint64_t)(uintptr_t)lua_topointer(L, -1);
    case LUA_TFUNCTION:
#if LUA_VERSION_NUM >= 502
        /* Without upvalues a C function is a pointer, and no object. */
        if (lua_iscfunction(L, -1)) {
            if (lua_getupvalue(L, -1, 1) == NULL) return 0;
            lua_pop(L, 1);
        }
#endif
        return (uint64_t)(uintptr_t)lua_topointer(L, -1);
    default: return 0;
    }
}

bool walk_is_over(walk *w) { return w->failure != NULL || hsc_error_text(w->writer)[0] != '\0'; }

/* Appends the value at the top of the stack, which stays. */
static void put_lua_walk(walk *w)
{
    lua_State *L = w->L;
    const int chunk = (int)(w->waiting / CHUNK) + 1, slot = (int)(w->waiting % CHUNK) + 1;
    lua_rawgeti(L, w->worklist, chunk);
    if (lua_isnil(L, -1)) {
        lua_pop(L, 1);
        lua_createtable(L, CHUNK, 0);
        (void)visited_add(&w->seen, (uint64_t)(uintptr_t)lua_topointer(L, -1));
        lua_pushvalue(L, -1);
        lua_rawseti(L, w->worklist, chunk);
    }
    lua_pushvalue(L, -2);
    lua_rawseti(L, -2, slot);
    lua_pop(L, 1);
    w->waiting++;
}

/* Pushes the last one. */
static void take_lua_walk(walk *w)
{
    const size_t i = --w->waiting;
    lua_rawgeti(w->L, w->worklist, (int)(i / CHUNK) + 1);
    lua_rawgeti(w->L, -1, (int)(i % CHUNK) + 1);
    lua_remove(w->L, -2);
}

uint64_t walk_meet(walk *w)
{
    const uint64_t address = walk_address(w->L);
    if (address == 0) return 0;
    const int added = visited_add(&w->seen, address);
    if (added < 0) w->failure = "no memory for the set of objects that were met";
    if (added > 0) put_lua_walk(w);
    return address;
}

void walk_refer(walk *w, uint32_t label, uint64_t index)
{
    const uint64_t address = walk_meet(w);
    if (address != 0) hsc_reference(w->writer, address, label, index);
}

static void write_object(walk *w)
{
    char type[NAME_BYTES_MAX];
    lua_State *L = w->L;
    const int kind = lua_type(L, -1);
    const bool is_named = edges_type(w, type);
    const uint32_t class = is_named ? 0 : classes_type(w);
    hsc_object object = {.id = walk_address(L),
                         .size_bytes = sizes_of(&w->sizes, L),
                         .type = class != 0 ? class : names_type(&w->names, type)};
    if (kind == LUA_TTABLE || kind == LUA_TSTRING) object.elements = raw_length(L, -1);
    hsc_begin_object(w->writer, &object);
    edges_of(w);
    hsc_end_object(w->writer);
    edges_behind(w);
}

/* Likewise; without memory for that, sizes are estimated. */
static int learn(lua_State *L)
{
    sizes_learn(lua_touserdata(L, 1), L);
    return 0;
}

static void learn_sizes(walk *w)
{
    lua_pushcfunction(w->L, learn);
    lua_pushlightuserdata(w->L, &w->sizes);
    if (lua_pcall(w->L, 1, 0, 0) == 0) return;
    w->sizes.is_exact = false;
    lua_pop(w->L, 1);
}

/* Run by lua_pcall: an error of Lua (no memory) ends the walk and not the program. */
static int run_lua_walk(lua_State *L)
{
    walk *w = lua_touserdata(L, 1);
    luaL_checkstack(L, STACK_SLOTS, "hsdiff");
    lua_newtable(L);
    w->worklist = lua_gettop(L);
    w->own = (uint64_t)(uintptr_t)lua_topointer(L, -1);
    (void)visited_add(&w->seen, w->own);
    roots_all(w);
    while (w->waiting > 0 && !walk_is_over(w)) {
        take_lua_walk(w);
        write_object(w);
        lua_pop(L, 1);
    }
    return 0;
}

static uint64_t heap_bytes(lua_State *L)
{
    return (uint64_t)lua_gc(L, LUA_GCCOUNT, 0) * 1024 + (uint64_t)lua_gc(L, LUA_GCCOUNTB, 0);
}

static void finish_lua_walk(walk *w, uint64_t used)
{
    names_finish(&w->names);
    hsc_metric(w->writer, "heap.used", "bytes", used);
    hsa_write_metrics(w->writer, &w->measured);
    hsc_metric(w->writer, "capture.pause", "ns", hsa_now_ns() - w->started_ns);
    if (w->failure != NULL) hsc_mark_incomplete(w->writer, w->failure);
    hsc_finish(w->writer);
}

static bool stop_collector(lua_State *L)
{
#ifdef LUA_GCISRUNNING
    const bool was_running = lua_gc(L, LUA_GCISRUNNING, 0) != 0;
#else
    const bool was_running = true;
#endif
    lua_gc(L, LUA_GCSTOP, 0);
    return was_running;
}

static hsc_status open_writer(walk *w, const hsc_sink *sink, int compression)
{
    hsc_options options;
    hsc_options_init(&options);
    hsa_measure(&w->measured);
    hsa_know_self(&w->self);
    hsa_describe(&options, &w->self);
    options.producer = "hsdiff " HSC_VERSION " lua agent";
#ifdef LUA_JITLIBNAME
    options.runtime = "LuaJIT";
#else
    options.runtime = LUA_VERSION;
#endif
    options.identity = HSC_IDENTITY_ADDRESS;
    options.facts = HSC_FACT_COLLECTED | (w->sizes.is_exact ? 0 : HSC_FACT_ESTIMATED);
    options.compression = compression;
    return hsc_open(&w->writer, sink, &options);
}

const char *walk_all(lua_State *L, const hsc_sink *sink, int compression, bool is_hooked)
{
    walk w = {.L = L, .started_ns = hsa_now_ns(), .is_hooked = is_hooked};
    const uint64_t used = heap_bytes(L);
    const char *refused = NULL;
    if (!lua_checkstack(L, STACK_SLOTS)) return "no room on the stack of Lua";
    learn_sizes(&w);
    if (!visited_open(&w.seen)) return "no memory for the set of objects that were met";
    if (open_writer(&w, sink, compression) != HSC_OK) {
        refused = "no memory to write a capture, or nobody takes it";
    } else if (!names_open(&w.names, w.writer)) {
        refused = "no memory for names";
    } else {
        const bool was_running = stop_collector(L);
        lua_pushcfunction(L, run_lua_walk);
        lua_pushlightuserdata(L, &w);
        if (lua_pcall(L, 1, 0, 0) != 0) {
            w.failure = "Lua has no memory for the objects that wait";
            lua_pop(L, 1);
        }
        if (was_running) lua_gc(L, LUA_GCRESTART, 0);
        finish_lua_walk(&w, used);
        if (hsc_error_text(w.writer)[0] != '\0') refused = "the capture was cut off";
    }
    hsc_close(w.writer);
    names_close(&w.names);
    visited_close(&w.seen);
    return refused;
}
