/*
 * What the facts of a capture mean, in words: the bits of hscapture.h as the library passes them on.
 */
#ifndef CLI_INFO_WORDS_H
#define CLI_INFO_WORDS_H

#include <stddef.h>
#include <stdint.h>

#include <hsdiff/capture.h>
#include <hsdiff/report.h>

/* The bits are part of the format (FORMAT.md) and will not change. */
#define CLI_FACT_VALUES 0x4u

typedef struct cli_fact {
    uint32_t bit;
    const char *key;      /* in JSON */
    const char *sentence; /* for people */
} cli_fact;

/* Row i of the table; NULL past the end. */
const cli_fact *cli_fact_get(size_t i);

/* "3.4 ms", "212 ms", "1.2 s". Returns out. */
const char *cli_format_short_time(char out[HSD_NUMBER_CHARS], uint64_t elapsed_ns);

const char *cli_identity_word(hsd_identity identity);
const char *cli_identity_sentence(hsd_identity identity);

#endif
