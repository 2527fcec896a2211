/*
 * What the runtime keeps to run later, by the places in the program that it comes from: goroutines by the function that
 * they were started with and where, timers by the function that they call.
 *
 *      runtime.allp ──► each P ──► its heap of timers ──► runtime.timer: f, arg ──► closure ──► code
 *
 * The timers of time.AfterFunc all have one f, which calls the closure in arg.
 */
#include "go/types/typing.h"

#include <stdio.h>
#include <string.h>

#include "base/check.h"

enum { MOST_PROCESSORS = 1 << 16 };

/* ---- goroutines ---- */

bool hsd_gotask_is_runtime(const char *name)
{
    static const char *const pools[] = {"sync.allPools", "sync.oldPools"};
    for (size_t i = 0; i < HSD_ARRAY_LEN(pools); i++)
        if (strcmp(name, pools[i]) == 0) return true;
    return strncmp(name, "runtime.", 8) == 0;
}

static bool is_of_runtime(const char *function)
{
    return strncmp(function, "runtime.", 8) == 0 && strcmp(function, "runtime.main") != 0;
}

/* The function that the program names behind `go`; "" where it is not known. */
static const char *started(const gotyping *t, const gostart *start)
{
    const hsd_go_function *wrapper =
        start->wrapper_at <= t->bias ? NULL : hsd_go_types_code_at(&t->types, start->wrapper_at - t->bias);
    if (wrapper != NULL && wrapper->calls != 0) return hsd_go_types_text(&t->types, wrapper->calls);
    const bool is_hidden =
        hsd_go_is_wrapper(start->function) || (start->wrapper[0] != '\0' && is_of_runtime(start->function));
    return is_hidden && !is_of_runtime(start->wrapper) ? "" : start->function;
}

/* The one that says `go`: by the place of that, or by what its wrapper is called. */
static int name_creator(const gotyping *t, const gostart *start, char *out, size_t size)
{
    const char *creator =
        start->created_at <= t->bias ? NULL : hsd_go_types_function_at(&t->types, start->created_at - 1 - t->bias);
    if (creator != NULL) return snprintf(out, size, "%s", creator);
    const char *end = strstr(start->wrapper, ".gowrap"), *old_end = strstr(start->wrapper, "·dwrap·");
    if (end == NULL) end = old_end;
    return snprintf(out, size, "%.*s", end == NULL ? 0 : (int)(end - start->wrapper), start->wrapper);
}

/* "main.(*pool[go.shape.*uint8]).submit" reads main.(*pool[...]).submit, as Go itself prints it. Returns the bytes. */
static size_t leave_out_shapes(char *text, size_t size)
{
    static const char shape[] = "[go.shape.";
    for (char *at = text; (at = strstr(at, shape)) != NULL; at += 5) {
        size_t end = (size_t)(at - text), depth = 0;
        do {
            depth += text[end] == '[';
            depth -= text[end] == ']';
        } while (++end < size && depth > 0);
        memcpy(at, "[...]", 5);
        memmove(at + 5, text + end, size - end + 1);
        size -= end - (size_t)(at - text) - 5;
    }
    return size;
}

size_t hsd_gotask_goroutine(const gotyping *t, const gostart *start, bool *is_runtime, char *out, size_t size)
{
    char creator[256];
    const char *file, *function = started(t, start);
    uint32_t line;
    int used;
    name_creator(t, start, creator, sizeof creator);
    *is_runtime = is_of_runtime(function);
    const bool has_line =
        start->created_at > t->bias && hsd_go_lines_find(&t->lines, start->created_at - 1 - t->bias, &file, &line);
    if (strcmp(function, "runtime.main") == 0)
        used = snprintf(out, size, "main goroutine");
    else if (*is_runtime)
        used = snprintf(out, size, "goroutines in %s", function);
    else if (function[0] == '\0' && creator[0] == '\0')
        used = snprintf(out, size, "goroutines in (unknown)");
    else if (function[0] == '\0' && has_line)
        used = snprintf(out, size, "goroutines started by %s (%s:%u)", creator, file, line);
    else if (function[0] == '\0')
        used = snprintf(out, size, "goroutines started by %s", creator);
    else if (has_line)
        used = snprintf(out, size, "goroutines in %s (started at %s:%u)", function, file, line);
    else
        used = snprintf(out, size, "goroutines in %s", function);
    return used < 0 ? 0 : leave_out_shapes(out, hsd_min_u64((size_t)used, size - 1));
}

/* ---- timers ---- */

typedef struct timer_layout {
    uint64_t heap, stride, pointer; /* the slice in a P, its elements, the pointer in one */
    uint64_t function, argument;    /* in a timer */
} timer_layout;

