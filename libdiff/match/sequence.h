/*
 * The objects of one capture in the order of their addresses: what a collector that compacts or copies leaves
 * nearly as it was. Every array is paged (graph/paged.h) and mostly read in order. A *position* is the place of
 * an object that counts among all that count; objects that do not count (pseudo, folded into their owner) have none.
 */
#ifndef HSD_MATCH_SEQUENCE_H
#define HSD_MATCH_SEQUENCE_H

#include <stdint.h>

#include "base/assert.h"
#include "graph/paged.h"
#include "match/element.h"
#include "match/wholes.h"
#include "sort/sorter.h"
#include <hsdiff/diff.h>

#define HSD_NO_POSITION HSD_NODE_MAX
#define HSD_NO_PARTNER  HSD_NODE_MAX

/* How a pair was recognised: the rungs of hsd_match_rung behind 0, and what is no rung. See match/recognise.h. */
#define HSD_RUNG_NUMBER(rung, name, words, strength) HSD_RUNG_##rung = HSD_MATCH_##rung + 1,
typedef enum hsd_rung {
    HSD_RUNG_NONE = 0,
    HSD_MATCH_RUNGS(HSD_RUNG_NUMBER) HSD_RUNG_COUNT,
    HSD_RUNG_CLAIMED = HSD_RUNG_COUNT, /* for a while: not judged yet (match/kin.h) */
    HSD_RUNG_UNDECIDED /* of one without a partner: it may be another one without a partner (match/undecided.h) */
} hsd_rung;

/* Of a pair. */
static inline hsd_match_rung hsd_rung_of_match(hsd_rung rung)
{
    HSD_ASSERT(rung > HSD_RUNG_NONE && rung < HSD_RUNG_COUNT);
    return (hsd_match_rung)(rung - 1);
}

typedef struct hsd_sequence {
    hsd_node count;      /* positions */
    bool has_order;      /* positions follow ordinals, but for one in JUMPS_SHARE (walk/side/structure.c) */
    bool is_by_ordinal;  /* partners and rungs are, for those who count objects (walk/side/partners.c) */
    hsd_paged elements;  /* hsd_element by position */
    hsd_paged addresses; /* u64 by position, ascending */
    hsd_paged positions; /* a number by ordinal: position, or HSD_NO_POSITION */
    hsd_paged owners;    /* a number by position: 1 + position of the only object that refers to it, 0 = there is none
                          * such; not    open: nobody knows (match/kin.h) */
    hsd_paged partners;  /* a number by position: 1 + position on the other side, 0 = none; from hsd_recognise on */
    hsd_paged rungs;     /* u8 by position: hsd_rung of its pair; likewise */
    /* one bit a position: its whole is there on the other side too; while they are recognised */
    uint8_t *is_shared;
    hsd_wholes wholes;  /* of objects without a name or key; until they are joined */
    hsd_sorter *names;  /* (hash of type and name, position) of named objects, finished; likewise */
    hsd_sorter *hashes; /* (hash of type and identity hash, position) of objects with such a hash; NULL = none */
    hsd_sorter *keys;   /* (hash of type and value, position) of objects with user keys; NULL = none */
    hsd_sorter *places; /* (hash of a place, position), an object once for each: the name of a root that refers to it,
                         * or that name and the types on the way down (match/descend.h) */
} hsd_sequence;

/* One of them; until another one is asked for. */
static inline const hsd_element *hsd_sequence_at(hsd_sequence *sequence, hsd_node position)
{
    HSD_ASSERT(position < sequence->count);
    const uint64_t byte = (uint64_t)position * sizeof(hsd_element);
    return (const hsd_element *)(const void *)hsd_paged_at(&sequence->elements, byte, HSD_FRAME_USED);
}

/* Elements `first` … `first + count - 1` into `out`. */
void hsd_sequence_read(hsd_sequence *sequence, hsd_node first, hsd_node count, hsd_element *out);

static inline void hsd_sequence_write(hsd_sequence *sequence, hsd_node position, const hsd_element *element)
{
    HSD_ASSERT(position < sequence->count);
    const uint64_t byte = (uint64_t)position * sizeof *element;
    *(hsd_element *)(void *)hsd_paged_at(&sequence->elements, byte, HSD_FRAME_USED | HSD_FRAME_DIRTY) = *element;
}

static inline hsd_node hsd_sequence_partner(hsd_sequence *s, hsd_node position)
{
    HSD_ASSERT(position < s->count);
    return hsd_paged_get_node(&s->partners, position) - 1; /* 0 - 1 is HSD_NO_PARTNER */
}

static inline hsd_rung hsd_sequence_rung(hsd_sequence *s, hsd_node position)
{
    HSD_ASSERT(position < s->count);
    return (hsd_rung)*hsd_paged_at(&s->rungs, position, HSD_FRAME_USED);
}

/* The position of the only object that refers to this one, or HSD_NO_POSITION. */
static inline hsd_node hsd_sequence_owner(hsd_sequence *s, hsd_node position)
{
    HSD_ASSERT(position < s->count);
    return hsd_paged_get_node(&s->owners, position) - 1; /* 0 - 1 is HSD_NO_POSITION */
}

/* Two objects are one. Neither has a partner yet. */
void hsd_sequence_pair(hsd_sequence *a, hsd_node at_a, hsd_sequence *b, hsd_node at_b, hsd_rung rung);

/* One side of that; the other one is left to the caller. */
void hsd_sequence_set_partner(hsd_sequence *sequence, hsd_node position, hsd_node partner, hsd_rung rung);

/* They are not. */
void hsd_sequence_unpair(hsd_sequence *a, hsd_node at_a, hsd_sequence *b, hsd_node at_b);

/* Closes everything; a zeroed sequence may be released. */
void hsd_sequence_release(hsd_sequence *sequence);

/* First failure of any of its arrays. */
hsd_status hsd_sequence_check(const hsd_sequence *sequence, hsd_error *err);

#endif
