/*
 * What an object refers to. By name where Ruby has names: variables of instances, elements, keys and values, members of
 * a Struct, and what a class has (state.c). All else that the collector would mark comes behind, without a name.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ruby_agent.h"

static void add_ruby_edge(edges *all, VALUE target, uint32_t label, uint64_t index)
{
    if (RB_SPECIAL_CONST_P(target)) return;
    if (all->count == all->room) {
        const size_t room = all->room == 0 ? 1024 : all->room * 2;
        edge *rows = realloc(all->rows, room * sizeof *rows);
        if (rows == NULL) {
            all->failed = true;
            return;
        }
        all->rows = rows;
        all->room = room;
    }
    all->rows[all->count++] = (edge){.target = target, .label = label, .index = index};
}

enum { KEY_BYTES_MAX = 40 };

/* ---- by name ---- */

static uint32_t label_of(walk *w, name_kind kind, ID name)
{
    const char *text = rb_id2name(name);
    /* of the interpreter's own */
    if (text == NULL || text[0] == '\0') return kind == NAME_STATE ? LABEL_STATE : LABEL_NONE;
    return names_put(&w->names, kind, text, strlen(text));
}

typedef struct naming {
    walk *walk;
    name_kind kind;
} naming;

static int add_variable(ID name, VALUE value, st_data_t data)
{
    const naming *as = (const naming *)data;
    const char *text = rb_id2name(name);
    if (text != NULL && text[0] == '@') add_ruby_edge(&as->walk->edges, value, label_of(as->walk, as->kind, name), 0);
    return ST_CONTINUE;
}

static int add_entry(VALUE key, VALUE value, VALUE data)
{
    walk *w = (walk *)data;
    add_ruby_edge(&w->edges, key, LABEL_KEY, 0);
    add_ruby_edge(&w->edges, value, LABEL_VALUE, 0);
    return ST_CONTINUE;
}

static void add_members(walk *w, VALUE object)
{
    const VALUE members = rb_struct_members(object);
    const long count = RARRAY_LEN(members);
    for (long i = 0; i < count && i < NUM2LONG(rb_struct_size(object)); i++) {
        const VALUE name = RARRAY_AREF(members, i);
        add_ruby_edge(&w->edges, RSTRUCT_GET(object, (int)i),
                      RB_SYMBOL_P(name) ? label_of(w, NAME_FIELD, SYM2ID(name)) : LABEL_NONE, 0);
    }
}

static void add_state(walk *w, VALUE module)
{
    size_t count;
    const named *rows = state_of(&w->state, module, &count);
    for (size_t i = 0; i < count; i++)
        add_ruby_edge(&w->edges, rows[i].value, label_of(w, NAME_STATE, rows[i].name), 0);
}

/* `thread "worker"[:visits]` owns what a thread has under a key. Keys that the program made of texts are dynamic
 * symbols: of these alone Ruby has objects, and they are not told. */
static void add_thread_variables(walk *w, VALUE thread)
{
    char text[NAME_BYTES];
    size_t count;
    const named *rows = state_of(&w->state, thread, &count);
    for (size_t i = 0; i < count; i++) {
        const char *key = RB_STATIC_SYM_P(rb_id2sym(rows[i].name)) ? rb_id2name(rows[i].name) : NULL;
        const bool is_told = key != NULL && hsa_is_identifier(key, strlen(key), KEY_BYTES_MAX);
        const int size = snprintf(text, sizeof text, "%s[%s%s]", threads_name(&w->state, thread), is_told ? ":" : "*",
                                  is_told ? key : "");
        add_ruby_edge(&w->edges, rows[i].value,
                      names_put(&w->names, NAME_LOCAL, text, size < NAME_BYTES ? (size_t)size : NAME_BYTES - 1), 0);
    }
}

static void add_named(walk *w, VALUE object)
{
    const int type = RB_BUILTIN_TYPE(object);
    const bool is_class = type == T_CLASS || type == T_MODULE;
    naming as = {.walk = w, .kind = is_class ? NAME_STATE : NAME_FIELD};
    if (type == T_ARRAY)
        for (long i = 0; i < RARRAY_LEN(object); i++)
            add_ruby_edge(&w->edges, RARRAY_AREF(object, i), LABEL_ELEMENT, (uint64_t)i);
    if (RBASIC(object)->klass == 0) return; /* hidden: of the interpreter */
    if (type == T_HASH) rb_hash_foreach(object, add_entry, (VALUE)w);
    if (type == T_STRUCT) add_members(w, object);
    if (is_class) add_state(w, object);
    if (type == T_OBJECT || is_class || RB_FL_TEST_RAW(object, FL_EXIVAR))
        rb_ivar_foreach(object, add_variable, (st_data_t)&as);
}

