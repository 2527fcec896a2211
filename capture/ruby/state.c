/*
 * What classes hold under names. Ruby tells names of constants in arrays, which are objects of its heap: they are made
 * before the walk, and remembered so that they are left out of it. (Class variables are variables of the class as an
 * object: edges.c.) Constants that are still to be loaded (autoload) are not touched; private ones have no name here
 * and count with the rest of their class.
 */
#include <stdlib.h>
#include <string.h>

#include "ruby_agent.h"

void *state_wider(void *rows, size_t count, size_t *room, size_t size, bool *failed)
{
    if (count < *room) return rows;
    const size_t more = *room == 0 ? 256 : *room * 2;
    void *grown = realloc(rows, more * size);
    if (grown == NULL) {
        *failed = true;
        return NULL;
    }
    *room = more;
    return grown;
}

void state_add(state *all, VALUE owner, VALUE value, ID name)
{
    if (RB_SPECIAL_CONST_P(value)) return;
    named *rows = state_wider(all->rows, all->count, &all->room, sizeof *rows, &all->failed);
    if (rows == NULL) return;
    all->rows = rows;
    rows[all->count++] = (named){.owner = owner, .value = value, .name = name};
}

VALUE state_remember(state *all, VALUE made)
{
    VALUE *own = state_wider(all->own, all->own_count, &all->own_room, sizeof *own, &all->failed);
    if (own == NULL) return made;
    all->own = own;
    own[all->own_count++] = made;
    return made;
}

/* ---- classes ---- */

static bool is_module(VALUE value)
{
    return !RB_SPECIAL_CONST_P(value) && (RB_BUILTIN_TYPE(value) == T_CLASS || RB_BUILTIN_TYPE(value) == T_MODULE);
}

/* The entry itself: reading a constant may load a file, or warn. */
static void add_constants(state *all, VALUE module)
{
    const VALUE own_alone = Qfalse;
    const VALUE list = state_remember(all, rb_mod_constants(1, &own_alone, module));
    for (long i = 0; i < RARRAY_LEN(list); i++) {
        const ID name = SYM2ID(RARRAY_AREF(list, i));
        const constant *entry = rb_const_lookup(module, name);
        /* a class holds for itself */
        if (entry != NULL && !is_module(entry->value)) state_add(all, module, entry->value, name);
    }
}

typedef struct listed {
    VALUE *rows;
    size_t count, room;
    bool failed;
} listed;

/* Classes first, then what they have: nothing is allocated while slots are looked at. */
static int list_modules(void *start, void *end, size_t stride, void *data)
{
    listed *all = data;
    for (VALUE object = (VALUE)start; object != (VALUE)end; object += stride) {
        const bool is_one = is_module(object) && !RB_FL_TEST_RAW(object, FL_SINGLETON) && RBASIC(object)->klass != 0;
        if (!is_one || NIL_P(rb_class_path_cached(object))) continue;
        VALUE *rows = state_wider(all->rows, all->count, &all->room, sizeof *rows, &all->failed);
        if (rows == NULL) return 1;
        all->rows = rows;
        rows[all->count++] = object;
    }
    return 0;
}

/* ---- global variables ---- */

/* Those of the program: $name. What Ruby calls by a sign is its own. */
static bool is_plain_ruby_state(const char *name)
{
    return name != NULL && name[0] == '$' &&
           (name[1] == '_' || (name[1] >= 'a' && name[1] <= 'z') || (name[1] >= 'A' && name[1] <= 'Z')) &&
           name[2] != '\0';
}

static void add_globals(state *all)
{
    const VALUE list = state_remember(all, rb_f_global_variables());
    for (long i = 0; i < RARRAY_LEN(list); i++) {
        const ID name = SYM2ID(RARRAY_AREF(list, i));
        const char *text = rb_id2name(name);
        if (is_plain_ruby_state(text)) state_add(all, 0, rb_gv_get(text), name);
    }
}

/* ---- the main script ---- */

static bool is_environment(VALUE object)
{
    if (RB_SPECIAL_CONST_P(object) || RB_BUILTIN_TYPE(object) != T_IMEMO) return false;
    const char *name = rb_imemo_name((int)(RBASIC(object)->flags >> FL_USHIFT) & IMEMO_MASK);
    return name != NULL && strcmp(name, "env") == 0;
}

