/*
 * Sets of groups that tell each other: by/joined.h. In a heap where everything reaches everything nearly all
 * of a fork are of one, and bits that climb by many passes in each of many windows all come to the same. So they are
 * found before, a bit a group each way:
 *
 *      reached    from the pivot of its fork, what is told goes along
 *      reaches    the pivot, by what is told
 *
 * both in the same passes over what groups tell. What a pass is through with, since it leads to what is reached from
 * what reaches, the next one does not read: from the second on each writes what is left. What has both is of the set;
 * if passes end early, so is what was found until then. Only ways by which all bits go count: out of no group that is
 * closed, into none, and not into the first round from what is not of it. Then the tape is written anew, with one group
 * for all of a set.
 */
#include "holders/by/joined.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/fail.h"

#define LEAST_PASSES 3u
#define MOST_PASSES  16u
#define LEAST_GAIN   64u /* one group in so many comes to the set in a pass, or it is the last one */
#define LEAST_JOINED 16u /* one group in so many is of the set, or there is none */

typedef struct join_search {
    hsd_by_search *s;
    hsd_by_joined *joined;
    hsd_by_told *told;
    hsd_by_told left;           /* of it what the pass before is not through with */
    uint8_t *reached, *reaches; /* one bit a group */
    hsd_node count;             /* with both */
    uint32_t passes;
    bool changed;
} join_search;

static uint32_t fork_of(const join_search *j, hsd_node group) { return hsd_by_fork_of(j->s, group); }

static bool is_way_for_all(const join_search *j, hsd_node group, hsd_node word)
{
    const hsd_node top = HSD_BY_GROUP(word);
    if ((word & HSD_BY_FOR_MARK_ALONE) || hsd_bit_get(j->s->closed, top)) return false;
    return !hsd_by_has_mark(j->s, top) || hsd_by_has_mark(j->s, group);
}

static void set_way(join_search *j, uint8_t *way, const uint8_t *other, hsd_node group)
{
    hsd_bit_set(way, group);
    j->count += hsd_bit_get(other, group);
    j->changed = true;
}

static void look_at_told(join_search *j, const hsd_by_told *told)
{
    const hsd_node group = told->group;
    bool is_reached = hsd_bit_get(j->reached, group), reaches = hsd_bit_get(j->reaches, group);
    for (uint32_t i = 0; i < told->count; i++) {
        const hsd_node top = HSD_BY_GROUP(told->words[i]);
        if (!is_way_for_all(j, group, told->words[i])) continue;
        if (is_reached && !hsd_bit_get(j->reached, top)) set_way(j, j->reached, j->reaches, top);
        if (reaches || !hsd_bit_get(j->reaches, top)) continue;
        set_way(j, j->reaches, j->reached, group);
        reaches = true;
    }
}

/* By what somebody may yet be reached, or reach the pivot. */
static hsd_status put_left(const join_search *j, const hsd_by_told *told, hsd_by_told *left, hsd_error *err)
{
    hsd_node words[HSD_BY_TOLD_ITEMS];
    uint32_t count = 0;
    const bool reaches = hsd_bit_get(j->reaches, told->group);
    for (uint32_t i = 0; i < told->count; i++) {
        const hsd_node word = told->words[i];
        const bool is_through = reaches && hsd_bit_get(j->reached, HSD_BY_GROUP(word));
        if (!is_through && is_way_for_all(j, told->group, word)) words[count++] = word;
    }
    return count > 0 ? hsd_by_told_put(left, told->group, words, count, err) : HSD_OK;
}

static hsd_status look_at_all_told(join_search *j, hsd_by_told *told, hsd_by_told *left, hsd_error *err)
{
    for (hsd_by_told_rewind(told); told->group != HSD_NODE_MAX; hsd_by_told_next(told)) {
        if (hsd_bit_get(j->s->closed, told->group)) continue;
        look_at_told(j, told);
        if (left != NULL) HSD_TRY(put_left(j, told, left, err));
    }
    return hsd_by_told_check(told, err);
}

/* Little is through with by the first pass. */
static hsd_status pass_and_put_left(join_search *j, hsd_error *err)
{
    hsd_by_told left;
    hsd_by_told_begin(&left, &j->s->growth->pair->space);
    hsd_status status = look_at_all_told(j, j->passes == 1 ? j->told : &j->left, &left, err);
    if (status == HSD_OK) status = hsd_by_told_end(&left, err);
    if (status == HSD_OK) hsd_by_told_swap(&j->left, &left);
    hsd_by_told_close(&left);
    return status;
}

