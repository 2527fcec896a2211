/*
 * An open capture: what readers of records share. Made by capture.c (driven by the index) or survey.c (the whole file
 * checked once); nothing in it changes afterwards.
 */
#ifndef HSD_FORMAT_CAPTURE_STATE_H
#define HSD_FORMAT_CAPTURE_STATE_H

#include <hsdiff/capture.h>

#include "base/arena.h"
#include "base/note.h"
#include "format/block_list.h"
#include "format/facts.h"
#include "format/index.h"

/* FORMAT.md 8.2, key 9: BASELINE, NO_ROOTS, NO_REFERENCES; key 14: ROOTS and REFERENCES, PLACES. */
#define HSD_FACTS_OF_BASELINE 0x58u
#define HSD_SUMS_OF_ROOTS     0x3u
#define HSD_SUMS_OF_PLACES    0x4u

struct hsd_capture {
    hsd_file file;
    hsd_damage damage;
    hsd_reporter reporter;
    hsd_block_list list; /* blocks that readers go by; in a survey only those that are intact */
    hsd_capture_info info;
    uint8_t info_present[HSD_FACT_KEYS], end_present[HSD_FACT_KEYS]; /* entries that are in INFO and END */
    uint64_t info_number[HSD_FACT_KEYS], end_number[HSD_FACT_KEYS];
    hsd_text info_text[HSD_FACT_KEYS], end_text[HSD_FACT_KEYS];
    bool has_info, has_end;
    bool is_sound;                       /* survey: nothing is damaged or missing, whatever state END says */
    uint64_t total_objects, total_bytes; /* survey: sums over the type totals that are intact */
    hsd_arena arena;                     /* strings of the info */
};

/* True if ordinals may have gaps, so that a continuation may have lost its object. */
static inline bool hsd_capture_has_gaps(const hsd_capture *capture)
{
    return capture->damage == HSD_DAMAGE_SKIP || capture->info.is_salvaged;
}

/* True for blocks that readers look into: known ones, but for sums in a capture that is no baseline. Without INFO sums
 * tell that it is one. */
static inline bool hsd_capture_reads(const hsd_capture *capture, uint8_t type)
{
    if (hsd_block_is_of_sums(type)) return capture->info.is_baseline || !capture->has_info;
    return !hsd_block_is_skipped(type);
}

/* Loads a block of the list, and holds what only the capture can: that targets are what INFO says (4.8). */
hsd_status hsd_capture_load(const hsd_capture *capture, const hsd_block_ref *ref, hsd_block *block, hsd_fault *fault);
hsd_status hsd_capture_check_targets(const hsd_capture *capture, const hsd_block_header *header, hsd_fault *fault);

/* Copies the entries of INFO and END to the info. HSD_E_CORRUPT when INFO is of another capture. */
hsd_status hsd_capture_take_info(hsd_capture *capture, const hsd_facts *facts, hsd_fault *fault);
hsd_status hsd_capture_take_end(hsd_capture *capture, const hsd_facts *facts, hsd_fault *fault);

/* True if a TYPES block has a type that is a part (7.3). */
hsd_status hsd_capture_block_has_parts(const hsd_block *block, bool *has_parts, hsd_fault *fault);

/* HSD_DAMAGE_SKIP: reads and checks everything (survey.c). */
hsd_status hsd_capture_survey(hsd_capture *capture, hsd_fault *fault);

/* Digest of a complete capture (digest.c). I/O. */
hsd_status hsd_capture_find_digest(hsd_capture *capture, hsd_fault *fault);

/* Finds the capture id in INFO when the file header is damaged (11.6): HSD_OK with file->header set. */
hsd_status hsd_file_rescue_header(hsd_file *file, hsd_fault *fault);

/* Says in the info why the capture is not complete. HSD_E_NOMEM. */
hsd_status hsd_capture_set_reason(hsd_capture *capture, hsd_fault *fault, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
