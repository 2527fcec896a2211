/*
 * Local variables of what other threads than the main one run: "local seen of run (worker.rb:4)". Ruby tells a thread's
 * frames to that thread alone, and none runs while a capture is answered; so they are read where they lie, as Ruby 3.1
 * has them. The frames of a thread stand one behind the other up to the end of its stack; where they do not end there,
 * or a frame runs what are no instructions, the thread is left without names.
 */
#include <stdio.h>
#include <string.h>

#include "ruby_agent.h"

#if RUBY_API_VERSION_MAJOR == 3 && RUBY_API_VERSION_MINOR == 1

typedef struct frame { /* rb_control_frame_t */
    const void *at;
    VALUE *top;
    VALUE code, self;
    const VALUE *variables; /* the word behind the last variable but two: flags, and below it the block */
    const void *block;
    VALUE *base;
    const void *back;
} frame;

typedef struct stack { /* the head of rb_execution_context_t */
    VALUE *words;
    size_t count;
    const frame *innermost;
} stack;

typedef struct running { /* the head of rb_thread_t */
    void *list[2];
    VALUE thread;
    void *ractor, *vm;
    const stack *stack;
} running;

enum { BODY_AT = 16, VARIABLES_AT = 152, COUNT_AT = 240, MOST_VARIABLES = 1000, MOST_FRAMES = 10000 };
enum { IS_ESCAPED = 4, BEHIND_VARIABLES = 2 };

static const char *body_of(VALUE code) { return *(const char *const *)((const char *)code + BODY_AT); }

static size_t variable_count(VALUE code)
{
    unsigned count;
    memcpy(&count, body_of(code) + COUNT_AT, sizeof count);
    return count <= MOST_VARIABLES ? count : 0;
}

static bool frames_are_whole(const stack *of)
{
    const char *first = (const char *)of->words, *end = (const char *)(of->words + of->count),
               *at = (const char *)of->innermost;
    if (at < first || at > end || (size_t)(end - at) % sizeof(frame) != 0) return false;
    if ((size_t)(end - at) / sizeof(frame) > MOST_FRAMES) return false;
    for (const frame *one = of->innermost; (const char *)one < end; one++)
        if (one->at != NULL && one->code != 0 && !code_is_instructions(one->code)) return false;
    return true;
}

/* "block in run (worker.rb:4)"; false for code of libraries. */
static bool name_frame(VALUE code, char out[NAME_BYTES])
{
    const VALUE path = rb_profile_frame_path(code), label = rb_profile_frame_label(code),
                line = rb_profile_frame_first_lineno(code);
    if (!RB_TYPE_P(path, T_STRING) || !RB_TYPE_P(label, T_STRING) || !RB_FIXNUM_P(line)) return false;
    const char *file = RSTRING_PTR(path), *slash = strrchr(file, '/');
    if (!frames_is_of_program(file)) return false;
    snprintf(out, NAME_BYTES, "%.120s (%.100s:%ld)", RSTRING_PTR(label), slash == NULL ? file : slash + 1,
             RB_FIX2LONG(line));
    return true;
}

/* Variables that a block refers to stand in an environment of their own, which `variables` leads to then. */
static void add_frame(state *all, const frame *one)
{
    char text[NAME_BYTES];
    if (one->at == NULL || one->code == 0 || !name_frame(one->code, text)) return;
    const size_t count = variable_count(one->code);
    const ID *names = *(const ID *const *)(const void *)(body_of(one->code) + VARIABLES_AT);
    const VALUE *values = one->variables - BEHIND_VARIABLES - count;
    for (size_t i = 0; names != NULL && i < count; i++) {
        const char *name = rb_id2name(names[i]);
        if (name != NULL && name[0] != '\0') frames_add_local(all, values[i], name, text);
    }
    if ((one->variables[0] & IS_ESCAPED) != 0) state_add_environment(all, one->variables[1]);
}

void stacks_collect(state *all, VALUE thread)
{
    const char *type = rb_objspace_data_type_name(thread);
    const running *one =
        type != NULL && strcmp(type, "VM/thread") == 0 ? (const running *)RTYPEDDATA_DATA(thread) : NULL;
    if (one == NULL || one->thread != thread || one->stack == NULL || one->stack->words == NULL) return;
    if (!frames_are_whole(one->stack)) return;
    const VALUE *end = one->stack->words + one->stack->count;
    size_t count = (size_t)((const char *)end - (const char *)one->stack->innermost) / sizeof(frame);
    while (count-- > 0) /* outermost first, as in frames.c */
        add_frame(all, one->stack->innermost + count);
}

#else

void stacks_collect(state *all, VALUE thread)
{
    (void)all;
    (void)thread;
}

#endif