static hsd_status pass_told(join_search *j, hsd_error *err)
{
    HSD_TRY(j->passes == 0 ? look_at_all_told(j, j->told, NULL, err) : pass_and_put_left(j, err));
    return hsd_progress(j->s->growth->pair->reporter, "finding what holds it together", 0, j->s->group_count, err);
}

/* That tells the most; 0 = none. */
static hsd_node find_pivot(const join_search *j, uint32_t fork)
{
    for (uint32_t i = 0; i < HSD_BY_TOLD_MANY; i++) {
        const hsd_node group = j->told->many[fork][i].group;
        if (group != 0 && !hsd_bit_get(j->s->closed, group)) return group;
    }
    return 0;
}

static hsd_status find_both_ways(join_search *j, hsd_error *err)
{
    hsd_node before;
    for (uint32_t fork = 0; fork < j->s->fork_count; fork++) {
        const hsd_node pivot = find_pivot(j, fork);
        if (pivot == 0) continue;
        hsd_bit_set(j->reached, pivot);
        hsd_bit_set(j->reaches, pivot);
        j->count++;
    }
    if (j->count == 0) return HSD_OK;
    do {
        before = j->count;
        j->changed = false;
        HSD_TRY(pass_told(j, err));
        j->passes++;
    } while (j->changed && j->passes < MOST_PASSES &&
             (j->passes < LEAST_PASSES || j->count - before >= j->s->group_count / LEAST_GAIN));
    return HSD_OK;
}

/* ---- one for all ---- */

static hsd_status take_joined(join_search *j, hsd_error *err)
{
    hsd_by_joined *joined = j->joined;
    const hsd_node groups = j->s->group_count, words = groups / 64 + 1;
    joined->bits = calloc(words, sizeof *joined->bits);
    joined->others = calloc(words, sizeof *joined->others);
    if (joined->bits == NULL || joined->others == NULL) return hsd_fail_nomem(err, "what holds together");
    joined->bits[0] = 1;
    for (hsd_node i = 1; i <= groups; i++) {
        if (i % 64 == 0) joined->others[i / 64] = joined->other_count;
        if (hsd_bit_get(j->reached, i) && hsd_bit_get(j->reaches, i)) {
            joined->bits[i / 64] |= UINT64_C(1) << i % 64;
            joined->first[fork_of(j, i)] = i; /* the last one: what all tell is known by then */
        } else {
            joined->other_count++;
        }
    }
    return HSD_OK;
}

/* Of a record of the set: what is told that is not of it. `told_by_all` is a bit a group. */
static void note_told(const join_search *j, uint8_t *told_by_all)
{
    for (uint32_t i = 0; i < j->told->count; i++) {
        const hsd_node word = j->told->words[i], top = HSD_BY_GROUP(word);
        if (is_way_for_all(j, j->told->group, word) && !hsd_by_is_joined(j->joined, top)) hsd_bit_set(told_by_all, top);
    }
}

static hsd_status put_told_by_all(const join_search *j, uint32_t fork, const uint8_t *told_by_all, hsd_by_told *out,
                                  hsd_error *err)
{
    hsd_node words[HSD_BY_TOLD_ITEMS];
    uint32_t count = 0;
    for (hsd_node i = 1; i <= j->s->group_count; i++) {
        if (!hsd_bit_get(told_by_all, i) || fork_of(j, i) != fork) continue;
        words[count++] = i;
        if (count < HSD_BY_TOLD_ITEMS) continue;
        HSD_TRY(hsd_by_told_put(out, j->joined->first[fork], words, count, err));
        count = 0;
    }
    return count > 0 ? hsd_by_told_put(out, j->joined->first[fork], words, count, err) : HSD_OK;
}

/* Of the sets whose groups all lie before `end`, in their order. `done` is a bit a fork. */
static hsd_status put_sets_before(const join_search *j, hsd_node end, const uint8_t *told_by_all, uint32_t *done,
                                  hsd_by_told *out, hsd_error *err)
{
    for (;;) {
        uint32_t next = HSD_BY_SETS;
        for (uint32_t fork = 0; fork < HSD_BY_SETS; fork++) {
            const hsd_node first = j->joined->first[fork];
            if (first == 0 || first >= end || (*done >> fork & 1) != 0) continue;
            if (next == HSD_BY_SETS || first < j->joined->first[next]) next = fork;
        }
        if (next == HSD_BY_SETS) return HSD_OK;
        *done |= UINT32_C(1) << next;
        HSD_TRY(put_told_by_all(j, next, told_by_all, out, err));
    }
}

