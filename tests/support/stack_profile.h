/*
 * Stacks with sums that a test plans, writes in the form of some profiler, and finds again in the capture: a naive
 * oracle, which compares texts. Frames are numbers; frame 7 is "call_7(int)" at "part7.c:8".
 */
#ifndef HSD_SUPPORT_STACK_PROFILE_H
#define HSD_SUPPORT_STACK_PROFILE_H

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "support/import_bytes.h"
#include "support/random.h"

enum { STACK_DEPTH = 12, STACKS_MOST = 200 };

typedef struct planned_stack {
    unsigned frames[STACK_DEPTH]; /* innermost first */
    unsigned depth;
    uint64_t objects, bytes;
} planned_stack;

typedef struct planned_stacks {
    planned_stack rows[STACKS_MOST];
    size_t count;
} planned_stacks;

static inline hsd_status import_text(const char *text, size_t size, const hsd_import_options *options,
                                     hsd_import_result *result, capture_view *view, hsd_error *err)
{
    const hsd_run run = {.memory_bytes = 4 << 20};
    return import_bytes(text, size, "file", options, &run, result, view, err);
}

static inline void open_text(const char *text, const hsd_import_options *options, hsd_import_result *result,
                             capture_view *view)
{
    hsd_error err;
    cr_assert(import_text(text, strlen(text), options, result, view, &err) == HSD_OK, "%s", err.text);
}

static inline void expect_total(const capture_view *view, const char *type, uint64_t objects, uint64_t bytes)
{
    uint64_t got_objects = 0, got_bytes = 0;
    view_total(view, type, &got_objects, &got_bytes);
    cr_assert(got_objects == objects && got_bytes == bytes, "%s: %" PRIu64 " of %" PRIu64 " bytes", type, got_objects,
              got_bytes);
}

/* Fails with this status, and says this. */
static inline void expect_refusal(const char *text, size_t size, const hsd_import_options *options, hsd_status wanted,
                                  const char *word)
{
    hsd_error err;
    hsd_import_result result;
    const hsd_status got = import_text(text, size, options, &result, NULL, &err);
    cr_assert(got == wanted && strstr(err.text, word) != NULL, "%d, not %d with '%s': %s", got, wanted, word, err.text);
}

/* Each byte changed: something is said, or something is imported. */
static inline void survive_changes(const char *text, const hsd_import_options *options)
{
    char *changed = strdup(text);
    const size_t size = strlen(text);
    for (size_t i = 0; i < size; i++) {
        for (unsigned change = 1; change < 256; change += 101) {
            hsd_import_result result;
            hsd_error err;
            changed[i] = (char)((unsigned char)text[i] ^ change);
            const hsd_status status = import_text(changed, size, options, &result, NULL, &err);
            cr_assert(status == HSD_OK || err.text[0] != '\0');
        }
        changed[i] = text[i];
    }
    free(changed);
}

/* "call_7(int) part7.c:8\n…", outermost last. */
static inline void text_of_plan(const planned_stack *stack, char *out, size_t room)
{
    size_t used = 0;
    out[0] = '\0';
    for (unsigned i = 0; i < stack->depth && used < room; i++)
        used += (size_t)snprintf(out + used, room - used, "call_%u(int) part%u.c:%u\n", stack->frames[i],
                                 stack->frames[i], stack->frames[i] + 1);
}

static inline void text_of_site(const capture_view *view, uint32_t site, char *out, size_t room)
{
    size_t used = 0;
    out[0] = '\0';
    for (; site != 0 && used < room; site = view->sites[site].parent)
        used += (size_t)snprintf(out + used, room - used, "%s %s:%" PRIu32 "\n",
                                 view_string(view, view->sites[site].function),
                                 view_string(view, view->sites[site].file), view->sites[site].line);
}

static inline bool is_same_stack(const planned_stack *a, const planned_stack *b)
{
    return a->depth == b->depth && memcmp(a->frames, b->frames, a->depth * sizeof a->frames[0]) == 0;
}

/* Different stacks, some of which begin alike. All begin in frame 99. */
static inline void plan_stacks(planned_stacks *plan, test_random *random, size_t count)
{
    plan->count = 0;
    while (plan->count < count) {
        planned_stack row = {.depth = 1 + (unsigned)test_below(random, STACK_DEPTH - 1)};
        for (unsigned i = 0; i < row.depth; i++)
            row.frames[i] = (unsigned)test_below(random, 5) + 5 * i;
        row.frames[row.depth++] = 99; /* main */
        row.objects = 1 + test_below(random, 1000);
        row.bytes = row.objects * (1 + test_below(random, 5000));
        size_t same = 0;
        for (size_t i = 0; i < plan->count; i++)
            same += is_same_stack(&plan->rows[i], &row);
        if (same == 0) plan->rows[plan->count++] = row;
    }
}

/* Each planned stack stands there once with its sums, and nothing else does. */
static inline void expect_plan(const capture_view *view, const planned_stacks *plan, bool has_objects)
{
    char wanted[2048], got[2048];
    cr_assert(view->site_total_count == plan->count, "%zu stacks, not %zu", view->site_total_count, plan->count);
    for (size_t i = 0; i < plan->count; i++) {
        const planned_stack *row = &plan->rows[i];
        size_t found = 0;
        text_of_plan(row, wanted, sizeof wanted);
        for (size_t j = 0; j < view->site_total_count; j++) {
            const hsd_site_total *total = &view->site_totals[j];
            text_of_site(view, total->site, got, sizeof got);
            if (strcmp(wanted, got) != 0) continue;
            found++;
            cr_assert(total->bytes == row->bytes && total->objects == (has_objects ? row->objects : 1),
                      "%" PRIu64 " of %" PRIu64 " bytes, not %" PRIu64 " of %" PRIu64 ":\n%s", total->objects,
                      total->bytes, row->objects, row->bytes, wanted);
        }
        cr_assert(found == 1, "%zu times:\n%s", found, wanted);
    }
}

#endif