/* ---- the rest ---- */

static void add_reached(VALUE target, void *data)
{
    walk *w = data;
    add_ruby_edge(&w->edges, target, LABEL_NONE, 0);
}

static int by_target(const void *a, const void *b)
{
    const VALUE x = ((const edge *)a)->target, y = ((const edge *)b)->target;
    return (x > y) - (x < y);
}

enum { FEW = 16 };

static bool has_name(const edge *by_address, size_t count, VALUE target)
{
    const edge wanted = {.target = target};
    if (count > FEW) return bsearch(&wanted, by_address, count, sizeof *by_address, by_target) != NULL;
    for (size_t i = 0; i < count; i++)
        if (by_address[i].target == target) return true;
    return false;
}

/* What a thread or an environment refers to, by the variable of a frame; `otherwise` if it is none. */
static uint32_t label_of_frame(walk *w, VALUE target, uint32_t otherwise)
{
    const char *text = frames_local(&w->state, target);
    return text == NULL ? otherwise : names_put(&w->names, NAME_LOCAL, text, strlen(text));
}

/* What an environment refers to, by its variables: of the main script "main.sessions". */
static uint32_t label_of_local(walk *w, VALUE target)
{
    char text[NAME_BYTES];
    size_t count;
    const named *rows = state_of(&w->state, OWNER_MAIN, &count);
    for (size_t i = 0; i < count; i++) {
        const char *name = rows[i].value == target ? rb_id2name(rows[i].name) : NULL;
        if (name == NULL || name[0] == '\0') continue;
        const int size = snprintf(text, sizeof text, "main.%s", name);
        return names_put(&w->names, NAME_LOCAL, text, size < NAME_BYTES ? (size_t)size : NAME_BYTES - 1);
    }
    return label_of_frame(w, target, LABEL_NONE);
}

/* Those that have no name, each once. */
static void keep_unnamed(edges *all)
{
    edge *rest = all->rows + all->named_count;
    const size_t named = all->named_count, count = all->count - named;
    size_t kept = 0;
    if (count == 0) return;
    if (named > FEW) qsort(all->rows, named, sizeof *all->rows, by_target);
    if (count > 1) qsort(rest, count, sizeof *rest, by_target);
    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && rest[kept - 1].target == rest[i].target) continue;
        if (!has_name(all->rows, named, rest[i].target)) rest[kept++] = rest[i];
    }
    all->count = named + kept;
}

uint32_t edges_secondary_label(VALUE object)
{
    const int type = RB_BUILTIN_TYPE(object);
    if (type == T_IMEMO) {
        const char *name = rb_imemo_name((int)(RBASIC(object)->flags >> FL_USHIFT) & IMEMO_MASK);
        return name != NULL && strcmp(name, "constcache") == 0 ? LABEL_CACHE : LABEL_NONE;
    }
    const char *name = type == T_DATA ? rb_objspace_data_type_name(object) : NULL;
    return name != NULL && strcmp(name, "VM/thread") == 0 ? LABEL_STACK : LABEL_NONE; /* a fiber holds its own stack */
}

void edges_collect(walk *w, VALUE object)
{
    edges *all = &w->edges;
    const int type = RB_BUILTIN_TYPE(object);
    const VALUE klass = type == T_IMEMO || type == T_ICLASS ? 0 : RBASIC(object)->klass;
    const uint32_t secondary = edges_secondary_label(object);
    const uint32_t rest = secondary != LABEL_NONE                                   ? secondary
                          : type == T_CLASS || type == T_MODULE || type == T_ICLASS ? LABEL_STATE
                                                                                    : LABEL_NONE;
    const bool is_main = type == T_IMEMO && state_is_main(&w->state, object);
    all->count = 0;
    if (secondary == LABEL_STACK) add_thread_variables(w, object);
    const size_t owned_count = all->count;
    add_named(w, object);
    for (size_t i = owned_count; i < all->count && secondary != LABEL_NONE; i++)
        all->rows[i].label = secondary;
    all->named_count = all->count;
    rb_objspace_reachable_objects_from(object, add_reached, w);
    keep_unnamed(all);
    for (size_t i = 0; i < all->count; i++) {
        if (is_main)
            all->rows[i].label = label_of_local(w, all->rows[i].target);
        else if (i >= all->named_count && secondary == LABEL_STACK)
            all->rows[i].label = label_of_frame(w, all->rows[i].target, secondary);
        else if (i >= all->named_count)
            all->rows[i].label = all->rows[i].target == klass ? (uint32_t)LABEL_CLASS : rest;
    }
}
