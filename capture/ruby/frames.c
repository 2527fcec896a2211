/*
 * Local variables of the methods that run on the main thread, where a capture is answered: "local orders of run
 * (app.rb:2)". They are read by bindings, which move a frame's variables from the stack into an environment; debuggers
 * do the same, and the program sees no difference. Frames of libraries and of Ruby itself are left out, and the main
 * script's own (state.c).
 *
 * Frames come outermost first: a block sees the variables of the method around it, and they are told of that.
 */
#include <stdio.h>
#include <string.h>

#include "ruby_agent.h"

enum { MOST_FRAMES = 256, MOST_LOCALS = 4096 };

bool frames_is_of_program(const char *path)
{
    const char *name = strrchr(path, '/');
    return path[0] != '<' && strstr(path, "/gems/") == NULL && strstr(path, "/lib/ruby/") == NULL &&
           strcmp(name == NULL ? path : name + 1, "hsdiff.rb") != 0;
}

static bool has_local(const state *all, VALUE value)
{
    for (size_t i = 0; i < all->local_count; i++)
        if (all->locals[i].value == value) return true;
    return false;
}

void frames_add_local(state *all, VALUE value, const char *name, const char *frame)
{
    if (RB_SPECIAL_CONST_P(value) || RB_BUILTIN_TYPE(value) == T_CLASS || RB_BUILTIN_TYPE(value) == T_MODULE) return;
    if (all->local_count == MOST_LOCALS || has_local(all, value)) return;
    local *rows = state_wider(all->locals, all->local_count, &all->local_room, sizeof *rows, &all->failed);
    if (rows == NULL) return;
    all->locals = rows;
    rows[all->local_count].value = value;
    snprintf(rows[all->local_count++].text, NAME_BYTES, "local %s of %s", name, frame);
}

static VALUE ask_ruby(state *all, VALUE object, const char *method)
{
    return state_remember(all, rb_funcall(object, rb_intern(method), 0));
}

static void add_locals_of(state *all, VALUE binding, const char *frame)
{
    const VALUE list = ask_ruby(all, binding, "local_variables");
    for (long i = 0; i < RARRAY_LEN(list); i++) {
        const VALUE key = RARRAY_AREF(list, i);
        const char *name = rb_id2name(SYM2ID(key));
        if (name == NULL || name[0] == '\0') continue;
        frames_add_local(all, rb_funcall(binding, rb_intern("local_variable_get"), 1, key), name, frame);
    }
}

/* "run (app.rb:2)", where it begins; "block in run (app.rb:4)". */
static void add_frame(state *all, const rb_debug_inspector_t *inspector, VALUE place, long i)
{
    char frame[256];
    const VALUE binding = rb_debug_inspector_frame_binding_get(inspector, i),
                code = rb_debug_inspector_frame_iseq_get(inspector, i);
    if (NIL_P(binding) || NIL_P(code)) return; /* of C */
    state_remember(all, binding);
    state_remember(all, code);
    const VALUE path = ask_ruby(all, place, "path"), label = ask_ruby(all, place, "label"),
                line = ask_ruby(all, code, "first_lineno");
    if (!RB_TYPE_P(path, T_STRING) || !RB_TYPE_P(label, T_STRING) || !RB_FIXNUM_P(line)) return;
    const char *file = RSTRING_PTR(path), *name = strrchr(file, '/');
    if (!frames_is_of_program(file) || strstr(RSTRING_PTR(label), "<main>") != NULL) return;
    snprintf(frame, sizeof frame, "%s (%s:%ld)", RSTRING_PTR(label), name == NULL ? file : name + 1, FIX2LONG(line));
    add_locals_of(all, binding, frame);
    state_add_environments(all, binding);
}

static VALUE look_at_frames(const rb_debug_inspector_t *inspector, void *data)
{
    state *all = data;
    const VALUE places = rb_debug_inspector_backtrace_locations(inspector);
    state_remember(all, places);
    const long count = RARRAY_LEN(places);
    for (long i = count; i-- > 0;) {
        const VALUE place = RARRAY_AREF(places, i);
        state_remember(all, place);
        if (count - i <= MOST_FRAMES) add_frame(all, inspector, place, i);
    }
    return Qnil;
}

void frames_collect(state *all)
{
    const VALUE type = rb_const_get(rb_cObject, rb_intern("Binding"));
    if (rb_method_basic_definition_p(type, rb_intern("local_variables")) &&
        rb_method_basic_definition_p(type, rb_intern("local_variable_get")))
        rb_debug_inspector_open(look_at_frames, all);
}

const char *frames_local(const state *all, VALUE value)
{
    for (size_t i = 0; i < all->local_count; i++)
        if (all->locals[i].value == value) return all->locals[i].text;
    return NULL;
}
