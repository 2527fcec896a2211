/*
 * What the two ends of a capture over ssh say to each other.
 *
 *      there -> here    "hsdiff-capture/1\n", then frames: a letter, the size as four bytes from the lowest, the bytes
 *                       H  of which process it is: lines "key value"
 *                       D  bytes of the capture, from the offset that was asked for
 *                       P  nothing new: the other end is alive
 *                       E  the end: lines "key value", an empty line, and what was said on standard error
 *      here -> there    one byte: 'k' it has arrived whole, 'x' it is not wanted any more
 *
 * What a login shell says in front of it is skipped.
 */
#ifndef HSD_LIVE_SSH_FRAMES_H
#define HSD_LIVE_SSH_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hsdiff/remote.h>

#define HSD_FRAMES_MAGIC "hsdiff-capture/1\n"
enum {
    HSD_FRAME_HEADER = 5,
    HSD_FRAME_TEXT_MAX = 16 * 1024,
    HSD_FRAME_DATA_MAX = 64 * 1024,
    HSD_FRAMES_NOISE_MAX = 64 * 1024
};
enum { HSD_FRAME_ARRIVED = 'k', HSD_FRAME_UNWANTED = 'x' };

/* The header of a frame. */
void hsd_frame_header(uint8_t out[HSD_FRAME_HEADER], char kind, size_t size);

typedef struct hsd_frames {
    size_t magic_seen;    /* bytes of the magic that have come, one behind the other */
    uint64_t noise_bytes; /* in front of it */
    uint8_t header[HSD_FRAME_HEADER];
    size_t header_size; /* of the frame under way */
    uint32_t left;      /* of its body */
    char text[HSD_FRAME_TEXT_MAX + 1];
    size_t text_size;
    bool has_begun, has_ended; /* the magic was seen; an E was */
} hsd_frames;

typedef struct hsd_frames_taker {
    /* H: may change the text. false = enough */
    bool (*process)(void *context, char *text);
    /* pieces of D's, not empty. false = enough */
    bool (*data)(void *context, const uint8_t *data, size_t size);
    void (*end)(void *context, char *text); /* E */
    void *context;
} hsd_frames_taker;

/*
 * The next bytes, in pieces of any size. What follows an E is ignored. HSD_E_CANCELLED: a taker has enough.
 * HSD_E_NOT_THIS_FORMAT: too much came and no magic. HSD_E_CORRUPT: no such frame.
 */
hsd_status hsd_frames_take(hsd_frames *frames, const uint8_t *data, size_t size, const hsd_frames_taker *taker,
                           hsd_error *err);

/* Lines of H and E into the answer. What is not known is skipped; of E the text behind the empty line is `said`. */
void hsd_frames_read_process(char *text, hsd_remote_answer *answer);
void hsd_frames_read_end(char *text, hsd_remote_answer *answer);

#endif
