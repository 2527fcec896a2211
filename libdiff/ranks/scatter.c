/* Records on their way to other ranks: gathered for each, exchanged in rounds. */
#include "ranks/scatter.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"

/* What a rank has for all others at once, and at most what comes in one round. */
#define GATHERED_BYTES (UINT64_C(1) << 20)
#define LEAST_ROOM     UINT64_C(64)

enum { SIZE, IS_DONE, STATUS, WORDS };
_Static_assert(WORDS <= HSD_TOGETHER_WORDS, "there is room for them");

hsd_status hsd_scatter_open(hsd_scatter *s, hsd_together *together, unsigned words, hsd_scatter_fn take, void *context,
                            hsd_error *err)
{
    const uint64_t count = together->ranks->count;
    *s = (hsd_scatter){.together = together, .words = words, .take = take, .context = context};
    s->room = hsd_max_u64(GATHERED_BYTES / (count * words * sizeof(uint64_t)), LEAST_ROOM);
    s->out = malloc(s->room * count * words * sizeof *s->out);
    s->used = calloc(count, sizeof *s->used);
    s->in = malloc(s->room * count * words * sizeof *s->in);
    return s->out == NULL || s->used == NULL || s->in == NULL ? hsd_fail_nomem(err, "records of other ranks") : HSD_OK;
}

static void release(hsd_scatter *s)
{
    free(s->out);
    free(s->used);
    free(s->in);
    *s = (hsd_scatter){0};
}

/* What is there for each rank, one behind the other. */
static void pack(hsd_scatter *s)
{
    uint64_t at = 0;
    for (unsigned i = 0; i < s->together->ranks->count; i++) {
        const uint64_t words = s->used[i] * s->words;
        memmove(s->out + at, s->out + s->room * s->words * i, words * sizeof *s->out);
        at += words;
    }
}

static void take_all(hsd_scatter *s)
{
    const hsd_ranks *ranks = s->together->ranks;
    const uint64_t *at = s->in;
    for (unsigned i = 0; i < ranks->count; i++) {
        const uint64_t records = s->together->sizes[ranks->count + i] / sizeof *at / s->words;
        for (uint64_t r = 0; r < records && s->taken == HSD_OK; r++, at += s->words)
            s->taken = s->take(s->context, i, at, &s->error);
    }
}

/* Who has how much, who is done, who failed: all learn the same of it. */
static hsd_status tell_sizes(hsd_scatter *s, bool is_done, hsd_status status, hsd_error *err)
{
    hsd_together *t = s->together;
    const hsd_ranks *ranks = t->ranks;
    for (unsigned i = 0; i < ranks->count; i++) {
        uint64_t *words = t->out + (size_t)i * WORDS;
        words[SIZE] = s->together->sizes[i] = s->used != NULL ? s->used[i] * s->words * sizeof(uint64_t) : 0;
        words[IS_DONE] = is_done;
        words[STATUS] = (uint64_t)(int64_t)status;
    }
    HSD_TRY(ranks->all_to_all(ranks->context, t->out, t->in, WORDS, err));
    s->is_over = true;
    for (unsigned i = 0; i < ranks->count; i++) {
        const uint64_t *words = t->in + (size_t)i * WORDS;
        s->is_over = s->is_over && words[IS_DONE] != 0;
        s->is_broken = s->is_broken || words[STATUS] != 0;
        s->together->sizes[ranks->count + i] = words[SIZE];
    }
    return HSD_OK;
}

static void count(hsd_scatter *s)
{
    hsd_together *t = s->together;
    t->stats.rounds++;
    for (unsigned i = 0; i < t->ranks->count; i++)
        if (i != t->ranks->rank) t->stats.sent_bytes += s->together->sizes[i];
}

static hsd_status run_round(hsd_scatter *s, bool is_done, hsd_status status, hsd_error *err)
{
    const hsd_ranks *ranks = s->together->ranks;
    const hsd_status own = status != HSD_OK ? status : s->taken;
    HSD_TRY(tell_sizes(s, is_done, own, err));
    if (s->is_broken) return HSD_OK;
    pack(s);
    count(s);
    HSD_TRY(ranks->all_to_all_bytes(ranks->context, s->out, s->together->sizes, s->in,
                                    s->together->sizes + ranks->count, err));
    memset(s->used, 0, ranks->count * sizeof *s->used);
    take_all(s);
    return HSD_OK;
}

hsd_status hsd_scatter_put(hsd_scatter *s, unsigned to, const uint64_t *record, hsd_error *err)
{
    if (to == s->together->ranks->rank) return s->take(s->context, to, record, err); /* it need not travel */
    if (s->used[to] == s->room) HSD_TRY(run_round(s, false, HSD_OK, err));
    if (s->is_broken) return hsd_fail(err, HSD_E_CANCELLED, "another rank failed");
    memcpy(s->out + (s->room * to + s->used[to]) * s->words, record, s->words * sizeof *record);
    s->used[to]++;
    return HSD_OK;
}

hsd_status hsd_scatter_finish(hsd_scatter *s, hsd_status status, hsd_error *err)
{
    hsd_together *t = s->together;
    hsd_status talk = HSD_OK;
    if (s->is_broken && status == HSD_E_CANCELLED) status = HSD_OK; /* that of the others */
    while (!s->is_over && !s->is_broken && talk == HSD_OK)
        talk = run_round(s, true, status, err);
    if (s->taken != HSD_OK && status == HSD_OK) {
        status = s->taken;
        if (err != NULL) *err = s->error;
    }
    release(s);
    return talk == HSD_OK ? hsd_together_agree(t, status, err) : talk;
}
