/*
 * The Lua agent: walks everything that a state reaches, by Lua's own API and so on the VM's own thread, and writes it
 * as it goes.
 *
 *      module.c   require "hsdiff": capture(path), listen(), poll(), stop()
 *      serve.c    the agent's thread asks the VM's thread: a signal, a count hook, the walk
 *      walk.c     worklist (chunks in Lua tables, nothing recursive) and one object after the other
 *      edges.c    what an object refers to: entries, upvalues, locals, user values
 *      roots.c    globals, modules, registry, variables of the main thread, metatables of types
 *      names.c    types, labels, and which keys may be told
 *      code.c     the words that code mentions
 *      classes.c  what code calls a metatable
 *      visited.c  the set of objects that were met: 8 bytes a slot, at most 24 an object, by mmap
 *      sizes.c    bytes of an object: exact where this very Lua 5.4 passed a test of its layout, else estimated
 *
 * While it walks the collector is stopped and nothing of the program runs. Memory of the VM that it takes: 8 to 16
 * bytes for each object that waits in the worklist.
 */
#ifndef HSC_LUA_AGENT_H
#define HSC_LUA_AGENT_H

#include "agent/agent.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#if LUA_VERSION_NUM >= 502
#define LUA_HAS_REGISTRY_GLOBALS 1
#define raw_length(L, index)     lua_rawlen(L, index)
#else
#define LUA_HAS_REGISTRY_GLOBALS 0
#define raw_length(L, index)     lua_objlen(L, index)
#endif

enum { LUA_CDATA_TYPE = 10 }; /* of LuaJIT */

/* Where the registry has the main thread, in versions that have no place of their own for it. */
#define MAIN_THREAD_KEY "hsdiff.main"

/* ---- visited.c ---- */

typedef struct visited {
    uint64_t *slots;
    size_t capacity, count;
} visited;

bool visited_open(visited *set);
/* 1 = new, 0 = known, -1 = no memory. `address` is not 0. */
int visited_add(visited *set, uint64_t address);
bool visited_has(const visited *set, uint64_t address);
void visited_close(visited *set);

/* ---- names.c ---- */

enum { NAMES_KEYS_MAX = 65536, NAMES_TABLES_MIN = 16, NAME_BYTES_MAX = 200, IDENTIFIER_BYTES_MAX = 40 };

/* Labels that are there from the start. */
enum {
    LABEL_NONE,
    LABEL_ELEMENT,
    LABEL_KEY,
    LABEL_VALUE,
    LABEL_METATABLE,
    LABEL_WEAK_KEY,
    LABEL_WEAK_VALUE,
    LABEL_ENVIRONMENT,
    LABEL_USER_VALUE,
    LABEL_CALLED,
    LABEL_STACK,
    LABEL_FIRST_FREE
};

typedef struct names {
    hsc_writer *writer;
    hsa_texts texts;
    size_t keys, mentioned;
    uint32_t next_string, next_type, next_label;
    bool failed;
} names;

bool names_open(names *all, hsc_writer *writer);
uint32_t names_string(names *all, const char *text);
uint32_t names_type(names *all, const char *text);
uint32_t names_variable(names *all, const char *text);
/* The label of an entry with this key. Whether the key is told is decided by names_finish: if code mentions it, or at
 * least 16 tables have it. */
uint32_t names_key(names *all, const char *key, size_t size);
/* A word of the program's code. */
void names_mention(names *all, const char *word, size_t size);
/* The number that is kept under this text, 0 at first; NULL without memory. Another call of this file may move it. */
uint32_t *names_class(names *all, const char *key, size_t size);
/* True once for each place of a function in its file. */
bool names_is_new_code(names *all, const char *place);
/* Defines the labels of keys. */
void names_finish(names *all);
void names_close(names *all);
/* Is it short, and what a program would call something: letters, digits, underscores? */
bool names_is_identifier(const char *text, size_t size);

/* ---- sizes.c ---- */

typedef struct sizes {
    bool is_exact; /* tables and threads are read by this Lua's own layout */
} sizes;

/* Tries the layout on tables and a thread made for it. May raise an error of Lua. */
void sizes_learn(sizes *known, lua_State *L);
/* Of the value at the top of the stack. */
uint64_t sizes_of(const sizes *known, lua_State *L);

/* ---- walk.c ---- */

typedef struct walk {
    lua_State *L;
    lua_State *main; /* the main thread; NULL = not known */
    hsc_writer *writer;
    visited seen;
    names names;
    sizes sizes;
    hsa_self self;
    hsa_metrics measured;                    /* before the capture took memory */
    int worklist;                            /* stack index of the table of chunks */
    size_t waiting;                          /* objects in it */
    uint64_t globals, registry, loaded, own; /* addresses: their entries are roots; own tables of the walk */
    uint64_t started_ns;
    const void *last_metatable; /* whose class was looked for last, of values of */
    int last_kind;
    uint32_t last_type;
    unsigned searches;   /* in the globals, for classes */
    lua_Debug function;  /* that is being written: where it stands */
    lua_Debug last_code; /* of which the words were noted last */
    const char *failure; /* NULL, or why the walk ended early */
    bool is_hooked;      /* in a hook: level 0 is the program's */
} walk;

/* Walks and writes a whole capture into `sink`. NULL, or why it could not be begun. What goes wrong later is in the
 * capture. */
const char *walk_all(lua_State *L, const hsc_sink *sink, int compression, bool is_hooked);

/* Meets the value at the top of the stack, which stays: its address if it is an object, 0 if it is none. New ones wait
 * for their turn. */
uint64_t walk_meet(walk *w);
/* … and refers to it from the object that is being written. */
void walk_refer(walk *w, uint32_t label, uint64_t index);
/* The address of the value at the top of the stack, 0 if it is no object of the heap. */
uint64_t walk_address(lua_State *L);
/* Has the walk ended early? */
bool walk_is_over(walk *w);

/* ---- edges.c, roots.c ---- */

/* All that the value at the top of the stack refers to, between begin and end of its object. */
void edges_of(walk *w);
/* Behind its end: what an ephemeron table's keys hold. */
void edges_behind(walk *w);
/* The name of its type into `out`, and of a function w->function. False if that is the name of Lua's own type alone. */
bool edges_type(walk *w, char out[NAME_BYTES_MAX]);
/* The frame of a thread at which the program's own begin. */
int edges_first_level(const walk *w, const lua_State *thread);
/* What a library calls a type: "FILE*", "lpeg-pattern", "SQLite3 connection". */
bool edges_is_type_name(const char *text, size_t size);
void roots_all(walk *w);
void roots_push_globals(lua_State *L);
void roots_push_loaded(lua_State *L);

/* ---- code.c ---- */

/* Its file without folders: programs of two releases have one name for a function. `init.lua` with its own. */
const char *code_file(const lua_Debug *frame);
/* Notes the words that the function at the top of the stack mentions, which is w->function, and those in it. */
void code_mentions(walk *w);

/* ---- classes.c ---- */

/* The type of the table or userdata at the top of the stack, if it has a metatable; 0 if not, or if there is no memory.
 */
uint32_t classes_type(walk *w);

/* ---- serve.c ---- */

/* 0 or an errno. `L` may be any thread of the state; the main one is asked. */
int serve_listen(lua_State *L);
/* Answers who asks at this moment. */
void serve_poll(lua_State *L);
void serve_stop(void);

#endif
