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

/* True if the word begins with "ssh://". Looks at nothing else. */
HSD_API bool hsd_remote_is(const char *word);

/*
 * Takes an address apart: ssh://[user@]host[:port][/name].
 *
 *   out   filled on HSD_OK, decoded
 *
 * Returns HSD_OK; HSD_E_UNSUPPORTED for what is no such address, or has something in it that ssh or a shell could take
 * for more than a name. The text says what.
 */
HSD_API hsd_status hsd_remote_parse(hsd_remote *out, const char *word, hsd_error *err);

enum { HSD_REMOTE_SAID_BYTES = 4096 };

typedef struct hsd_remote_options {
    size_t struct_bytes;      /* HSD_OPTIONS_INIT */
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
 * Captures the process that `at->name` names there into a file here: whole or not at all.
 *
 *   at       borrowed for the call
 *   options  borrowed for the call; name_it must be set
 *   answer   filled on HSD_OK
 *
 * Returns HSD_OK with what the other end answered, also when its exit_status is not 0 and nothing was kept; or
 *   HSD_E_UNSUPPORTED: there is no ssh here, ssh lets nobody in, or there is no hsdiff that sends captures; the hint
 *     says what to do.
 *   HSD_E_TOO_NEW: the hsdiff there is older than this one, and cannot send captures.
 *   HSD_E_NOT_FOUND: the address names no program.
 *   HSD_E_IO: no such machine, nobody answers, or the file here cannot be written.
 *   HSD_E_TRUNCATED: the connection broke and could not be taken up again.
 *   HSD_E_CORRUPT or HSD_E_NOT_THIS_FORMAT: the other end sends something else than a capture.
 *   HSD_E_CANCELLED: `run` or name_it said so.
 *   HSD_E_NOMEM: no memory.
 */
HSD_API hsd_status hsd_remote_capture(const hsd_remote *at, const hsd_remote_options *options, const hsd_run *run,
                                      hsd_remote_answer *answer, hsd_error *err);

/* Takes what arrives on standard output there; false = enough. */
typedef bool (*hsd_remote_fn)(void *context, const void *data, size_t size);

/*
 * Runs hsdiff there with these words, each one word there too.
 *
 *   command      as of hsd_remote_options
 *   words        `word_count` of them, borrowed for the call
 *   take         called with what arrives on standard output there, as it arrives
 *   exit_status  filled on HSD_OK: that of the command there
 *   said         filled with what it said on standard error, cut to HSD_REMOTE_SAID_BYTES with a NUL
 *
 * Fails as hsd_remote_capture does.
 */
HSD_API hsd_status hsd_remote_run(const hsd_remote *at, const char *command, const char *const *words,
                                  size_t word_count, hsd_remote_fn take, void *context, const hsd_run *run,
                                  int *exit_status, char said[HSD_REMOTE_SAID_BYTES], hsd_error *err);

/* ---- the other end ---- */

/*
 * Tells the other end which process is captured. `report` is the descriptor that hsd_serve_fn was given; what cannot
 * be written is lost, and the connection shows it.
 */
HSD_API void hsd_remote_tell_process(int report, const hsd_process *process);

/* Tells the other end what came of the capture, on `report` as above. */
HSD_API void hsd_remote_tell_result(int report, const hsd_live_result *result);

/*
 * Takes one capture to standard output, in a process of its own; what it says on standard error is passed on. Tells the
 * process before the first byte, the result behind the last. Returns the exit status.
 */
typedef int (*hsd_serve_fn)(void *context, int report);

/*
 * True if the text is what hsd_remote_serve takes: 32 digits or letters a-f, ':', and how many bytes have arrived, in
 * decimal digits.
 */
HSD_API bool hsd_remote_is_ticket(const char *ticket);

/*
 * Is the other end of hsd_remote_capture, on standard input and output. The first call with a ticket starts the
 * keeper, later calls find it.
 *
 *   ticket   see hsd_remote_is_ticket
 *   capture  called once, in the keeper, with `context`
 *
 * Returns HSD_OK when the connection ended; HSD_E_NOT_FOUND when bytes are asked for of a capture that is not kept any
 * more; HSD_E_MISUSE for a ticket that is none; HSD_E_IO when the keeper cannot be started or does not answer.
 */
HSD_API hsd_status hsd_remote_serve(const char *ticket, hsd_serve_fn capture, void *context, const hsd_run *run,
                                    hsd_error *err);

#ifdef __cplusplus
}
#endif
#endif
