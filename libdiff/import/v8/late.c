/*
 * Which embedder objects are detached, and where they go. A page has some hundred thousand of them, a
 * server a hundred, so references between them are kept in memory, within the budget.
 */
#include "import/v8/late.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/check.h"
#include "base/fail.h"
#include "base/search.h"

hsd_status hsd_v8_late_open(hsd_v8_late *late, const hsd_v8_marks *marks, hsd_temp_space *space, uint64_t memory_bytes,
                            hsd_error *err)
{
    const uint64_t words = marks->count / 64 + 1;
    *late = (hsd_v8_late){.is_used = true,
                          .pair_limit = (size_t)hsd_min_u64(memory_bytes / 2 / sizeof(hsd_v8_pair), UINT32_MAX)};
    hsd_v8_spool_init(&late->nodes, space, memory_bytes / 8);
    hsd_v8_spool_init(&late->edges, space, memory_bytes / 4);
    late->natives = calloc((size_t)words, sizeof *late->natives);
    late->before = calloc((size_t)words, sizeof *late->before);
    if (late->natives == NULL || late->before == NULL) return hsd_fail_nomem(err, "objects of the embedder");
    uint32_t count = 0;
    for (uint64_t node = 0; node < marks->count; node++) {
        if ((node & 63) == 0) late->before[node >> 6] = count;
        if (!hsd_v8_mark_is_native(hsd_v8_marks_get(marks, node))) continue;
        late->natives[node >> 6] |= UINT64_C(1) << (node & 63);
        count++;
    }
    late->first = (uint32_t)marks->count - count;
    return HSD_OK;
}

hsd_status hsd_v8_late_pair(hsd_v8_late *late, uint32_t from, uint32_t to, hsd_error *err)
{
    if (late->pair_count == late->pair_limit) {
        hsd_fail(err, HSD_E_OVER_BUDGET, "the memory given is too small for %zu references between objects of the page",
                 late->pair_count);
        /* A sixteenth of the budget goes here. */
        hsd_error_set_hint(err, "--memory %lluM is enough for twice as many",
                           (unsigned long long)(late->pair_count * 2 * sizeof(hsd_v8_pair) * 16 >> 20) + 16);
        return HSD_E_OVER_BUDGET;
    }
    HSD_TRY(HSD_ARRAY_GROW(late->pairs, late->pair_capacity, late->pair_count + 1, 1024, "objects of the embedder",
                           err));
    late->pairs[late->pair_count++] = (hsd_v8_pair){from, to};
    return HSD_OK;
}

/* ---- spreading ---- */

static hsd_status put_todo(hsd_v8_late *late, uint32_t node, hsd_error *err)
{
    HSD_TRY(HSD_ARRAY_GROW(late->todo, late->todo_capacity, late->todo_count + 1, 1024, "objects of the embedder",
                           err));
    late->todo[late->todo_count++] = node;
    return HSD_OK;
}

static size_t first_pair(const hsd_v8_late *late, uint32_t from)
{
    size_t low;
    HSD_LOWER_BOUND(low, 0, late->pair_count, late->pairs[low].from, from);
    return low;
}

static hsd_status spread(hsd_v8_late *late, hsd_v8_marks *marks, hsd_v8_mark mark, hsd_error *err)
{
    for (size_t i = 0; i < late->pair_count; i++) {
        const uint32_t from = late->pairs[i].from;
        const bool is_new = i == 0 || late->pairs[i - 1].from != from;
        if (is_new && hsd_v8_marks_get(marks, from) == mark) HSD_TRY(put_todo(late, from, err));
    }
    while (late->todo_count > 0) {
        const uint32_t node = late->todo[--late->todo_count];
        for (size_t i = first_pair(late, node); i < late->pair_count && late->pairs[i].from == node; i++) {
            const uint32_t to = late->pairs[i].to;
            if (hsd_v8_marks_get(marks, to) != HSD_V8_MARK_NATIVE) continue;
            hsd_v8_marks_set(marks, to, mark);
            HSD_TRY(put_todo(late, to, err));
        }
    }
    return HSD_OK;
}

hsd_status hsd_v8_late_spread(hsd_v8_late *late, hsd_v8_marks *marks, hsd_error *err)
{
    HSD_TRY(spread(late, marks, HSD_V8_MARK_ATTACHED, err));
    return spread(late, marks, HSD_V8_MARK_DETACHED, err);
}

void hsd_v8_late_release(hsd_v8_late *late)
{
    free(late->natives);
    free(late->before);
    free(late->pairs);
    free(late->todo);
    hsd_v8_spool_release(&late->nodes);
    hsd_v8_spool_release(&late->edges);
    *late = (hsd_v8_late){0};
}
