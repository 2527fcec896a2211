/*
 * What the parts of verify share: verify.c walks the file and holds the rules about its structure, verify_records.c
 * those about records, verify_ids.c that no object id stands there twice, verify_baseline.c those about baselines.
 */
#ifndef HSD_FORMAT_VERIFY_STATE_H
#define HSD_FORMAT_VERIFY_STATE_H

#include <hsdiff/capture.h>

#include "base/note.h"
#include "format/block_list.h"
#include "format/content.h"
#include "format/facts.h"
#include "format/forms.h"
#include "format/id_set.h"
#include "format/index.h"
#include "format/scan.h"
#include "format/totals.h"

/* Rules that are told of one block; what comes after them is only counted. */
#define HSD_RULES_A_BLOCK 16

typedef struct hsd_verifier {
    hsd_file file;
    hsd_reporter reporter;
    hsd_fault_fn tell;
    void *context;
    hsd_verify_result result;
    uint64_t memory_bytes;

    /* What is told at the moment. */
    uint64_t offset, number; /* place of the block that is looked at */
    struct {
        const char *rule;
        uint64_t repeats;
    } told[HSD_RULES_A_BLOCK]; /* for this block, and how often more */
    bool is_locating;          /* second look, only to find the users of undefined numbers */

    hsd_scan scan;
    hsd_block block;
    hsd_content content;
    hsd_block_list blocks;             /* intact ones */
    hsd_block_list index;              /* what the INDEX says */
    uint64_t index_offset, end_offset; /* of the first INDEX and of END; 0 = not seen */
    uint64_t index_records;
    bool has_info, is_salvaged, has_lost; /* has_lost: blocks are missing, so sums cannot be held */
    bool targets_are_ordinals;
    uint64_t facts;              /* INFO key 9 */
    uint64_t end[HSD_FACT_KEYS]; /* END; state 0 = not seen */
    int phase;                   /* how far in the order of 2.3 */

    hsd_totals totals; /* computed from the records */
    hsd_id_set defined[HSD_TABLES], used[HSD_TABLES];
    uint64_t last_type;   /* of TYPE_TOTALS, + 1 */
    uint64_t last_group;  /* kind << 32 | key of GROUP_TOTALS, + 1 */
    uint64_t last_object; /* baselines: id of the last object … */
    bool has_object;      /* … if there was one */
    hsd_fault failure;    /* of the machine, met inside a callback */
} hsd_verifier;

/* Tells of a broken rule at the place that is looked at; the second and later times of a rule in one block are only
 * counted. */
void hsd_verify_tell(hsd_verifier *v, const char *rule, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Begins to look at another place: tells how often the last rule was broken more. */
void hsd_verify_at(hsd_verifier *v, uint64_t offset, uint64_t number);

/* Whether the records of a type of block are looked at: known ones, but for sums that stand in a capture that is no
 * baseline. */
bool hsd_verify_reads(hsd_verifier *v, uint8_t type);

/* That a baseline is one, when all blocks were seen: 6.17, 7.11. */
void hsd_verify_baseline(hsd_verifier *v);

/* The rules about one object of a baseline. */
void hsd_verify_baseline_object(hsd_verifier *v, const hsd_object *object);

/* The rules about one record (a hsd_content_fn; context: the verifier). */
void hsd_verify_record(void *context, const hsd_block_header *header, const hsd_object *object,
                       const hsd_record *record);

/* When all blocks were seen: sums, totals, numbers without a definition. */
hsd_status hsd_verify_sums(hsd_verifier *v, hsd_fault *fault);

/* No object id stands there twice. */
hsd_status hsd_verify_object_ids(hsd_verifier *v, hsd_fault *fault);

#endif
