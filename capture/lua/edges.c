/*
 * What one object refers to. Everything is asked by Lua's API, raw: no metamethod runs. A table that says that it is
 * weak gives weak references; where its keys alone are, a value hangs from its key, as the collectors from Lua 5.2 on
 * have it.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "lua_agent.h"

/* ---- tables ---- */

/* Does a value of a table with weak keys live as long as its key does? Before Lua 5.2, and in LuaJIT, it lives as long
 * as the table. */
#define HAS_EPHEMERONS (LUA_VERSION_NUM >= 502)

typedef struct weakness {
    bool keys, values;
} weakness;

/* Pushes a raw field of the metatable of the value at the top; false, and nothing pushed, if it is no string. */
static bool push_meta_text(lua_State *L, const char *field)
{
    if (!lua_getmetatable(L, -1)) return false;
    lua_pushstring(L, field);
    lua_rawget(L, -2);
    lua_remove(L, -2);
    if (lua_type(L, -1) == LUA_TSTRING) return true;
    lua_pop(L, 1);
    return false;
}

static weakness weakness_of(lua_State *L)
{
    weakness weak = {false, false};
    if (!push_meta_text(L, "__mode")) return weak;
    const char *mode = lua_tostring(L, -1);
    weak.keys = strchr(mode, 'k') != NULL;
    weak.values = strchr(mode, 'v') != NULL;
    lua_pop(L, 1);
    return weak;
}

/* A text is a value as a number is: no table holds one weakly. */
static bool can_be_weak(lua_State *L, int at) { return lua_type(L, at) != LUA_TSTRING; }

/* The label of the value at the top, whose key stands below it. */
static uint32_t entry_label(walk *w, weakness weak, size_t elements, uint64_t *index)
{
    *index = 0;
    if (weak.values && can_be_weak(w->L, -1)) return LABEL_WEAK_VALUE;
    if (lua_type(w->L, -2) == LUA_TNUMBER) {
        const lua_Number key = lua_tonumber(w->L, -2);
        if (!(key >= 1 && key <= (lua_Number)elements && key == (lua_Number)(uint64_t)key)) return LABEL_VALUE;
        *index = (uint64_t)key;
        return LABEL_ELEMENT;
    }
    if (lua_type(w->L, -2) != LUA_TSTRING) return LABEL_VALUE;
    size_t size;
    const char *key = lua_tolstring(w->L, -2, &size);
    return names_key(&w->names, key, size);
}

/* Entries of these are roots with names of their own: see roots.c. */
static bool has_named_entries(const walk *w)
{
    const uint64_t address = walk_address(w->L);
    return address == w->globals || address == w->registry || address == w->loaded;
}

static void table_edges(walk *w)
{
    lua_State *L = w->L;
    const weakness weak = weakness_of(L);
    const bool keys_alone = has_named_entries(w);
    const size_t elements = raw_length(L, -1);
    lua_pushnil(L);
    while (lua_next(L, -2) != 0) {
        uint64_t index = 0;
        if (!keys_alone) {
            const uint32_t label = entry_label(w, weak, elements, &index);
            const bool is_of_key = weak.keys && HAS_EPHEMERONS && can_be_weak(L, -2);
            walk_refer(w, is_of_key ? LABEL_WEAK_VALUE : label, index);
        }
        lua_pop(L, 1);
        walk_refer(w, weak.keys && can_be_weak(L, -1) ? LABEL_WEAK_KEY : LABEL_KEY, 0);
        if (walk_is_over(w)) {
            lua_pop(L, 1);
            return;
        }
    }
}

