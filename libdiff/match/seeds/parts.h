/* What the rungs of seeds share: a seed is a hash that one object on each side has, so both sides are streams of (hash,
 * position), sorted by hash and read side by side. Private to seeds*.c. */
#ifndef HSD_MATCH_SEEDS_PARTS_H
#define HSD_MATCH_SEEDS_PARTS_H

#include <stdbool.h>

#include "match/seeds/seeds.h"

#define HSD_SEEDS_AHEAD 32u

typedef struct hsd_seed_stream {
    hsd_sorter *sorter;           /* finished; borrowed */
    const uint8_t *shared;        /* bits by position that will be asked for; NULL = none */
    const hsd_sequence *sequence; /* whose partners will be; NULL = nobody's */
    uint64_t hash;                /* of the record at the front */
    hsd_node position;
    bool is_at_end;
    uint32_t next, count; /* of what was read ahead */
    struct {
        uint64_t hash;
        hsd_node position;
    } ahead[HSD_SEEDS_AHEAD];
} hsd_seed_stream;

/* Takes the first record, or the next one, to the front. */
hsd_status hsd_seed_advance(hsd_seed_stream *stream, hsd_error *err);

/* Goes behind all records with the hash at the front. `*is_one` if all have one position; `shared` gets a bit for each
 * position if it is given. */
hsd_status hsd_seed_pass(hsd_seed_stream *stream, uint8_t *shared, bool *is_one, hsd_error *err);

/* Two objects are the only ones with their hash. */
typedef hsd_status hsd_seed_found(void *context, hsd_node at_a, hsd_node at_b, hsd_error *err);

typedef struct hsd_seed_walk {
    hsd_sorter *a, *b; /* of records (hash, position) */
    /* one bit a position: gets those whose hash is on both sides; NULL = not wanted */
    uint8_t *shared_a, *shared_b;
    const hsd_sequence *sequence_a, *sequence_b; /* whose partners `found` asks for; NULL = nobody's */
    hsd_seed_found *found;
    void *context;
    hsd_reporter *reporter;
} hsd_seed_walk;

/* Finds all of them, in order of hashes. A record that is there twice is still one object. */
hsd_status hsd_seeds_walk(const hsd_seed_walk *walk, hsd_error *err);

#define HSD_SEED_SORTERS 4u /* at a time; what is left of the memory is for a join */

/* Of records whose first word is the key, or, of three words, the first two. */
hsd_status hsd_seed_sorter(const hsd_seeds_config *config, unsigned words, hsd_sorter **out, hsd_error *err);

/*
 * Pairs that several may propose: `proposals` has records (a, b) and is not finished yet. An object that one takes for
 * this one and another for that one is left to the rungs that know more, whichever side is which. Beside `proposals` a
 * sorter and a join at a time.
 */
hsd_status hsd_seeds_agree(hsd_sequence *a, hsd_sequence *b, hsd_sorter *proposals, hsd_rung rung,
                           const hsd_seeds_config *config, uint64_t *pairs, hsd_error *err);

#endif
