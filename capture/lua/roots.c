/*
 * Where a heap of Lua hangs. Each global, each module and each entry of the registry is a root of its own name, and the
 * tables that hold them refer to their keys alone: else every function, by its environment, would hold every global.
 *
 * So is each local variable of the main thread: "local sessions (server.lua)", for what a program keeps it keeps in
 * those, and a thread that holds all of it says nothing. The functions among them, and what lies on the stack without a
 * name, are secondary: a function that shares a variable with the chunk around it holds nothing that the variable does
 * not hold.
 */
#include <stdio.h>
#include <string.h>

#include "lua_agent.h"

static void root_with(walk *w, hsc_root_kind kind, uint32_t flags, const char *label)
{
    const uint64_t address = walk_meet(w);
    if (address == 0) return;
    hsc_root(w->writer, &(hsc_root_record){
                            .kind = kind, .flags = flags, .label = names_string(&w->names, label), .target = address});
}

static void root(walk *w, hsc_root_kind kind, const char *label) { root_with(w, kind, 0, label); }

void roots_push_globals(lua_State *L)
{
#if LUA_HAS_REGISTRY_GLOBALS
    lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
#else
    lua_pushvalue(L, LUA_GLOBALSINDEX);
#endif
}

void roots_push_loaded(lua_State *L)
{
    lua_pushstring(L, "_LOADED");
    lua_rawget(L, LUA_REGISTRYINDEX);
}

/* "global sessions" for the key below the top; a key that looks like no name is not told. Dots are those of modules. */
static void entry_name(lua_State *L, const char *what, char out[NAME_BYTES_MAX])
{
    size_t size = 0;
    const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tolstring(L, -2, &size) : "";
    bool is_name = size > 0 && size <= 60;
    for (size_t i = 0; i < size && is_name; i++)
        is_name = names_is_identifier((char[]){'_', key[i]}, 2) || key[i] == '.' || key[i] == '*' || key[i] == '-';
    snprintf(out, NAME_BYTES_MAX, "%s %.*s", what, is_name ? (int)size : 5, is_name ? key : "[key]");
}

static void global_roots(walk *w)
{
    char name[NAME_BYTES_MAX];
    roots_push_globals(w->L);
    if (lua_type(w->L, -1) == LUA_TTABLE) {
        root(w, HSC_ROOT_RUNTIME, "table of globals");
        lua_pushnil(w->L);
        while (lua_next(w->L, -2) != 0) {
            entry_name(w->L, "global", name);
            if (walk_address(w->L) != w->globals) root(w, HSC_ROOT_GLOBAL, name);
            lua_pop(w->L, 1);
        }
    }
    lua_pop(w->L, 1);
}

/* Is the module at the top, whose key stands below it, a global of the same name too? */
static bool is_global_too(lua_State *L)
{
    roots_push_globals(L);
    lua_pushvalue(L, -3);
    lua_rawget(L, -2);
    const bool same = lua_rawequal(L, -1, -3) != 0;
    lua_pop(L, 2);
    return same;
}

static void module_roots(walk *w)
{
    char name[NAME_BYTES_MAX];
    roots_push_loaded(w->L);
    if (lua_type(w->L, -1) == LUA_TTABLE) {
        root(w, HSC_ROOT_RUNTIME, "table of modules");
        lua_pushnil(w->L);
        while (lua_next(w->L, -2) != 0) {
            entry_name(w->L, "module", name);
            if (!is_global_too(w->L)) root(w, HSC_ROOT_STATIC, name);
            lua_pop(w->L, 1);
        }
    }
    lua_pop(w->L, 1);
}

static void registry_roots(walk *w)
{
    char name[NAME_BYTES_MAX];
    lua_pushvalue(w->L, LUA_REGISTRYINDEX);
    root(w, HSC_ROOT_RUNTIME, "registry");
    lua_pushnil(w->L);
    while (lua_next(w->L, -2) != 0) {
        const uint64_t address = walk_address(w->L);
        if (lua_type(w->L, -1) == LUA_TTHREAD && lua_tothread(w->L, -1) == w->main)
            snprintf(name, sizeof name, "main thread");
        else if (lua_type(w->L, -2) == LUA_TNUMBER)
            snprintf(name, sizeof name, "registry reference");
        else
            entry_name(w->L, "registry", name);
        if (address != w->globals && address != w->loaded) root(w, HSC_ROOT_HANDLE, name);
        lua_pop(w->L, 1);
    }
    lua_pop(w->L, 1);
}

