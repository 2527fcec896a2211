/*
 * Blocks where they do not belong, and blocks that are gone.
 *
 * Misplaced: every block swapped with every other, put in the place of another, put in once more, dropped, zeroed,
 * taken from another capture. Nothing of that may be accepted, though each block is intact in itself. Of captures with
 * very many blocks a random draw of the pairs.
 *
 * Destroyed: each block in turn, in four ways. What is salvaged holds all the others, byte for byte; but for places
 * behind lost ones, which may hang from these.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/layout.h"
#include "integrity/kit.h"
#include "support/make_samples.h"
#include "support/reseal.h"

/* A file that is being put together. */
typedef struct pieces {
    uint8_t *bytes;
    size_t size;
} pieces;

static size_t size_of(const sample *s, size_t block) { return s->offsets[block + 1] - s->offsets[block]; }

static void add(pieces *p, const void *bytes, size_t size)
{
    memcpy(p->bytes + p->size, bytes, size);
    p->size += size;
}

static void add_block(pieces *p, const sample *s, size_t block)
{
    add(p, s->bytes + s->offsets[block], size_of(s, block));
}

static void add_end(pieces *p, const sample *s)
{
    add(p, s->bytes + s->offsets[s->blocks], s->size - s->offsets[s->blocks]);
}

static void add_head(pieces *p, const sample *s)
{
    p->size = 0;
    add(p, s->bytes, s->offsets[0]);
}

/* ---- misplaced ---- */

static void expect_refused(const sample *s, memfile *file, const pieces *p, const char *what, size_t i, size_t j)
{
    case_begin();
    memfile_set(file, p->bytes, p->size);
    const verdict v = verify(file->path);
    if (v.status == HSD_OK && v.faults == 0) wrong(s, file, "%s %zu %zu: verify finds nothing", what, i, j);
    const reading refused = read_all(file, HSD_DAMAGE_REFUSE);
    if (refused.status == HSD_OK) wrong(s, file, "%s %zu %zu: read without an error", what, i, j);
    const reading partial = read_all(file, HSD_DAMAGE_SKIP);
    if (partial.is_complete) wrong(s, file, "%s %zu %zu: complete", what, i, j);
    if (partial.was_opened && partial.status != HSD_OK)
        wrong(s, file, "%s %zu %zu: read in part: %s", what, i, j, partial.err.text);
    case_end();
}

static void try_pair(const sample *s, memfile *file, pieces *p, size_t i, size_t j)
{
    add_head(p, s);
    for (size_t k = 0; k < s->blocks; k++)
        add_block(p, s, k == i ? j : k == j ? i : k);
    add_end(p, s);
    expect_refused(s, file, p, "swapped", i, j);

    add_head(p, s);
    for (size_t k = 0; k < s->blocks; k++)
        add_block(p, s, k == j ? i : k);
    add_end(p, s);
    expect_refused(s, file, p, "replaced by, replaced", i, j);

    add_head(p, s);
    for (size_t k = 0; k < s->blocks; k++) {
        add_block(p, s, k);
        if (k == j) add_block(p, s, i);
    }
    add_end(p, s);
    expect_refused(s, file, p, "doubled, behind", i, j);
}

/* Of a sweep over all pairs at most so many, in long runs; and how many edits are wanted then. */
#define PAIRS_MAX    2000
#define EDITS_WANTED 100000

/* The step with which `count` times `others` pairs are walked. */
static size_t step_of(size_t count, size_t others) { return 1 + count * others / PAIRS_MAX; }

static void try_one(const sample *s, memfile *file, pieces *p, size_t i, const sample *other)
{
    add_head(p, s);
    for (size_t k = 0; k < s->blocks; k++) {
        if (k != i) add_block(p, s, k);
    }
    add_end(p, s);
    expect_refused(s, file, p, "dropped", i, 0);

    add_head(p, s);
    add(p, s->bytes + p->size, s->size - p->size);
    memset(p->bytes + s->offsets[i], 0, size_of(s, i));
    expect_refused(s, file, p, "zeroed", i, 0);

    for (size_t k = 0; k < other->blocks; k += is_long() ? step_of(s->blocks, other->blocks) : 1 + other->blocks / 3) {
        add_head(p, s);
        for (size_t m = 0; m < s->blocks; m++)
            add_block(p, m == i ? other : s, m == i ? k : m);
        add_end(p, s);
        expect_refused(s, file, p, "replaced by a foreign one", i, k);
    }
}

static void try_misplaced(const sample *s, memfile *file, pieces *p, const sample *other, test_random *random)
{
    const size_t step = is_long() ? 1 : 1 + s->blocks / 5;
    for (size_t i = 0; i < s->blocks; i += step)
        try_one(s, file, p, i, other);
    if (is_long() && s->blocks * s->blocks / 2 <= PAIRS_MAX) {
        for (size_t i = 0; i < s->blocks; i++) {
            for (size_t j = i + 1; j < s->blocks; j++)
                try_pair(s, file, p, i, j);
        }
        return;
    }
    for (size_t k = 0; k < (is_long() ? PAIRS_MAX : 8); k++) {
        const size_t i = (size_t)test_below(random, s->blocks), j = (size_t)test_below(random, s->blocks);
        if (i != j) try_pair(s, file, p, i < j ? i : j, i < j ? j : i);
    }
}

