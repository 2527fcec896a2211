/*
 * The Ruby agent: walks all objects of a Ruby on its main thread, in a trap, and writes them as it goes.
 *
 *      agent.c   listen, and the way from the agent's thread to Ruby's: a signal, a trap, the walk
 *      walk.c    a collection, then all slots of the heap, one object after the other
 *      edges.c   what an object refers to: by variables, elements, members, keys and values; and by what is left
 *      state.c   constants of classes, and global variables, by their names, before the walk
 *      threads.c names of threads, and what they keep under keys, before the walk
 *      frames.c  local variables of what the main thread runs      stacks.c   and of what others run
 *      code.c    where blocks stand
 *      names.c   types, labels and strings, each once
 *
 * While it walks the collector is off and no other thread of Ruby runs. Nothing of Ruby is allocated in the walk; what
 * state.c takes before is left out. Functions that Ruby exports for its own objspace and does not declare are declared
 * here.
 */
#ifndef HSC_RUBY_AGENT_H
#define HSC_RUBY_AGENT_H

#include <ruby.h>
#include <ruby/debug.h>
#include <ruby/version.h>

#include "agent/agent.h"

/* ---- what Ruby exports for objspace ---- */

int rb_objspace_each_objects(int (*callback)(void *start, void *end, size_t stride, void *data), void *data);
void rb_objspace_reachable_objects_from(VALUE object, void (*callback)(VALUE, void *), void *data);
void rb_objspace_reachable_objects_from_root(void (*callback)(const char *category, VALUE, void *), void *data);
size_t rb_obj_memsize_of(VALUE object);
const char *rb_objspace_data_type_name(VALUE object);
const char *rb_imemo_name(int type);
VALUE rb_class_path_cached(VALUE klass);

typedef struct constant { /* rb_const_entry_t, from Ruby 2.3 on */
    int flag, line;
    VALUE value, file; /* Qundef: it is still to be loaded */
} constant;
const constant *rb_const_lookup(VALUE module, ID name);

enum { IMEMO_MASK = 0x0f };

/* ---- names.c ---- */

enum { NAME_BYTES = 256, THREAD_NAME_BYTES = 80 };

/* Labels that are there from the start. */
enum {
    LABEL_NONE,
    LABEL_CLASS,
    LABEL_STATE,
    LABEL_CACHE,
    LABEL_STACK,
    LABEL_ELEMENT,
    LABEL_KEY,
    LABEL_VALUE,
    LABEL_FIRST_FREE
};

typedef enum name_kind {
    NAME_STRING = 1,
    NAME_TYPE,
    NAME_CODE_TYPE,
    NAME_INTERNAL_TYPE,
    NAME_FIELD,
    NAME_STATE,
    NAME_LOCAL
} name_kind;

typedef struct names {
    hsc_writer *writer;
    hsa_texts texts;
    uint32_t next_string, next_type, next_label;
    bool failed;
} names;

bool names_open(names *all, hsc_writer *writer);
/* The number of this text, defined when it is new; 0 without memory. Types of three kinds share their numbers, and so
 * do labels: fields of an object, names of a class and local variables of the main script, which begin owners. */
uint32_t names_put(names *all, name_kind kind, const char *text, size_t size);
void names_close(names *all);

/* ---- state.c ---- */

/* What a class or module has under a name of its own. */
typedef struct named {
    VALUE owner, value; /* owner 0: a global variable; OWNER_MAIN: a local variable of the main script */
    ID name;
} named;

/* No object is there. */
#define OWNER_MAIN ((VALUE)1)

typedef struct thread_name {
    VALUE thread;
    char text[THREAD_NAME_BYTES];
} thread_name;

typedef struct local {
    VALUE value;
    char text[NAME_BYTES];
} local;

typedef struct state {
    named *rows; /* by owner */
    size_t count, room;
    VALUE *own; /* objects that were made to find that out */
    size_t own_count, own_room;
    VALUE *main; /* what keeps local variables that are told: environments, ascending */
    size_t main_count, main_room;
    thread_name *threads;
    size_t thread_count, thread_room;
    local *locals; /* of frames, outermost first */
    size_t local_count, local_room;
    VALUE top; /* what the main script is run by: its self */
    bool failed;
} state;

/* Of all classes and modules that have names, global variables, and local variables of the main script. May raise:
 * under rb_protect. Runs no code of the program. */
void state_collect(state *all);
/* The rows of an owner. */
const named *state_of(const state *all, VALUE owner, size_t *count);
bool state_is_own(const state *all, VALUE object);
/* The environments that a binding keeps: state_is_main. */
void state_add_environments(state *all, VALUE binding);
/* One of them, if it is one. */
void state_add_environment(state *all, VALUE target);
/* Are local variables that are told among what this refers to? */
bool state_is_main(const state *all, VALUE object);
void state_release(state *all);
/* A row of `owner`, unless the value is none of the heap. */
void state_add(state *all, VALUE owner, VALUE value, ID name);
/* An object that was made to find out: `made`. */
VALUE state_remember(state *all, VALUE made);
/* Room for one more: the rows, moved or not; NULL without memory. */
void *state_wider(void *rows, size_t count, size_t *room, size_t size, bool *failed);

/* ---- threads.c ---- */

/* Of all threads: their names, and what they have under keys as rows of theirs. */
void threads_collect(state *all);
/* `thread "worker"`, `main thread`; "thread" for one that is not known. */
const char *threads_name(const state *all, VALUE thread);
/* "(app.rb:12)" of one that is told by its block; else nothing. */
const char *threads_place(const state *all, VALUE thread);

/* ---- frames.c ---- */

/* Local variables of the methods that run on this thread, which is the main one. */
void frames_collect(state *all);
/* `local orders of run (app.rb:2)`; NULL for a value that no such variable has. */
const char *frames_local(const state *all, VALUE value);
/* A variable of a frame, unless it has no object or a class, which holds for itself. */
void frames_add_local(state *all, VALUE value, const char *name, const char *frame);
/* No library, and no line of Ruby's or the agent's own? */
bool frames_is_of_program(const char *path);

/* ---- stacks.c ---- */

/* Local variables of the methods that another thread runs, where this Ruby is one whose stacks are known. */
void stacks_collect(state *all, VALUE thread);

/* ---- code.c ---- */

typedef struct edges edges;

/* "Proc (server.rb:40)" by what it refers to; "Proc" for one that is no block of the program. Its length. */
bool code_is_instructions(VALUE object);
size_t code_proc_type(const edges *references, char out[NAME_BYTES]);

/* ---- edges.c ---- */

typedef struct edge {
    VALUE target;
    uint32_t label;
    uint64_t index;
} edge;

struct edges {
    edge *rows; /* those with names first */
    size_t count, room, named_count;
    bool failed;
};

/* ---- walk.c ---- */

typedef struct walk {
    hsc_writer *writer;
    names names;
    state state;
    edges edges;
    hsa_self self;
    hsa_metrics measured; /* before the capture took memory */
    uint64_t started_ns;
    uint32_t thread_string, cache_string; /* labels of secondary roots */
    const char *failure;
} walk;

/* A collection, and a whole capture into `sink`. NULL, or why it could not be begun. What goes wrong later is in the
 * capture. */
const char *walk_all(const hsc_sink *sink, int compression);

/* Of `object`, whose flags are looked at: all that it refers to, into walk->edges. */
void edges_collect(walk *w, VALUE object);
/* Is it a thread or fiber, what lies on whose stack it refers to; or a cache of a constant? Its references hold nothing
 * by themselves. */
uint32_t edges_secondary_label(VALUE object);

#endif