void state_add_environment(state *all, VALUE target)
{
    if (!is_environment(target)) return;
    VALUE *rows = state_wider(all->main, all->main_count, &all->main_room, sizeof *rows, &all->failed);
    if (rows == NULL) return;
    all->main = rows;
    rows[all->main_count++] = target;
}

static void add_environment(VALUE target, void *data) { state_add_environment(data, target); }

void state_add_environments(state *all, VALUE binding)
{
    rb_objspace_reachable_objects_from(binding, add_environment, all);
}

static VALUE binding_of_main(void)
{
    const constant *entry = rb_const_lookup(rb_cObject, rb_intern("TOPLEVEL_BINDING"));
    const VALUE binding = entry == NULL ? Qnil : entry->value;
    const VALUE type = rb_const_get(rb_cObject, rb_intern("Binding"));
    return !RB_SPECIAL_CONST_P(binding) && RB_BUILTIN_TYPE(binding) == T_DATA && rb_obj_class(binding) == type ? binding
                                                                                                               : Qnil;
}

/* Ruby has them in an environment of TOPLEVEL_BINDING, which blocks of the script refer to as well. It is asked by
 * methods, unless the program made those anew. */
static void add_locals(state *all)
{
    const ID list_all = rb_intern("local_variables"), get = rb_intern("local_variable_get");
    const VALUE binding = binding_of_main();
    if (NIL_P(binding) || !rb_method_basic_definition_p(rb_obj_class(binding), list_all) ||
        !rb_method_basic_definition_p(rb_obj_class(binding), get))
        return;
    const VALUE list = state_remember(all, rb_funcall(binding, list_all, 0));
    for (long i = 0; i < RARRAY_LEN(list); i++) {
        const VALUE name = RARRAY_AREF(list, i), value = rb_funcall(binding, get, 1, name);
        if (!is_module(value)) state_add(all, OWNER_MAIN, value, SYM2ID(name)); /* a class holds for itself */
    }
    state_add_environments(all, binding);
    if (rb_method_basic_definition_p(rb_obj_class(binding), rb_intern("receiver")))
        all->top = rb_funcall(binding, rb_intern("receiver"), 0);
}

/* ---- all ---- */

static int by_owner(const void *a, const void *b)
{
    const named *x = a, *y = b;
    if (x->owner != y->owner) return x->owner < y->owner ? -1 : 1;
    return (x->name > y->name) - (x->name < y->name);
}

static int by_address(const void *a, const void *b)
{
    const VALUE x = *(const VALUE *)a, y = *(const VALUE *)b;
    return (x > y) - (x < y);
}

void state_collect(state *all)
{
    listed modules = {.count = 0};
    rb_objspace_each_objects(list_modules, &modules);
    for (size_t i = 0; i < modules.count; i++)
        add_constants(all, modules.rows[i]);
    all->failed |= modules.failed;
    free(modules.rows);
    add_globals(all);
    add_locals(all);
    frames_collect(all);
    threads_collect(all);
    if (all->count > 0) qsort(all->rows, all->count, sizeof *all->rows, by_owner);
    if (all->main_count > 0) qsort(all->main, all->main_count, sizeof *all->main, by_address);
    if (all->own_count > 0) qsort(all->own, all->own_count, sizeof *all->own, by_address);
}

const named *state_of(const state *all, VALUE owner, size_t *count)
{
    size_t low = 0, high = all->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (all->rows[middle].owner < owner)
            low = middle + 1;
        else
            high = middle;
    }
    for (*count = 0; low + *count < all->count && all->rows[low + *count].owner == owner;)
        ++*count;
    return all->rows + low;
}

bool state_is_own(const state *all, VALUE object)
{
    return all->own_count > 0 && bsearch(&object, all->own, all->own_count, sizeof *all->own, by_address) != NULL;
}

bool state_is_main(const state *all, VALUE object)
{
    return all->main_count > 0 && bsearch(&object, all->main, all->main_count, sizeof *all->main, by_address) != NULL;
}

void state_release(state *all)
{
    free(all->rows);
    free(all->own);
    free(all->main);
    free(all->threads);
    free(all->locals);
    *all = (state){.count = 0};
}
