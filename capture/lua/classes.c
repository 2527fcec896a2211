/*
 * Classes by the names that code has for them. Lua has tables with metatables and no classes; what a program calls one
 * is the variable by which its own methods know it: `Enemy` in
 *
 *      local Enemy = {}  Enemy.__index = Enemy
 *      function Enemy.new(x) return setmetatable({x = x}, Enemy) end
 *
 * Else the global variable or the module that is the class, or, of userdata, the name that C gave the metatable. The
 * methods of the class alone are asked, so a name stays what it is from one capture to the next.
 */
#include <stdio.h>
#include <string.h>

#include "lua_agent.h"

/* Of a class, and of a function in it; of names for one class; of classes that are looked for in large tables. */
enum { MOST_ENTRIES = 512, MOST_UPVALUES = 60, MOST_NAMES = 4, MOST_SEARCHES = 256 };

typedef struct vote {
    char name[IDENTIFIER_BYTES_MAX + 1];
    unsigned count;
} vote;

typedef struct search {
    lua_State *L;
    const void *metatable, *class; /* the table that it looks in; itself where that is none */
    vote votes[MOST_NAMES];
} search;

/* What every class is called somewhere. */
static bool says_something(const char *name)
{
    static const char *const words[] = {"self",  "this",    "cls",    "class",  "klass",     "base",
                                        "super", "parent",  "mt",     "_mt",    "meta",      "metatable",
                                        "index", "methods", "module", "proto",  "prototype", "_M",
                                        "_ENV",  "_G",      "obj",    "object", "instance"};
    if (name[0] == '\0' || name[1] == '\0') return false;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(name, words[i]) == 0) return false;
    return names_is_identifier(name, strlen(name));
}

static bool is_it(const search *s)
{
    const void *value = lua_type(s->L, -1) == LUA_TTABLE ? lua_topointer(s->L, -1) : NULL;
    return value != NULL && (value == s->metatable || value == s->class);
}

static void add_vote(search *s, const char *name)
{
    for (size_t i = 0; i < MOST_NAMES; i++) {
        vote *one = &s->votes[i];
        if (one->count == 0) snprintf(one->name, sizeof one->name, "%s", name);
        if (strcmp(one->name, name) != 0) continue;
        one->count++;
        return;
    }
}

/* The names that the function at the top has for it. */
static void ask_function(search *s)
{
    const char *name;
    if (lua_type(s->L, -1) != LUA_TFUNCTION || lua_iscfunction(s->L, -1)) return;
    for (int i = 1; i <= MOST_UPVALUES && (name = lua_getupvalue(s->L, -1, i)) != NULL; i++) {
        if (is_it(s) && says_something(name)) add_vote(s, name);
        lua_pop(s->L, 1);
    }
}

/* The functions of the table at the top. */
static void ask_methods(search *s)
{
    unsigned count = 0;
    lua_pushnil(s->L);
    while (lua_next(s->L, -2) != 0) {
        ask_function(s);
        lua_pop(s->L, 1);
        if (++count < MOST_ENTRIES) continue;
        lua_pop(s->L, 1);
        return;
    }
}

/* The first by the alphabet of those with the most votes. */
static const char *elected(const search *s)
{
    const vote *best = &s->votes[0];
    for (size_t i = 1; i < MOST_NAMES; i++) {
        const vote *one = &s->votes[i];
        if (one->count > best->count ||
            (one->count == best->count && one->count > 0 && strcmp(one->name, best->name) < 0))
            best = one;
    }
    return best->count > 0 ? best->name : NULL;
}

/* A key of the table at the top, which is taken away, that leads to it; `is_name` says which may. */
static bool find_key(search *s, bool (*is_name)(const char *, size_t), char out[NAME_BYTES_MAX])
{
    lua_State *L = s->L;
    bool is_found = false;
    if (lua_type(L, -1) == LUA_TTABLE) {
        lua_pushnil(L);
        while (!is_found && lua_next(L, -2) != 0) {
            size_t size = 0;
            const char *key = is_it(s) && lua_type(L, -2) == LUA_TSTRING ? lua_tolstring(L, -2, &size) : NULL;
            is_found = key != NULL && is_name(key, size);
            if (is_found) snprintf(out, NAME_BYTES_MAX, "%.*s", (int)size, key);
            lua_pop(L, 1);
        }
        if (is_found) lua_pop(L, 1);
    }
    lua_pop(L, 1);
    return is_found;
}

static bool find_in_tables(walk *w, search *s, char out[NAME_BYTES_MAX])
{
    if (w->searches++ >= MOST_SEARCHES) return false;
    roots_push_globals(w->L);
    if (find_key(s, names_is_identifier, out)) return true;
    roots_push_loaded(w->L);
    if (find_key(s, edges_is_type_name, out)) return true;
    lua_pushvalue(w->L, LUA_REGISTRYINDEX);
    return find_key(s, edges_is_type_name, out);
}

/* Of the metatable at the top, which stays. */
static bool find_name(walk *w, char out[NAME_BYTES_MAX])
{
    lua_State *L = w->L;
    search s = {.L = L, .metatable = lua_topointer(L, -1), .class = lua_topointer(L, -1)};
    lua_pushstring(L, "__index");
    lua_rawget(L, -2);
    if (lua_type(L, -1) == LUA_TTABLE) s.class = lua_topointer(L, -1);
    if (s.class != s.metatable) ask_methods(&s);
    lua_pop(L, 1);
    ask_methods(&s);
    const char *name = elected(&s);
    if (name != NULL) snprintf(out, NAME_BYTES_MAX, "%s", name);
    return name != NULL || find_in_tables(w, &s, out);
}

uint32_t classes_type(walk *w)
{
    char key[40], name[NAME_BYTES_MAX];
    lua_State *L = w->L;
    const int kind = lua_type(L, -1);
    if ((kind != LUA_TTABLE && kind != LUA_TUSERDATA) || !lua_getmetatable(L, -1)) return 0;
    const void *metatable = lua_topointer(L, -1);
    if (w->last_metatable != metatable || w->last_kind != kind) {
        const int size = snprintf(key, sizeof key, "%d %p", kind, metatable);
        uint32_t *type = names_class(&w->names, key, (size_t)size);
        if (type == NULL) {
            lua_pop(L, 1);
            return 0;
        }
        if (*type == 0) {
            const uint32_t found = names_type(&w->names, find_name(w, name) ? name : lua_typename(L, kind));
            type = names_class(&w->names, key, (size_t)size); /* types may have moved it */
            if (type != NULL) *type = found;
            w->last_type = found;
        } else {
            w->last_type = *type;
        }
        w->last_metatable = metatable;
        w->last_kind = kind;
    }
    lua_pop(L, 1);
    return w->last_type;
}
