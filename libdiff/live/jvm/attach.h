/*
 * HotSpot's attach protocol, spoken without a JDK. A JVM listens at /tmp/.java_pid<pid> once it was asked to: by a file
 * .attach_pid<pid> and SIGQUIT (with -Xrs it does so by itself). Where the JVM does not catch that signal yet it would
 * end it; so this is looked at first.
 *
 *      request     "1" NUL command NUL argument NUL argument NUL argument NUL
 *      answer      status in decimal, line feed, text up to the end of the stream
 */
#ifndef HSD_LIVE_ATTACH_H
#define HSD_LIVE_ATTACH_H

#include "live/way.h"

enum { HSD_ATTACH_ARGUMENTS = 3, HSD_ATTACH_REQUEST_BYTES = 4096, HSD_ATTACH_ANSWER_BYTES = 4096 };

typedef struct hsd_attach_answer {
    int status;                         /* 0 = done */
    char text[HSD_ATTACH_ANSWER_BYTES]; /* cut to its size, foreign */
} hsd_attach_answer;

/* Would an attempt be safe and not in vain? Fills the error where the gate is closed. Looks at /proc alone. */
hsd_gate hsd_attach_look(const hsd_process_facts *facts, hsd_error *err);
/* The answer for a JVM that says itself that nobody may attach: closed, with the error. */
hsd_gate hsd_attach_forbidden(const hsd_process_facts *facts, hsd_error *err);

/* Connects; makes the JVM listen if it does not yet. *fd is owned by the caller. HSD_E_UNSUPPORTED: a gate; HSD_E_IO:
 * it does not answer. */
hsd_status hsd_attach_open(int *fd, const hsd_process_facts *facts, hsd_error *err);

/* Sends a command; arguments may be NULL. HSD_E_MISUSE: too long. */
hsd_status hsd_attach_send(int fd, const char *command, const char *const arguments[HSD_ATTACH_ARGUMENTS],
                           hsd_error *err);

/* Waits for the answer and reads it whole. HSD_E_IO; HSD_E_TRUNCATED: the JVM ended. */
hsd_status hsd_attach_read(int fd, unsigned timeout_seconds, hsd_attach_answer *out, hsd_error *err);

/* Removes the socket that a JVM which was killed left behind. */
void hsd_attach_sweep(const hsd_process_facts *facts);

/* ---- text ---- */

/* The request, with its NULs; 0 if it does not fit. */
size_t hsd_attach_format(char *out, size_t size, const char *command,
                         const char *const arguments[HSD_ATTACH_ARGUMENTS]);
/* `text` is NUL-terminated. False if it is no answer. */
bool hsd_attach_parse(hsd_attach_answer *out, const char *text);
/* The last number in the text: what Agent_OnAttach returned, in words that differ between JDKs. False if there is none.
 */
bool hsd_attach_result(const hsd_attach_answer *answer, long *out);

#endif