/* Of any other group: what may take bits, of the set one. */
static hsd_status put_told_by_other(const join_search *j, hsd_by_told *out, hsd_error *err)
{
    hsd_node words[HSD_BY_TOLD_ITEMS];
    uint32_t count = 0;
    bool tells_all = false;
    for (uint32_t i = 0; i < j->told->count; i++) {
        const hsd_node word = j->told->words[i];
        if (!is_way_for_all(j, j->told->group, word)) continue;
        if (!hsd_by_is_joined(j->joined, HSD_BY_GROUP(word)))
            words[count++] = word;
        else
            tells_all = true;
    }
    if (tells_all) words[count++] = j->joined->first[fork_of(j, j->told->group)];
    return count > 0 ? hsd_by_told_put(out, j->told->group, words, count, err) : HSD_OK;
}

static hsd_status put_all_told(const join_search *j, uint8_t *told_by_all, hsd_by_told *out, hsd_error *err)
{
    uint32_t done = 0;
    for (hsd_by_told_rewind(j->told); j->told->group != HSD_NODE_MAX; hsd_by_told_next(j->told)) {
        HSD_TRY(put_sets_before(j, j->told->group, told_by_all, &done, out, err));
        if (hsd_by_is_joined(j->joined, j->told->group))
            note_told(j, told_by_all);
        else
            HSD_TRY(put_told_by_other(j, out, err));
    }
    HSD_TRY(hsd_by_told_check(j->told, err));
    return put_sets_before(j, HSD_NODE_MAX, told_by_all, &done, out, err);
}

/* Takes the place of what was told before. */
static hsd_status write_told(join_search *j, hsd_error *err)
{
    hsd_by_told *out = calloc(1, sizeof *out);
    uint8_t *told_by_all = calloc((size_t)j->s->group_count / 8 + 1, 1);
    hsd_status status = out != NULL && told_by_all != NULL ? HSD_OK : hsd_fail_nomem(err, "what holds together");
    if (status == HSD_OK) {
        hsd_by_told_begin(out, &j->s->growth->pair->space);
        status = put_all_told(j, told_by_all, out, err);
    }
    if (status == HSD_OK) status = hsd_by_told_end(out, err);
    if (status == HSD_OK) hsd_by_told_swap(j->told, out);
    if (out != NULL) hsd_by_told_close(out);
    free(out);
    free(told_by_all);
    return status;
}

static hsd_status join_found(join_search *j, hsd_error *err)
{
    const bool is_worth_it = j->count >= j->s->group_count / LEAST_JOINED;
    hsd_note(j->s->growth->pair->reporter, HSD_NOTE_DETAIL,
             "what holds together: %" HSD_PRI_NODE " of %" HSD_PRI_NODE " groups tell each other, by %u passes: %s",
             j->count, j->s->group_count, j->passes, is_worth_it ? "they climb as one" : "too few");
    if (!is_worth_it) return HSD_OK;
    HSD_TRY(take_joined(j, err));
    free(j->reached);
    free(j->reaches);
    j->reached = j->reaches = NULL;
    return write_told(j, err);
}

hsd_status hsd_by_join(hsd_by_joined *joined, hsd_by_search *s, hsd_error *err)
{
    join_search j = {.s = s, .joined = joined, .told = s->told};
    j.reached = calloc((size_t)s->group_count / 8 + 1, 1);
    j.reaches = calloc((size_t)s->group_count / 8 + 1, 1);
    hsd_status status = j.reached != NULL && j.reaches != NULL ? HSD_OK : hsd_fail_nomem(err, "what holds together");
    if (status == HSD_OK) status = find_both_ways(&j, err);
    hsd_by_told_close(&j.left);
    if (status == HSD_OK) status = join_found(&j, err);
    free(j.reached);
    free(j.reaches);
    return status;
}

void hsd_by_joined_release(hsd_by_joined *joined)
{
    free(joined->bits);
    free(joined->others);
    memset(joined, 0, sizeof *joined);
}
