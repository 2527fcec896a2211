/*
 * Blocks of objects that are encoded, compressed and written elsewhere, by hsc_helper, while the next one is staged:
 * two staging areas that take turns, and a raw region of the helper's own.
 *
 *      producer   fill A | fill B           | fill A           | …
 *      helper            | encode, write A  | encode, write B  |
 *
 * One job at a time. Whatever else writes blocks waits for it first, so blocks keep their order, and a job that failed
 * is told by who waited.
 */
#ifndef HSC_HANDOFF_H
#define HSC_HANDOFF_H

#include "block.h"
#include "stage.h"

/* Records of a staging area, and the block that they become. */
struct hsc_staged {
    hsc_stage stage; /* as it was */
    hsc_block block;
    uint32_t records, refs, value_bytes;
    bool targets_are_ordinals;
};

typedef struct hsc_handoff {
    hsc_helper helper;
    hsc_blocks *blocks;
    unsigned char *memory; /* the staging area that is not being filled */
    unsigned char *raw;
    hsc_staged job;
    bool is_running;
    hsc_status status; /* of the last job */
} hsc_handoff;

/* Starts the job: `staged`, whose memory becomes the idle one. Nothing runs. */
void hsc_handoff_start(hsc_handoff *handoff, const hsc_staged *staged);

/* Waits for the job, if one runs. The status of the last one, and what failed in the blocks' output. */
hsc_status hsc_handoff_wait(hsc_handoff *handoff);

#endif
