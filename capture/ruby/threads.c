/*
 * Threads by their names, and what they keep: Thread.current[:visits]. A thread without a name is told by the place of
 * its block, as Ruby itself does. All is asked of Ruby before the walk, unless the program made these methods anew.
 */
#include <stdio.h>
#include <string.h>

#include "ruby_agent.h"

static bool is_own_method(VALUE object, const char *method)
{
    return rb_method_basic_definition_p(rb_obj_class(object), rb_intern(method)) != 0;
}

/* "app.rb:12" out of "#<Thread:0x00007f1c /srv/app.rb:12 sleep>": false where there is none. */
static bool place_of(VALUE told, char out[THREAD_NAME_BYTES])
{
    const char *text = RSTRING_PTR(told), *end = text + RSTRING_LEN(told), *colon = end, *from;
    while (colon > text && colon[-1] != ' ')
        colon--;
    for (from = end = colon > text ? colon - 1 : text; from > text && from[-1] != ' ' && from[-1] != '/';)
        from--;
    if (from == end || memchr(from, ':', (size_t)(end - from)) == NULL || *from == '#') return false;
    snprintf(out, THREAD_NAME_BYTES, "thread (%.*s)", (int)(end - from), from);
    return true;
}

static void name_thread(state *all, VALUE thread, char out[THREAD_NAME_BYTES])
{
    snprintf(out, THREAD_NAME_BYTES, "%s", thread == rb_thread_main() ? "main thread" : "thread");
    if (thread == rb_thread_main()) return;
    const VALUE name = is_own_method(thread, "name") ? rb_funcall(thread, rb_intern("name"), 0) : Qnil;
    if (RB_TYPE_P(name, T_STRING) && RSTRING_LEN(name) > 0)
        snprintf(out, THREAD_NAME_BYTES, "thread \"%.*s\"", (int)RSTRING_LEN(name), RSTRING_PTR(name));
    else if (is_own_method(thread, "to_s"))
        (void)place_of(state_remember(all, rb_funcall(thread, rb_intern("to_s"), 0)), out);
}

/* What methods list, and get. */
static void add_variables(state *all, VALUE thread, const char *list, const char *get)
{
    if (!is_own_method(thread, list) || !is_own_method(thread, get)) return;
    const VALUE keys = state_remember(all, rb_funcall(thread, rb_intern(list), 0));
    for (long i = 0; i < RARRAY_LEN(keys); i++) {
        const VALUE key = RARRAY_AREF(keys, i);
        state_add(all, thread, rb_funcall(thread, rb_intern(get), 1, key), SYM2ID(key));
    }
}

static void add_thread(state *all, VALUE thread)
{
    thread_name *rows = state_wider(all->threads, all->thread_count, &all->thread_room, sizeof *rows, &all->failed);
    if (rows == NULL) return;
    all->threads = rows;
    rows[all->thread_count].thread = thread;
    name_thread(all, thread, rows[all->thread_count++].text);
    if (thread != rb_thread_main()) stacks_collect(all, thread);
    add_variables(all, thread, "keys", "[]");
    add_variables(all, thread, "thread_variables", "thread_variable_get");
}

void threads_collect(state *all)
{
    const ID list = rb_intern("list");
    if (!rb_method_basic_definition_p(rb_singleton_class(rb_cThread), list)) return;
    const VALUE threads = state_remember(all, rb_funcall(rb_cThread, list, 0));
    for (long i = 0; i < RARRAY_LEN(threads); i++)
        add_thread(all, RARRAY_AREF(threads, i));
}

const char *threads_name(const state *all, VALUE thread)
{
    for (size_t i = 0; i < all->thread_count; i++)
        if (all->threads[i].thread == thread) return all->threads[i].text;
    return "thread";
}

const char *threads_place(const state *all, VALUE thread)
{
    static const char begin[] = "thread (";
    const char *name = threads_name(all, thread);
    return strncmp(name, begin, sizeof begin - 1) == 0 ? name + sizeof begin - 2 : "";
}
