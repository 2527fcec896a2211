/*
 * What the files of this folder share: the sentence that was asked (request.c), waiting for descriptors (sink.c), and
 * where captures are pushed to (push.c). Nothing here allocates or takes a lock.
 */
#ifndef HSA_PARTS_H
#define HSA_PARTS_H

#include "agent.h"

/* ---- sink.c ---- */

/* Waits until `fd` is ready for POLLIN or POLLOUT. False with ETIMEDOUT, or another errno. */
bool hsa_wait(int fd, short events, int timeout_ms);

/* Sends a short text whole, or does not; the other side may be gone. */
bool hsa_send_text(int fd, const char *text, size_t size);

/* The same descriptor under a number that programs do not count on; `fd` itself if there is none. -1 stays -1. */
int hsa_move_up(int fd);

/* Ends a conversation: whoever else has the descriptor by a fork does not hold it open for the other side. */
void hsa_hang_up(int fd);

/* ---- request.c ---- */

/* Reads and understands what is asked on request->fd. False: nothing is to be served, and the asker knows why. */
bool hsa_read_request(hsa_request *request);

/* The sentence without its line feed into verb and options: NULL, or why it is none. Changes `line`. */
const char *hsa_parse_request(hsa_request *request, char *line);

/* ---- push.c ---- */

typedef enum hsa_push_kind {
    HSA_PUSH_NEVER,
    HSA_PUSH_UNIX,
    HSA_PUSH_TCP4,
    HSA_PUSH_TCP6,
    HSA_PUSH_FOLDER
} hsa_push_kind;

typedef struct hsa_push {
    hsa_push_kind kind;
    char path[256];            /* of the socket or the folder */
    unsigned char address[16]; /* of TCP, in network order */
    unsigned port;
    uint64_t every_ns, next_ns;
    uint64_t left;   /* captures still to be sent */
    unsigned number; /* of the last file */
} hsa_push;

/* From these three values, any of which may be NULL. Returns NULL, or a sentence about what is wrong; then nothing is
 * pushed. */
const char *hsa_push_plan(hsa_push *push, const char *to, const char *every, const char *count);

/* Milliseconds until the next one, at most INT_MAX; -1 = there will be none. */
int hsa_push_wait_ms(const hsa_push *push, uint64_t now_ns);

/* Opens where the next one goes and moves the clock on. -1 if nobody is there: it is tried again when the next is due.
 */
int hsa_push_open(hsa_push *push, uint64_t now_ns);

/* Behind the capture: a file gets its name if it is whole, a socket is closed. */
void hsa_push_close(hsa_push *push, int fd);

#endif