void edges_behind(walk *w)
{
    lua_State *L = w->L;
    if (lua_type(L, -1) != LUA_TTABLE || has_named_entries(w)) return;
    const weakness weak = weakness_of(L);
    if (!HAS_EPHEMERONS || !weak.keys || weak.values) return;
    const uint64_t table = walk_address(L);
    lua_pushnil(L);
    while (lua_next(L, -2) != 0) {
        const uint64_t value = walk_meet(w);
        lua_pop(L, 1);
        const bool is_told = lua_type(L, -1) == LUA_TSTRING; /* with the table's references */
        const uint64_t key = is_told ? 0 : walk_meet(w);
        /* A key that is no object keeps its entry as long as the table lives. */
        if (value != 0 && !is_told) hsc_edge(w->writer, key != 0 ? key : table, value, LABEL_VALUE, 0);
    }
}

/* ---- functions, userdata ---- */

static void refer_environment(walk *w)
{
#if LUA_VERSION_NUM < 502
    lua_getfenv(w->L, -1);
    walk_refer(w, LABEL_ENVIRONMENT, 0);
    lua_pop(w->L, 1);
#else
    (void)w;
#endif
}

static uint32_t variable_label(walk *w, const char *name)
{
    return names_is_identifier(name, strlen(name)) ? names_variable(&w->names, name) : LABEL_STACK;
}

static void function_edges(walk *w)
{
    const char *name;
    for (int i = 1; (name = lua_getupvalue(w->L, -1, i)) != NULL; i++) {
        walk_refer(w, variable_label(w, name), 0);
        lua_pop(w->L, 1);
    }
    refer_environment(w);
    code_mentions(w);
}

static void userdata_edges(walk *w)
{
#if LUA_VERSION_NUM >= 504
    for (int i = 1; lua_getiuservalue(w->L, -1, i) != LUA_TNONE; i++) {
        walk_refer(w, LABEL_USER_VALUE, 0);
        lua_pop(w->L, 1);
    }
    lua_pop(w->L, 1);
#elif LUA_VERSION_NUM >= 502
    lua_getuservalue(w->L, -1);
    walk_refer(w, LABEL_USER_VALUE, 0);
    lua_pop(w->L, 1);
#endif
    refer_environment(w);
}

/* ---- threads ---- */

/* The first frames of the running thread are the walk itself. */
int edges_first_level(const walk *w, const lua_State *thread) { return thread != w->L ? 0 : w->is_hooked ? 1 : 2; }

/* Takes the value at the top of `thread` over and refers to it. */
static void refer_from(walk *w, lua_State *thread, uint32_t label)
{
    if (thread != w->L) lua_xmove(thread, w->L, 1);
    walk_refer(w, label, 0);
    lua_pop(w->L, 1);
}

static void frame_edges(walk *w, lua_State *thread, lua_Debug *frame)
{
    const char *name;
    lua_getinfo(thread, "f", frame);
    refer_from(w, thread, LABEL_CALLED);
    for (int i = 1; (name = lua_getlocal(thread, frame, i)) != NULL; i++)
        refer_from(w, thread, variable_label(w, name));
#if LUA_VERSION_NUM >= 502 || defined(LUA_JITLIBNAME)
    for (int i = -1; lua_getlocal(thread, frame, i) != NULL; i--)
        refer_from(w, thread, LABEL_STACK);
#endif
}

static void thread_edges(walk *w)
{
    lua_State *thread = lua_tothread(w->L, -1);
    lua_Debug frame;
    int level = edges_first_level(w, thread);
    /* what that has on its stack hangs from roots: roots.c */
    if (thread == w->main || !lua_checkstack(thread, 4)) return;
    if (thread != w->L && !lua_getstack(thread, 0, &frame)) {
        /* Not begun, or at its end: the function and its arguments, or the results. */
        for (int i = lua_gettop(thread); i >= 1; i--) {
            lua_pushvalue(thread, i);
            refer_from(w, thread, LABEL_STACK);
        }
        return;
    }
    for (; lua_getstack(thread, level, &frame); level++)
        frame_edges(w, thread, &frame);
}

/* ---- any ---- */

