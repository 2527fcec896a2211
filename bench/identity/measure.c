/*
 * How well the objects of two dumps were recognised, held against their true ids:
 *
 *      hsd_measure BEFORE.hs BEFORE.ids AFTER.hs AFTER.ids [EXACT-BEFORE.hs EXACT-AFTER.hs]
 *
 * BEFORE.hs and AFTER.hs are imported from dumps that hsd_blind went over, the .ids are what it took out. Runs the
 * diff, hears of every pair, and prints JSON: pairs by rung with those that are right and wrong; objects new, freed and
 * kept, claimed and true; and the same for each type. "own" counts objects that have the id, "ext" those too that
 * follow from one (truth.h). With two more names the same heaps are written there with true ids.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exact.h"
#include "heap.h"
#include "truth.h"
#include <hsdiff/diff.h>

typedef struct verdicts {
    uint64_t right, wrong, unjudged;
} verdicts;

typedef struct tally { /* of one set of objects: own or ext */
    verdicts rungs[HSD_MATCH_RUNG_COUNT];
    uint64_t shared; /* objects that are in both, by the truth */
    uint64_t new_said, new_true, new_right;
    uint64_t freed_said, freed_true, freed_right;
    uint64_t kept_said, kept_right; /* of before; kept_true is shared */
} tally;

typedef struct type_tally {
    const char *name;
    uint64_t shared, right, wrong;
} type_tally;

typedef struct measuring {
    heap heaps[2];
    truth truths[2];
    uint32_t *partners[2]; /* as the diff says; HEAP_NONE */
    uint8_t *rungs;        /* of before */
    type_tally *types;     /* by type of before */
    hsd_diff *diff;
} measuring;

#define NAME_OF(rung, name, words, strength) [HSD_MATCH_##rung] = name,
static const char *const rung_names[HSD_MATCH_RUNG_COUNT] = {HSD_MATCH_RUNGS(NAME_OF)};

/* ---- the diff ---- */

static hsd_status take_pair(void *context, uint64_t id_before, uint64_t id_after, hsd_match_rung rung, hsd_error *err)
{
    measuring *m = context;
    const uint32_t before = heap_find(&m->heaps[0], id_before), after = heap_find(&m->heaps[1], id_after);
    if (before == HEAP_NONE || after == HEAP_NONE || m->partners[0][before] != HEAP_NONE ||
        m->partners[1][after] != HEAP_NONE)
        return hsd_fail(err, HSD_E_MISUSE, "object 0x%" PRIx64 " or its partner is not there, or has another",
                        id_before);
    m->partners[0][before] = after;
    m->partners[1][after] = before;
    m->rungs[before] = (uint8_t)rung;
    return HSD_OK;
}

static void run_diff(measuring *m)
{
    hsd_error err;
    hsd_error_init(&err);
    for (unsigned side = 0; side < 2; side++) {
        m->partners[side] = heap_new(m->heaps[side].count, sizeof **m->partners);
        memset(m->partners[side], 0xFF, m->heaps[side].count * sizeof **m->partners);
    }
    m->rungs = heap_new(m->heaps[0].count, 1);
    const hsd_diff_options options = {.no_holders = true, .matched = take_pair, .matched_context = m};
    const hsd_run run = {0};
    heap_check(hsd_diff_run(&m->diff, m->heaps[0].capture, m->heaps[1].capture, &options, &run, &err), &err);
}

/* ---- judging ---- */

static bool is_judged(const measuring *m, unsigned side, uint32_t object, truth_kind least)
{
    return m->truths[side].kinds[object] >= least;
}

static void judge_pair(const measuring *m, uint32_t before, truth_kind least, tally *t)
{
    const uint32_t after = m->partners[0][before];
    verdicts *v = &t->rungs[m->rungs[before]];
    if (!is_judged(m, 0, before, least) || !is_judged(m, 1, after, least))
        v->unjudged++;
    else if (m->truths[0].ids[before] == m->truths[1].ids[after])
        v->right++;
    else
        v->wrong++;
}

static void judge_before(const measuring *m, uint32_t object, tally *t)
{
    const bool is_kept = m->truths[0].others[object] != HEAP_NONE, is_said = m->partners[0][object] != HEAP_NONE;
    t->shared += is_kept;
    t->kept_said += is_said;
    t->kept_right += is_kept && is_said;
    t->freed_true += !is_kept;
    t->freed_said += !is_said;
    t->freed_right += !is_kept && !is_said;
}

static void judge_after(const measuring *m, uint32_t object, tally *t)
{
    const bool is_new = m->truths[1].others[object] == HEAP_NONE, is_said = m->partners[1][object] == HEAP_NONE;
    t->new_true += is_new;
    t->new_said += is_said;
    t->new_right += is_new && is_said;
}

static tally judge(const measuring *m, truth_kind least)
{
    tally t = {0};
    for (uint32_t i = 0; i < m->heaps[0].count; i++) {
        if (m->partners[0][i] != HEAP_NONE) judge_pair(m, i, least, &t);
        if (is_judged(m, 0, i, least)) judge_before(m, i, &t);
    }
    for (uint32_t i = 0; i < m->heaps[1].count; i++)
        if (is_judged(m, 1, i, least)) judge_after(m, i, &t);
    return t;
}