/* ---- destroyed ---- */

typedef enum way { ZEROED, SCRAMBLED, HEADER_BIT, PAYLOAD_BIT, WAYS } way;

static void destroy(const sample *s, pieces *p, size_t i, way how, test_random *random)
{
    uint8_t *block = p->bytes + s->offsets[i];
    p->size = 0;
    add(p, s->bytes, s->size);
    switch (how) {
    case ZEROED: memset(block, 0, size_of(s, i)); break;
    case SCRAMBLED:
        for (size_t k = 0; k < size_of(s, i); k++)
            block[k] = (uint8_t)test_next(random);
        break;
    case HEADER_BIT: block[test_below(random, 40)] ^= (uint8_t)(1u << test_below(random, 8)); break;
    case PAYLOAD_BIT:
        block[56 + test_below(random, size_of(s, i) - 56)] ^= (uint8_t)(1u << test_below(random, 8));
        break;
    case WAYS: break;
    }
}

static bool is_rebuilt(uint8_t type) { return type >= HSC_BLOCK_TYPE_TOTALS && type <= HSC_BLOCK_END; }

/* True if block `k` cannot be used without the destroyed one. */
static bool is_lost_too(const sample *s, size_t k, size_t destroyed)
{
    return k > destroyed && s->bytes[s->offsets[k] + 4] == HSC_BLOCK_PLACES &&
           s->bytes[s->offsets[destroyed] + 4] == HSC_BLOCK_PLACES;
}

static size_t count_kept(const sample *s, size_t destroyed)
{
    size_t kept = s->blocks - 1;
    for (size_t k = 0; k < s->blocks; k++)
        kept -= is_lost_too(s, k, destroyed);
    return kept;
}

/* All blocks but the destroyed one and those that are written anew stand in the salvaged file, in order. */
static void check_kept(const sample *s, const memfile *file, size_t destroyed)
{
    static size_t offsets[4096];
    size_t size, at = 0;
    uint8_t *bytes = memfile_read_all(salvage_path(), &size);
    if (bytes == NULL) wrong(s, file, "block %zu destroyed: nothing was salvaged", destroyed);
    const size_t blocks = block_offsets(bytes, size, offsets, 4096);
    for (size_t k = 0; k < s->blocks; k++) {
        const uint8_t *block = s->bytes + s->offsets[k];
        if (k == destroyed || is_rebuilt(block[4]) || is_lost_too(s, k, destroyed)) continue;
        while (at < blocks && (block_bytes(bytes, offsets[at]) != size_of(s, k) ||
                               memcmp(bytes + offsets[at], block, size_of(s, k)) != 0))
            at++;
        if (at == blocks) wrong(s, file, "block %zu destroyed: block %zu is not in what was salvaged", destroyed, k);
        at++;
    }
    free(bytes);
}

static void try_destroyed(const sample *s, memfile *file, pieces *p, size_t i, way how, test_random *random)
{
    hsd_salvage_result result;
    hsd_error err;
    case_begin();
    destroy(s, p, i, how, random);
    memfile_set(file, p->bytes, p->size);
    if (salvage(file->path, &result, &err) != HSD_OK) wrong(s, file, "block %zu destroyed: %s", i, err.text);
    if (result.blocks_kept != count_kept(s, i)) {
        wrong(s, file, "block %zu destroyed (%d): %llu blocks of %zu kept", i, how,
              (unsigned long long)result.blocks_kept, s->blocks);
    }
    check_kept(s, file, i);
    const verdict v = verify(salvage_path());
    if (v.status != HSD_OK || v.faults != 0)
        wrong(s, file, "block %zu destroyed: what is salvaged breaks rule %s: %s", i, v.first_rule, v.first_text);
    const reading partial = read_all(file, HSD_DAMAGE_SKIP);
    if (partial.status != HSD_OK || partial.is_complete)
        wrong(s, file, "block %zu destroyed: read in part: %s", i, partial.err.text);
    case_end();
}

int main(void)
{
    test_random random = {test_seed(3)};
    memfile file = memfile_of("", 0);
    pieces p = {.bytes = malloc((size_t)2 << 20)};
    if (p.bytes == NULL) return 2;
    for (size_t i = 0; i < hsd_sample_count(); i++) {
        sample s = sample_load(i), other = sample_load((i + 1) % hsd_sample_count());
        try_misplaced(&s, &file, &p, &other, &random);
        sample_free(&s);
        sample_free(&other);
    }
    while (wants_more(EDITS_WANTED)) {
        sample s = sample_random(test_next(&random)), other = sample_random(test_next(&random));
        try_misplaced(&s, &file, &p, &other, &random);
        sample_free(&s);
        sample_free(&other);
    }
    report("misplaced blocks");
    for (size_t i = 0; i < hsd_sample_count(); i++) {
        sample s = sample_load(i);
        const size_t step = is_long() ? 1 : 1 + s.blocks / 6;
        for (size_t k = 0; k < s.blocks; k += step) {
            for (way how = 0; how < WAYS; how++)
                try_destroyed(&s, &file, &p, k, how, &random);
        }
        sample_free(&s);
    }
    report("destroyed blocks");
    free(p.bytes);
    memfile_close(&file);
    return 0;
}
