/*
 * Every prefix of a capture: opening says at which byte and where in the file it was cut off, nothing calls it
 * complete, verify finds a fault, and what is salvaged is a clean capture of the blocks that are whole.
 *
 * With HSD_LONG=1 every prefix is opened as a capture that must be whole, which scans it for the place; one in 32 in
 * part, too, and must tell the same objects, bytes and damage as the one before, as long as no block ends between the
 * two. Reading all that is there, verify and salvage follow for one prefix in 256 and around each end of a block.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "integrity/kit.h"
#include "support/make_samples.h"

/* "…at byte 17, inside block 3": the length of the prefix, and where that is. */
static bool names_the_place(const reading *r, size_t size)
{
    char digits[32];
    if (size >= 1000) {
        snprintf(digits, sizeof digits, "%zu,%03zu", size / 1000, size % 1000);
    } else {
        snprintf(digits, sizeof digits, "%zu", size);
    }
    return strstr(r->err.text, digits) != NULL && r->err.offset_bytes == size &&
           (strstr(r->err.text, "block ") != NULL || strstr(r->err.text, "header") != NULL ||
            strstr(r->err.text, "trailer") != NULL) &&
           strstr(r->err.hint, "--partial") != NULL && strstr(r->err.hint, "salvage") != NULL;
}

static size_t whole_blocks(const sample *s, size_t size)
{
    size_t blocks = 0;
    while (blocks < s->blocks && s->offsets[blocks + 1] <= size)
        blocks++;
    return blocks;
}

static void check_salvaged(const sample *s, const memfile *file, size_t size)
{
    hsd_salvage_result result;
    hsd_error err;
    const hsd_status status = salvage(file->path, &result, &err);
    if (size < 64) {
        if (status == HSD_OK) wrong(s, file, "prefix %zu: salvaged from nothing", size);
        return;
    }
    if (status != HSD_OK) wrong(s, file, "prefix %zu: not salvaged: %s", size, err.text);
    if (result.was_complete || result.blocks_kept != whole_blocks(s, size)) {
        wrong(s, file, "prefix %zu: salvage kept %llu blocks of %zu", size, (unsigned long long)result.blocks_kept,
              whole_blocks(s, size));
    }
    const verdict v = verify(salvage_path());
    if (v.status != HSD_OK || v.faults != 0)
        wrong(s, file, "prefix %zu: salvaged capture breaks rule %s: %s", size, v.first_rule, v.first_text);
}

typedef enum effort {
    REFUSED,  /* opened as a whole one */
    OPENED,   /* and in part */
    READ,     /* and read, and verified */
    SALVAGED, /* and salvaged */
} effort;

/* What is told of a prefix that was opened in part, and of how many whole blocks. */
typedef struct told {
    size_t blocks;
    uint64_t objects, bytes, damaged_blocks;
} told;

/* `before` is what was told of the last prefix that was opened in part. */
static told check_told(const sample *s, const memfile *file, size_t size, const reading *partial, told before)
{
    const told now = {.blocks = whole_blocks(s, size),
                      .objects = partial->objects,
                      .bytes = partial->bytes,
                      .damaged_blocks = partial->damaged_blocks};
    if (size > s->offsets[0] && now.blocks == before.blocks && memcmp(&now, &before, sizeof now) != 0) {
        wrong(s, file, "prefix %zu: %llu objects, and shortly before %llu", size, (unsigned long long)now.objects,
              (unsigned long long)before.objects);
    }
    return now;
}

static reading check_prefix(const sample *s, memfile *file, size_t size, effort how)
{
    memfile_set(file, s->bytes, size);
    case_begin();
    const reading refused = open_only(file, HSD_DAMAGE_REFUSE);
    if (refused.was_opened) wrong(s, file, "prefix %zu was opened", size);
    if (size == 0 ? refused.status != HSD_E_NOT_THIS_FORMAT : refused.status != HSD_E_TRUNCATED) {
        wrong(s, file, "prefix %zu: status %s: %s", size, hsd_status_name(refused.status), refused.err.text);
    }
    if (size > 0 && !names_the_place(&refused, size))
        wrong(s, file, "prefix %zu: \"%s\" \"%s\"", size, refused.err.text, refused.err.hint);
    if (how == REFUSED) {
        case_end();
        return refused;
    }
    const reading partial = how == OPENED ? open_only(file, HSD_DAMAGE_SKIP) : read_all(file, HSD_DAMAGE_SKIP);
    if (partial.is_complete || (partial.was_opened && partial.status != HSD_OK)) {
        wrong(s, file, "prefix %zu: read in part: %s", size, partial.is_complete ? "complete" : partial.err.text);
    }
    if (size >= 64 && !partial.was_opened) wrong(s, file, "prefix %zu: not opened in part: %s", size, partial.err.text);
    if (how >= READ) {
        const verdict v = verify(file->path);
        if (v.status == HSD_OK && v.faults == 0) wrong(s, file, "prefix %zu: verify finds nothing", size);
    }
    if (how == SALVAGED) check_salvaged(s, file, size);
    case_end();
    return partial;
}

/* The places where something ends, and a step to each side. */
static void check_edges(const sample *s, memfile *file)
{
    static const size_t fixed[] = {0, 1, 7, 8, 63, 64, 65};
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
        check_prefix(s, file, fixed[i], SALVAGED);
    const size_t step = is_long() ? 1 : 1 + s->blocks / 12;
    for (size_t i = 0; i <= s->blocks; i += step) {
        for (size_t at = s->offsets[i] - 1; at <= s->offsets[i] + 1; at++)
            check_prefix(s, file, at, SALVAGED);
    }
    check_prefix(s, file, s->size - 1, SALVAGED);
}

static void sweep(sample s, memfile *file, test_random *random)
{
    told before = {0};
    check_edges(&s, file);
    for (size_t k = 0; is_long() && k < s.size; k++) {
        const reading partial = check_prefix(&s, file, k, k % 256 == 0 ? SALVAGED : k % 32 == 0 ? OPENED : REFUSED);
        if (k % 32 == 0) before = check_told(&s, file, k, &partial, before);
    }
    for (size_t k = 0; !is_long() && k < 24; k++)
        check_prefix(&s, file, (size_t)test_below(random, s.size), k % 16 == 0 ? SALVAGED : READ);
    sample_free(&s);
}

int main(void)
{
    test_random random = {test_seed(1)};
    memfile file = memfile_of("", 0);
    for (size_t i = 0; i < hsd_sample_count(); i++)
        sweep(sample_load(i), &file, &random);
    while (wants_more(1500000))
        sweep(sample_random(test_next(&random)), &file, &random);
    memfile_close(&file);
    report("prefixes");
    return 0;
}
