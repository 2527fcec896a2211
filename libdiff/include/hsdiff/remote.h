/*
 * Captures of programs on other machines, by the user's own ssh:
 *
 *      here                                                      there
 *      hsd_remote_capture ── ssh ──► hsdiff capture --serve ──► relay ──► keeper ──► capture
 *                         ◄── frames ─────────────────────────────┘         │
 *                                                                     a file without a name
 *
 * The keeper takes the capture into a file that has no name, and sends from it. A connection that breaks is made anew
 * and goes on where it stopped; the file is gone with the keeper, which ends when the capture has arrived, or when
 * nobody has asked for a minute.
 */
#ifndef HSDIFF_REMOTE_H
#define HSDIFF_REMOTE_H

#include <stdbool.h>
#include <stddef.h>

#include <hsdiff/live.h>
#include <hsdiff/run.h>
#include <hsdiff/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ssh://[user@]host[:port][/name], taken apart and decoded. */
typedef struct hsd_remote {
    char user[64];  /* "" = as ssh has it */
    char host[256]; /* without the brackets of an IPv6 address */
    char name[256]; /* "" = none */
    unsigned port;  /* 0 = as ssh has it */
} hsd_remote;

/* Does the word begin with "ssh://"? */
HSD_API bool hsd_remote_is(const char *word);

/* HSD_E_UNSUPPORTED: not such an address, or with something in it that ssh or a shell could take for more than a name.
 */
HSD_API hsd_status hsd_remote_parse(hsd_remote *out, const char *word, hsd_error *err);

enum { HSD_REMOTE_SAID_BYTES = 4096 };

typedef struct hsd_remote_options {
    const char *command;      /* what runs hsdiff there, in the words of the shell there; NULL = "hsdiff" */
    const char *const *words; /* options of its capture, each one word */
    size_t word_count;
    bool force, keep_cut;     /* as in hsd_live_capture */
    unsigned timeout_seconds; /* without a byte for so long the connection counts as broken; 0 = 60 */
    /* Where the capture of this process goes: a path or "-", borrowed until the call returns; NULL ends it with
     * HSD_E_CANCELLED. */
    const char *(*name_it)(void *context, const hsd_process *process);
    void *context;
} hsd_remote_options;

typedef struct hsd_remote_answer {
    hsd_process process; /* pid 0: it was not found */
    char stored[192];    /* process.stored leads here */
    hsd_live_result result;
    int exit_status;                  /* of the capture there */
    char said[HSD_REMOTE_SAID_BYTES]; /* what it said beside that: lines, foreign text */
    unsigned resumed;                 /* connections after the first */
} hsd_remote_answer;

/*
 * Captures the process that `at->name` names there into a file here: whole or not at all. HSD_OK: what the other end
 * answered, also when its exit_status is not 0 and nothing was kept. HSD_E_UNSUPPORTED: ssh lets nobody in, or there is
 * no hsdiff, the hint says what to do. HSD_E_IO: no such machine, nobody answers. HSD_E_TRUNCATED: the connection broke
 * and could not be taken up again.
 */
HSD_API hsd_status hsd_remote_capture(const hsd_remote *at, const hsd_remote_options *options, const hsd_run *run,
                                      hsd_remote_answer *answer, hsd_error *err);

/* Takes what arrives on standard output there; false = enough. */
typedef bool (*hsd_remote_fn)(void *context, const void *data, size_t size);

/* Runs hsdiff there with these words, each one word there too. Statuses as above; *exit_status is its own. What it said
 * on standard error goes to `said`. */
HSD_API hsd_status hsd_remote_run(const hsd_remote *at, const char *command, const char *const *words,
                                  size_t word_count, hsd_remote_fn take, void *context, const hsd_run *run,
                                  int *exit_status, char said[HSD_REMOTE_SAID_BYTES], hsd_error *err);

/* ---- the other end ---- */

/* Tells of the capture, on `report`. */
HSD_API void hsd_remote_tell_process(int report, const hsd_process *process);
/* Tells what came of it, on `report`. */
HSD_API void hsd_remote_tell_result(int report, const hsd_live_result *result);

/*
 * Takes one capture to standard output, in a process of its own; what it says on standard error is passed on. Tells the
 * process before the first byte, the result behind the last. Returns the exit status.
 */
typedef int (*hsd_serve_fn)(void *context, int report);

/* Is this what hsd_remote_serve takes: 32 digits or letters a-f, ':', how many bytes have arrived? */
HSD_API bool hsd_remote_is_ticket(const char *ticket);

/* The other end of hsd_remote_capture, on standard input and output. The first call with a ticket starts the keeper,
 * later ones find it. HSD_E_NOT_FOUND: bytes are asked for of a capture that is not there any more. */
HSD_API hsd_status hsd_remote_serve(const char *ticket, hsd_serve_fn capture, void *context, const hsd_run *run,
                                    hsd_error *err);

#ifdef __cplusplus
}
#endif
#endif
