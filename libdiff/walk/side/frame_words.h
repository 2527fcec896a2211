/*
 * Words of a frame on a native stack. Several of one frame may lead to the same object: the variable and copies that
 * the compiler put aside, or two variables. The object hangs from one of them.
 *
 *      frame of main:  main   main.shop.names   main.shop.names   main.other
 *                         \        |                |               /
 *                          ────────┴── one object ──┴──────────────
 *      main.shop.names counts: the first that is known to be of a variable, else the first
 */
#ifndef HSD_WALK_SIDE_FRAME_WORDS_H
#define HSD_WALK_SIDE_FRAME_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include <hsdiff/capture.h>
#include <hsdiff/status.h>

/* Of one frame so many words are looked at together; of more, as hostile captures have them, each so many apart. */
#define HSD_FRAME_WORDS_MOST 32768u

typedef struct hsd_frame_word {
    uint64_t target;
    uint32_t record;
    bool is_of_variable;
} hsd_frame_word;

typedef struct hsd_frame_words { /* zeroed it is valid and empty */
    /* of the frame that is being read */
    uint32_t thread, frame;
    hsd_frame_word *words;
    uint32_t count, capacity;
    /* a bit for each record up to the last that is left out */
    uint8_t *left_out;
    uint32_t left_out_bytes;
} hsd_frame_words;

/* Is the record one of those words? */
bool hsd_root_is_frame_word(const hsd_root *root);

/* The next such word, the record of that number in their order. */
hsd_status hsd_frame_words_add(hsd_frame_words *words, const hsd_root *root, uint32_t record, bool is_of_variable,
                               hsd_error *err);

/* Behind the last. */
hsd_status hsd_frame_words_end(hsd_frame_words *words, hsd_error *err);

static inline bool hsd_frame_words_leave_out(const hsd_frame_words *words, uint32_t record)
{
    return record / 8 < words->left_out_bytes && (words->left_out[record / 8] >> record % 8 & 1) != 0;
}

void hsd_frame_words_release(hsd_frame_words *words);

#endif