static void judge_types(measuring *m)
{
    const heap *before = &m->heaps[0];
    m->types = heap_new(before->type_count, sizeof *m->types);
    for (uint32_t i = 0; i < before->count; i++) {
        type_tally *type = &m->types[before->objects[i].type];
        const uint32_t partner = m->partners[0][i], other = m->truths[0].others[i];
        type->name = before->types[before->objects[i].type].name;
        if (!is_judged(m, 0, i, TRUTH_OWNED)) continue;
        type->shared += other != HEAP_NONE;
        if (partner == HEAP_NONE || !is_judged(m, 1, partner, TRUTH_OWNED)) continue;
        type->right += partner == other;
        type->wrong += partner != other;
    }
}

/* ---- printing ---- */

static void print_tally(const char *name, const tally *t)
{
    printf("\"%s\": {\"shared\": %" PRIu64 ", \"rungs\": {", name, t->shared);
    for (unsigned r = 0; r < HSD_MATCH_RUNG_COUNT; r++)
        printf("%s\"%s\": {\"right\": %" PRIu64 ", \"wrong\": %" PRIu64 ", \"unjudged\": %" PRIu64 "}",
               r == 0 ? "" : ", ", rung_names[r], t->rungs[r].right, t->rungs[r].wrong, t->rungs[r].unjudged);
    printf("},\n \"new\": {\"said\": %" PRIu64 ", \"true\": %" PRIu64 ", \"right\": %" PRIu64 "}", t->new_said,
           t->new_true, t->new_right);
    printf(", \"freed\": {\"said\": %" PRIu64 ", \"true\": %" PRIu64 ", \"right\": %" PRIu64 "}", t->freed_said,
           t->freed_true, t->freed_right);
    printf(", \"kept\": {\"said\": %" PRIu64 ", \"true\": %" PRIu64 ", \"right\": %" PRIu64 "}},\n", t->kept_said,
           t->shared, t->kept_right);
}

static void print_types(const measuring *m)
{
    const char *comma = "";
    printf("\"types\": [");
    for (uint32_t i = 0; i < m->heaps[0].type_count; i++) {
        const type_tally *type = &m->types[i];
        if (type->shared == 0 && type->wrong == 0) continue;
        printf("%s\n {\"type\": \"%s\", \"shared\": %" PRIu64 ", \"right\": %" PRIu64 ", \"wrong\": %" PRIu64 "}",
               comma, type->name, type->shared, type->right, type->wrong);
        comma = ",";
    }
    printf("],\n");
}

static void print_side(const char *name, const measuring *m, unsigned side)
{
    const uint64_t *kinds = m->truths[side].counts;
    printf("\"%s\": {\"objects\": %" PRIu32 ", \"own\": %" PRIu64 ", \"owned\": %" PRIu64 ", \"placed\": %" PRIu64
           ", \"fresh\": %" PRIu64 "},\n",
           name, m->heaps[side].count, kinds[TRUTH_OWN], kinds[TRUTH_OWNED], kinds[TRUTH_PLACED], kinds[TRUTH_FRESH]);
}

static void print(const measuring *m)
{
    const tally own = judge(m, TRUTH_OWN), ext = judge(m, TRUTH_OWNED);
    printf("{");
    print_side("before", m, 0);
    print_side("after", m, 1);
    print_tally("own", &own);
    print_tally("ext", &ext);
    print_types(m);
    printf("\"identity_known\": %s, \"ambiguous\": %" PRIu64 ", \"unmatched_before\": %" PRIu64
           ", \"unmatched_after\": %" PRIu64 "}\n",
           m->diff->identity_is_known ? "true" : "false", m->diff->match.ambiguous, m->diff->match.unmatched_before,
           m->diff->match.unmatched_after);
}

int main(int argc, char **argv)
{
    measuring m = {0};
    if (argc != 5 && argc != 7) {
        fprintf(stderr,
                "usage: hsd_measure BEFORE.hs BEFORE.ids AFTER.hs AFTER.ids [EXACT-BEFORE.hs EXACT-AFTER.hs]\n");
        return 2;
    }
    for (unsigned side = 0; side < 2; side++) {
        heap_load(&m.heaps[side], argv[1 + 2 * side]);
        truth_find(&m.truths[side], &m.heaps[side], argv[2 + 2 * side], side);
    }
    truth_join(&m.truths[0], &m.truths[1], &m.heaps[0], &m.heaps[1]);
    for (unsigned side = 0; side < 2 && argc == 7; side++)
        exact_write(&m.heaps[side], &m.truths[side], argv[5 + side]);
    run_diff(&m);
    judge_types(&m);
    print(&m);
    hsd_diff_free(m.diff);
    for (unsigned side = 0; side < 2; side++) {
        truth_release(&m.truths[side]);
        heap_release(&m.heaps[side]);
        free(m.partners[side]);
    }
    free(m.rungs);
    free(m.types);
    return 0;
}