static bool find_layout(const gotyping *t, timer_layout *layout)
{
    uint64_t array;
    uint32_t slice, pointer;
    const hsd_go_types *types = &t->types;
    const uint32_t processor = hsd_go_types_named(types, "runtime.p"),
                   timer = hsd_go_types_named(types, "runtime.timer");
    *layout = (timer_layout){0};
    if (processor == 0 || timer == 0) return false;
    if (!hsd_go_types_member(types, processor, "timers.heap", &layout->heap, &slice) &&
        !hsd_go_types_member(types, processor, "timers", &layout->heap, &slice))
        return false;
    if (!hsd_go_types_member(types, slice, "array", &array, &pointer)) return false;
    const uint32_t element = hsd_go_types_resolve(types, (uint32_t)hsd_go_types_get(types, pointer)->target);
    layout->stride = hsd_go_types_size(types, element);
    if (hsd_go_types_get(types, element)->kind == HSD_GO_IS_STRUCT &&
        !hsd_go_types_member(types, element, "timer", &layout->pointer, &pointer))
        return false;
    return layout->stride >= 8 && hsd_go_types_member(types, timer, "f", &layout->function, &pointer) &&
           hsd_go_types_member(types, timer, "arg", &layout->argument, &pointer);
}

/* The function that a closure runs. */
static hsd_status name_closure(gotyping *t, uint64_t closure, const char **name, hsd_error *err)
{
    uint64_t code = 0;
    *name = NULL;
    if (closure != 0) HSD_TRY(hsd_gomemory_word(&t->memory, closure, &code, err));
    if (code >= t->bias) *name = hsd_go_types_function_at(&t->types, code - t->bias);
    return HSD_OK;
}

static hsd_status tell_timer(gotyping *t, const timer_layout *layout, uint64_t timer, gotimer_fn tell, void *context,
                             hsd_error *err)
{
    uint64_t function, argument;
    const char *name, *called = NULL;
    HSD_TRY(hsd_gomemory_word(&t->memory, timer + layout->function, &function, err));
    HSD_TRY(hsd_gomemory_word(&t->memory, timer + layout->argument + 8, &argument, err));
    HSD_TRY(name_closure(t, function, &name, err));
    if (name != NULL && strcmp(name, "time.goFunc") == 0) HSD_TRY(name_closure(t, argument, &called, err));
    return tell(context, timer, called != NULL ? called : name != NULL ? name : "(unknown)", err);
}

static hsd_status tell_processor(gotyping *t, const timer_layout *layout, uint64_t processor, uint64_t *left,
                                 gotimer_fn tell, void *context, hsd_error *err)
{
    uint64_t heap, count, timer;
    HSD_TRY(hsd_gomemory_word(&t->memory, processor + layout->heap, &heap, err));
    HSD_TRY(hsd_gomemory_word(&t->memory, processor + layout->heap + 8, &count, err));
    for (uint64_t i = 0; heap != 0 && i<count && * left> 0; i++, --*left) {
        HSD_TRY(hsd_gomemory_word(&t->memory, heap + i * layout->stride + layout->pointer, &timer, err));
        if (timer != 0) HSD_TRY(tell_timer(t, layout, timer, tell, context, err));
    }
    return HSD_OK;
}

hsd_status hsd_gotask_timers(gotyping *t, gotimer_fn tell, void *context, hsd_error *err)
{
    timer_layout layout;
    uint64_t list, count, processor, left = t->slots.slot_count;
    const hsd_go_global *all = hsd_go_types_global_named(&t->types, "runtime.allp");
    if (all == NULL || !find_layout(t, &layout)) return HSD_OK;
    HSD_TRY(hsd_gomemory_word(&t->memory, all->address + t->bias, &list, err));
    HSD_TRY(hsd_gomemory_word(&t->memory, all->address + t->bias + 8, &count, err));
    for (uint64_t i = 0; list != 0 && i < count && i < MOST_PROCESSORS; i++) {
        HSD_TRY(hsd_gomemory_word(&t->memory, list + 8 * i, &processor, err));
        if (processor != 0) HSD_TRY(tell_processor(t, &layout, processor, &left, tell, context, err));
    }
    return HSD_OK;
}

/* A timer lies at the end of what was allocated for it, by its version; an offer of another one is none. */
static hsd_status offer_timer(void *context, uint64_t timer, const char *function, hsd_error *err)
{
    static const struct {
        const char *type, *member;
    } around[] = {{"runtime.timeTimer", "timer"}, {"time.Timer", "r"}};
    gotyping *t = context;
    uint64_t offset;
    uint32_t member;
    (void)function;
    for (size_t i = 0; i < HSD_ARRAY_LEN(around); i++) {
        const uint32_t type = hsd_go_types_named(&t->types, around[i].type);
        if (type != 0 && hsd_go_types_member(&t->types, type, around[i].member, &offset, &member))
            HSD_TRY(hsd_gotyping_offer(t, timer - offset, type, false, err));
    }
    return HSD_OK;
}

hsd_status hsd_gotask_offer_timers(gotyping *t, hsd_error *err) { return hsd_gotask_timers(t, offer_timer, t, err); }

/* What the elements of a heap of timers are: pointers to timers, or structures with one. */
uint32_t hsd_gotask_timer_element(const gotyping *t)
{
    uint64_t offset;
    uint32_t slice, pointer;
    const uint32_t processor = hsd_go_types_named(&t->types, "runtime.p");
    if (processor == 0 || (!hsd_go_types_member(&t->types, processor, "timers.heap", &offset, &slice) &&
                           !hsd_go_types_member(&t->types, processor, "timers", &offset, &slice)))
        return 0;
    if (!hsd_go_types_member(&t->types, slice, "array", &offset, &pointer)) return 0;
    return hsd_go_types_resolve(&t->types, (uint32_t)hsd_go_types_get(&t->types, pointer)->target);
}