/* Values of the basic types share one metatable each. */
static void metatable_roots(walk *w)
{
    static const char *const names[] = {"metatable of nil",     "metatable of booleans",       "metatable of numbers",
                                        "metatable of strings", "metatable of light userdata", "metatable of threads"};
    lua_State *L = w->L;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        switch (i) {
        case 0: lua_pushnil(L); break;
        case 1: lua_pushboolean(L, 1); break;
        case 2: lua_pushnumber(L, 0); break;
        case 3: lua_pushstring(L, ""); break;
        case 4: lua_pushlightuserdata(L, w); break;
        default: lua_pushthread(L); break;
        }
        if (lua_getmetatable(L, -1)) {
            root(w, HSC_ROOT_RUNTIME, names[i]);
            lua_pop(L, 1);
        }
        lua_pop(L, 1);
    }
}

/* ---- the main thread ---- */

static void find_main_thread(walk *w)
{
    lua_State *L = w->L;
#if LUA_HAS_REGISTRY_GLOBALS
    lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
#else
    lua_getfield(L, LUA_REGISTRYINDEX, MAIN_THREAD_KEY);
#endif
    w->main = lua_tothread(L, -1);
    lua_pop(L, 1);
    if (lua_pushthread(L) != 0) w->main = L;
    lua_pop(L, 1);
}

/* "local sessions (server.lua)", of a function "local order (server.lua:40)". */
static void local_name(const lua_Debug *frame, const char *variable, char out[NAME_BYTES_MAX])
{
    const bool has_file = frame->source[0] == '@' || frame->source[0] == '=';
    const char *file = has_file ? code_file(frame) : "[string]";
    if (strcmp(frame->what, "main") == 0)
        snprintf(out, NAME_BYTES_MAX, "local %s (%s)", variable, file);
    else
        snprintf(out, NAME_BYTES_MAX, "local %s (%s:%d)", variable, file, frame->linedefined);
}

/* Takes the value at the top of `thread` over. */
static void local_root(walk *w, lua_State *thread, const lua_Debug *frame, const char *variable)
{
    char name[NAME_BYTES_MAX];
    if (thread != w->L) lua_xmove(thread, w->L, 1);
    const bool is_named = names_is_identifier(variable, strlen(variable));
    if (is_named)
        local_name(frame, variable, name);
    else
        snprintf(name, sizeof name, "main thread");
    const bool is_secondary = !is_named || lua_type(w->L, -1) == LUA_TFUNCTION;
    root_with(w, HSC_ROOT_STACK, is_secondary ? HSC_ROOT_SECONDARY : 0, name);
    lua_pop(w->L, 1);
}

static void frame_roots(walk *w, lua_State *thread, lua_Debug *frame)
{
    const char *name;
    lua_getinfo(thread, "Sf", frame);
    local_root(w, thread, frame, "");
    for (int i = 1; (name = lua_getlocal(thread, frame, i)) != NULL; i++)
        local_root(w, thread, frame, name);
#if LUA_VERSION_NUM >= 502 || defined(LUA_JITLIBNAME)
    for (int i = -1; lua_getlocal(thread, frame, i) != NULL; i--)
        local_root(w, thread, frame, "");
#endif
}

static void main_thread_roots(walk *w)
{
    lua_State *thread = w->main;
    lua_Debug frame;
    if (thread == NULL || !lua_checkstack(thread, 4)) return;
    if (thread != w->L)
        lua_pushthread(thread), lua_xmove(thread, w->L, 1);
    else
        lua_pushthread(w->L);
    root(w, HSC_ROOT_THREAD, "main thread");
    lua_pop(w->L, 1);
    for (int level = edges_first_level(w, thread); lua_getstack(thread, level, &frame); level++)
        frame_roots(w, thread, &frame);
}

void roots_all(walk *w)
{
    lua_State *L = w->L;
    lua_pushvalue(L, LUA_REGISTRYINDEX);
    w->registry = walk_address(L);
    roots_push_globals(L);
    w->globals = walk_address(L);
    roots_push_loaded(L);
    w->loaded = walk_address(L);
    lua_pop(L, 3);
    find_main_thread(w);
    global_roots(w);
    module_roots(w);
    registry_roots(w);
    metatable_roots(w);
    main_thread_roots(w);
    if (w->main == L) return;
    lua_pushthread(L);
    root(w, HSC_ROOT_THREAD, "running coroutine");
    lua_pop(L, 1);
}
