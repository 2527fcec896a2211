/*
 * From the table of sites to one hash a stack. The hash of a stack of frames f0 (innermost), f1 … is
 *
 *      f0 + f1 * B + f2 * B^2 + …  modulo 2^64, over at most 512 frames
 *
 * so the hash of the first 2k frames of a site is that of its first k frames + B^k * that of the first k frames of
 * its k-th ancestor. Nine doublings give 512 frames for all sites at once: no recursion, no stack, the same time for a
 * chain of a million sites and for a cycle, which reads as the 512 frames that a reader would follow. They end sooner
 * once every chain has ended. Two places behind the sites end a chain: NONE, the outermost frame was there, and LOST,
 * something of it was not; who arrives at LOST says nothing.
 */
#include "walk/marks.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/check.h"
#include "base/fail.h"
#include "base/names.h"

#define BASE           UINT64_C(0x9e3779b97f4a7c15) /* odd, so that no power of it loses bits */
#define DOUBLINGS      9                            /* 2^9 = 512 frames (FORMAT.md 10.9) */
#define FIRST_CAPACITY UINT32_C(256)
#define SITE_BYTES     80u /* at most, while loading */
#define TEXT_BYTES     32u
#define TABLES_SHARE   16u /* the planner gives tables this part of the budget */

typedef struct texts { /* hashes of the strings that sites name */
    hsd_id_map index;  /* string -> place */
    uint64_t *hashes;  /* 0 = not there yet */
    uint32_t count, capacity;
} texts;

typedef struct chain { /* after k frames: their hash, and the site behind them */
    uint64_t *hashes;
    uint32_t *ancestors;
} chain;

typedef struct load {
    hsd_marks *marks;
    hsd_site *frames;
    uint32_t capacity;
    texts texts;
    chain chain, next;
    uint64_t limit_bytes, most_bytes; /* what is given, and what all of them can need */
} load;

/* ---- memory ---- */

/* By what the capture says of itself, within what can be. */
static uint64_t most_bytes(const hsd_capture_info *info)
{
    const uint64_t sites = hsd_min_u64(info->sites, INT32_MAX);
    return sites * SITE_BYTES + hsd_min_u64(info->strings, 2 * sites) * TEXT_BYTES;
}

static hsd_status check_limit(const load *l, uint64_t more, hsd_error *err)
{
    const uint64_t used = more + hsd_id_map_memory(&l->marks->index) + (uint64_t)l->capacity * sizeof *l->frames +
                          hsd_id_map_memory(&l->texts.index) + (uint64_t)l->texts.capacity * sizeof *l->texts.hashes;
    if (used <= l->limit_bytes) return HSD_OK;
    const uint64_t need = hsd_max_u64(2 * used, l->most_bytes);
    hsd_fail(err, HSD_E_OVER_BUDGET, "the allocation sites alone take %llu MiB of memory",
             (unsigned long long)(need >> 20) + 1);
    hsd_error_set_hint(err, "--memory %lluM", (unsigned long long)(need * TABLES_SHARE >> 20) + 1);
    return HSD_E_OVER_BUDGET;
}

static hsd_status grow_frames(load *l, hsd_error *err)
{
    const uint32_t wanted = (uint32_t)hsd_array_next(l->capacity, (uint64_t)l->capacity + 1, FIRST_CAPACITY);
    HSD_TRY(check_limit(l, (uint64_t)(wanted - l->capacity) * sizeof *l->frames, err));
    return HSD_ARRAY_GROW(l->frames, l->capacity, wanted, FIRST_CAPACITY, "the allocation sites", err);
}

static hsd_status grow_texts(load *l, hsd_error *err)
{
    texts *t = &l->texts;
    const uint32_t wanted = (uint32_t)hsd_array_next(t->capacity, (uint64_t)t->capacity + 1, FIRST_CAPACITY);
    HSD_TRY(check_limit(l, (uint64_t)(wanted - t->capacity) * sizeof *t->hashes, err));
    return HSD_ARRAY_GROW(t->hashes, t->capacity, wanted, FIRST_CAPACITY, "the allocation sites", err);
}

/* ---- reading ---- */

static hsd_status want_text(load *l, uint32_t string, hsd_error *err)
{
    texts *t = &l->texts;
    if (string == 0 || hsd_id_map_get(&t->index, string) != HSD_ID_NONE) return HSD_OK;
    if (t->count == t->capacity) HSD_TRY(grow_texts(l, err));
    t->hashes[t->count] = 0;
    return hsd_id_map_put(&t->index, string, t->count++, err);
}

static hsd_status take_site(load *l, const hsd_record *record, hsd_error *err)
{
    hsd_marks *marks = l->marks;
    const hsd_site *site = &record->site;
    /* the first counts */
    if (site->id == 0 || hsd_id_map_get(&marks->index, site->id) != HSD_ID_NONE) return HSD_OK;
    if (marks->count == l->capacity) HSD_TRY(grow_frames(l, err));
    l->frames[marks->count] = *site;
    HSD_TRY(want_text(l, site->function, err));
    HSD_TRY(want_text(l, site->file, err));
    return hsd_id_map_put(&marks->index, site->id, marks->count++, err);
}

static hsd_status take_string(load *l, const hsd_record *record, hsd_error *err)
{
    const hsd_text text = record->string.text;
    const uint32_t at = hsd_id_map_get(&l->texts.index, record->string.id);
    (void)err;
    if (at == HSD_ID_NONE || l->texts.hashes[at] != 0) return HSD_OK;
    l->texts.hashes[at] = hsd_hash_bytes(text.data, text.size, 0) | 1;
    return HSD_OK;
}