void edges_of(walk *w)
{
    lua_State *L = w->L;
    const int kind = lua_type(L, -1);
    if (kind == LUA_TSTRING) return;
    if ((kind == LUA_TTABLE || kind == LUA_TUSERDATA || kind == LUA_CDATA_TYPE) && lua_getmetatable(L, -1)) {
        walk_refer(w, LABEL_METATABLE, 0);
        lua_pop(L, 1);
    }
    switch (kind) {
    case LUA_TTABLE: table_edges(w); break;
    case LUA_TFUNCTION: function_edges(w); break;
    case LUA_TUSERDATA: userdata_edges(w); break;
    case LUA_TTHREAD: thread_edges(w); break;
    default: break;
    }
}

/* "FILE*", "socket.tcp{client}", "lpeg-pattern" */
bool edges_is_type_name(const char *text, size_t size)
{
    if (size == 0 || size > 60) return false;
    for (size_t i = 0; i < size; i++)
        if (!names_is_identifier((char[]){'_', text[i]}, 2) && strchr("*.:{}<>- ", text[i]) == NULL) return false;
    return true;
}

/* "function server.lua:40". Without a file the source is the text of the program itself, which may hold anything. */
static void name_function(const lua_Debug *frame, const char *what, char out[NAME_BYTES_MAX])
{
    if (frame->what[0] == 'C')
        snprintf(out, NAME_BYTES_MAX, strcmp(what, "function") == 0 ? "C function" : "%s", what);
    else if (frame->source[0] != '@' && frame->source[0] != '=')
        snprintf(out, NAME_BYTES_MAX, "%s [string]:%d", what, frame->linedefined);
    else
        snprintf(out, NAME_BYTES_MAX, "%s %s:%d", what, code_file(frame), frame->linedefined);
}

static void function_type(walk *w, char out[NAME_BYTES_MAX])
{
    lua_pushvalue(w->L, -1);
    lua_getinfo(w->L, ">S", &w->function);
    name_function(&w->function, "function", out);
}

/* The outermost frame of a thread, which runs the function that it was made of: frames are counted by halves. */
static bool outermost(lua_State *thread, lua_Debug *frame)
{
    int low = 0, high = 1;
    if (!lua_getstack(thread, 0, frame)) return false;
    while (lua_getstack(thread, high, frame)) {
        low = high;
        if (high > INT_MAX / 2) break;
        high *= 2;
    }
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (lua_getstack(thread, middle, frame))
            low = middle;
        else
            high = middle;
    }
    return lua_getstack(thread, low, frame) != 0;
}

/* By the function that it runs, or, where it has not begun, will run. */
static void thread_type(const walk *w, char out[NAME_BYTES_MAX])
{
    lua_State *thread = lua_tothread(w->L, -1);
    lua_Debug frame;
    snprintf(out, NAME_BYTES_MAX, thread == w->main ? "main thread" : "coroutine");
    if (thread == w->main || !lua_checkstack(thread, 2)) return;
    if (outermost(thread, &frame)) {
        lua_getinfo(thread, "S", &frame);
    } else {
        if (lua_gettop(thread) == 0 || lua_type(thread, 1) != LUA_TFUNCTION || lua_status(thread) != 0) return;
        lua_pushvalue(thread, 1);
        lua_getinfo(thread, ">S", &frame);
    }
    name_function(&frame, "coroutine", out);
}

bool edges_type(walk *w, char out[NAME_BYTES_MAX])
{
    lua_State *L = w->L;
    const int kind = lua_type(L, -1);
    if (kind == LUA_TFUNCTION) {
        function_type(w, out);
        return true;
    }
    if (kind == LUA_TTHREAD) {
        thread_type(w, out);
        return true;
    }
    snprintf(out, NAME_BYTES_MAX, "%s", lua_typename(L, kind));
    if ((kind != LUA_TTABLE && kind != LUA_TUSERDATA) || !push_meta_text(L, "__name")) return false;
    size_t size;
    const char *name = lua_tolstring(L, -1, &size);
    if (edges_is_type_name(name, size)) snprintf(out, NAME_BYTES_MAX, "%s", name);
    lua_pop(L, 1);
    return true;
}