static hsd_status for_each(load *l, hsd_capture *capture, hsd_record_kind kind,
                           hsd_status (*take)(load *l, const hsd_record *record, hsd_error *err), hsd_error *err)
{
    hsd_record_reader *reader;
    HSD_TRY(hsd_record_reader_open(&reader, capture, kind, err));
    hsd_status status;
    for (;;) {
        hsd_record record;
        status = hsd_record_reader_next(reader, &record, err);
        if (status == HSD_OK) status = take(l, &record, err);
        if (status != HSD_OK) break;
    }
    hsd_record_reader_close(reader);
    return status == HSD_END ? HSD_OK : status;
}

/* ---- one frame ---- */

/* False if the string is named and not there. */
static bool text_hash(const load *l, uint32_t string, uint64_t *out)
{
    *out = 0;
    if (string != 0) *out = l->texts.hashes[hsd_id_map_get(&l->texts.index, string)];
    return string == 0 || *out != 0;
}

static void start_chain(load *l, uint32_t site)
{
    const hsd_site *frame = &l->frames[site];
    const uint32_t none = l->marks->count, lost = none + 1;
    uint64_t words[4] = {0, 0, frame->line, frame->column};
    const bool is_whole = text_hash(l, frame->function, &words[0]) & text_hash(l, frame->file, &words[1]);
    uint32_t parent = none;
    if (frame->parent != 0) parent = hsd_id_map_get(&l->marks->index, frame->parent);
    l->chain.hashes[site] = hsd_hash_bytes(words, sizeof words, 1) | 1;
    l->chain.ancestors[site] = is_whole && parent != HSD_ID_NONE ? parent : lost;
}

/* ---- stacks ---- */

static hsd_status make_chain(chain *c, uint32_t count, hsd_error *err)
{
    c->hashes = calloc((size_t)count + 2, sizeof *c->hashes);
    c->ancestors = calloc((size_t)count + 2, sizeof *c->ancestors);
    if (c->hashes == NULL || c->ancestors == NULL) return hsd_fail_nomem(err, "the allocation sites");
    c->ancestors[count] = count;
    c->ancestors[count + 1] = count + 1;
    return HSD_OK;
}

/* From the first k frames of every site to the first 2k; `power` is B^k. True if some chain goes on behind them. */
static bool double_chains(load *l, uint64_t power)
{
    const chain from = l->chain, to = l->next;
    const uint32_t count = l->marks->count;
    bool goes_on = false;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t ancestor = from.ancestors[i];
        to.hashes[i] = from.hashes[i] + power * from.hashes[ancestor];
        to.ancestors[i] = from.ancestors[ancestor];
        goes_on |= to.ancestors[i] < count;
    }
    l->chain = to;
    l->next = from;
    return goes_on;
}

static hsd_status hash_stacks(load *l, hsd_error *err)
{
    hsd_marks *marks = l->marks;
    const uint64_t chain_bytes = ((uint64_t)marks->count + 2) * (sizeof *l->chain.hashes + sizeof *l->chain.ancestors);
    HSD_TRY(check_limit(l, chain_bytes, err));
    HSD_TRY(make_chain(&l->chain, marks->count, err));
    for (uint32_t i = 0; i < marks->count; i++)
        start_chain(l, i);
    free(l->frames);
    l->frames = NULL;
    l->capacity = 0;
    HSD_TRY(check_limit(l, 2 * chain_bytes + marks->count * sizeof *marks->sites, err));
    HSD_TRY(make_chain(&l->next, marks->count, err));
    uint64_t power = BASE;
    for (int i = 0; i < DOUBLINGS && double_chains(l, power); i++)
        power *= power;
    return HSD_OK;
}

static hsd_status keep_sites(load *l, hsd_error *err)
{
    hsd_marks *marks = l->marks;
    marks->sites = malloc(marks->count * sizeof *marks->sites);
    if (marks->sites == NULL) return hsd_fail_nomem(err, "the allocation sites");
    for (uint32_t i = 0; i < marks->count; i++) {
        const uint64_t stack = hsd_hash_bytes(&l->chain.hashes[i], sizeof *l->chain.hashes, 2);
        const bool is_lost = l->chain.ancestors[i] == marks->count + 1;
        marks->sites[i] = is_lost ? 0 : (uint16_t)(stack % 65535 + 1);
    }
    return HSD_OK;
}

static hsd_status load_sites(load *l, hsd_capture *capture, hsd_error *err)
{
    HSD_TRY(for_each(l, capture, HSD_RECORD_SITE, take_site, err));
    if (l->marks->count == 0) return HSD_OK;
    if (l->texts.count > 0) HSD_TRY(for_each(l, capture, HSD_RECORD_STRING, take_string, err));
    HSD_TRY(hash_stacks(l, err));
    return keep_sites(l, err);
}

static void release_chain(chain *c)
{
    free(c->hashes);
    free(c->ancestors);
}

hsd_status hsd_marks_load(hsd_marks *marks, hsd_capture *capture, uint64_t limit_bytes, hsd_error *err)
{
    const hsd_capture_info *info = hsd_capture_get_info(capture);
    load l = {.marks = marks, .limit_bytes = limit_bytes, .most_bytes = most_bytes(info)};
    memset(marks, 0, sizeof *marks);
    const hsd_status status = load_sites(&l, capture, err);
    free(l.frames);
    hsd_id_map_release(&l.texts.index);
    free(l.texts.hashes);
    release_chain(&l.chain);
    release_chain(&l.next);
    if (status != HSD_OK)
        hsd_marks_release(marks);
    else
        marks->uses_age = info->identity == HSD_IDENTITY_ADDRESS;
    return status;
}

void hsd_marks_release(hsd_marks *marks)
{
    hsd_id_map_release(&marks->index);
    free(marks->sites);
    memset(marks, 0, sizeof *marks);
}
