/*
 * What every agent inside a process shares: how it is asked for a capture, where the bytes go, what it knows of its own
 * process, and memory that is not malloc's. An agent is a runtime's own way to walk its heap, and this around it.
 *
 *      hsdiff capture PID ──connect──► \0hsdiff/1/NAME/PID         an abstract Unix socket: no file, nothing left behind
 *                         ──request──► "hsdiff 1 capture KEY=VALUE …\n"
 *                         ◄──answer──  "ok\n" and the bytes of a .hs, up to the end of the stream
 *                                   or "error SENTENCE\n"
 *                         ──request──► "hsdiff 1 forget\n"   ◄── "ok\n" or "error …\n"
 *
 * PID is the agent's own getpid(). Containers that share a network and count their processes for themselves have the
 * same numbers: the second one listens at PID.2, and so on up to PID.9. Both sides ask the kernel who the other one is
 * (SO_PEERCRED): an agent serves its own effective user and root alone, one request at a time; others wait in the queue
 * of the socket. When the asker goes away the next write fails, the capture ends there and the program goes on.
 *
 * Without being asked an agent *pushes* where the environment of its program says so, read once by hsa_listen:
 *
 *      HSDIFF_TO=unix:PATH | tcp:127.0.0.1:PORT | tcp:[::1]:PORT | dir:FOLDER      plain .hs, no answer line
 *      HSDIFF_EVERY=SECONDS                                                        from now on ("60", "0.5"); 0 or absent = never
 *      HSDIFF_COUNT=N                                                              then no more; 0 or absent = without end
 *
 * dir:FOLDER makes FOLDER/NAME-PID-NNNN.hs, whole or not at all (O_TMPFILE, linkat, 0600). TCP is for loopback
 * addresses alone.
 *
 * Everything here but hsa_listen may be called where malloc may not: no function allocates, takes a lock of libc or
 * uses stdio behind that.
 */
#ifndef HSA_AGENT_H
#define HSA_AGENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hscapture/hscapture.h>

enum { HSA_REQUEST_BYTES = 1024, HSA_NAME_BYTES = 32, HSA_NAME_TURNS = 9 };

typedef enum hsa_verb { HSA_CAPTURE, HSA_FORGET } hsa_verb;

typedef struct hsa_request {
    hsa_verb verb;
    int fd;                          /* where the answer goes */
    bool is_push;                    /* nobody asked: no answer line */
    char options[HSA_REQUEST_BYTES]; /* "KEY=VALUE KEY=VALUE", as asked */
} hsa_request;

/*
 * Serves one request, on the agent's thread: either hsa_accept and then a capture into hsa_sink, or hsa_refuse. The
 * socket is closed by the caller. Whatever goes wrong behind hsa_accept, the capture simply ends early.
 */
typedef void (*hsa_serve_fn)(void *context, const hsa_request *request);

typedef struct hsa_agent {
    const char *name; /* "native", "mono", "lua": borrowed for ever */
    hsa_serve_fn serve;
    void *context;
    void (*thread_begins)(void *context); /* first thing on the agent's thread; may be NULL */
} hsa_agent;

/*
 * Starts the thread that waits for requests (all signals blocked, 256 KiB of stack, named "hsdiff"). Once a process: a
 * second call fails with EALREADY. 0, or an errno: EADDRINUSE when all names for this pid are taken. Survives fork in
 * the parent alone; the child calls hsa_after_fork from its handler and may listen again.
 */
int hsa_listen(const hsa_agent *agent);

/* Closes what was inherited, the request under way too. Async-signal-safe. */
void hsa_after_fork(void);

/* For the child of a fork that serves a request in its parent's place: closes the socket that the parent listens at,
 * and keeps the request. Async-signal-safe. */
void hsa_leave_listening(void);

/* Stops listening and ends the thread, unless it is serving, which is waited for. */
void hsa_stop(void);

/* What was asked: the number or word behind KEY=, or the default. A number that is none is the default too. */
uint64_t hsa_option_number(const hsa_request *request, const char *key, uint64_t fallback);
/* Into `out`, cut to its size. False if the key is not there. */
bool hsa_option_text(const hsa_request *request, const char *key, char *out, size_t size);

/* "ok\n", or nothing for a push. False when the other side is gone. */
bool hsa_accept(const hsa_request *request);
/* "error SENTENCE\n": at most 512 bytes of it, without line breaks. For a push: nothing. */
void hsa_refuse(const hsa_request *request, const char *sentence);

/* Writes to request->fd, without SIGPIPE. `context` is the request. Waits at most 30 s for a reader that does not read.
 */
hsc_sink hsa_sink(const hsa_request *request);

/* ---- memory that is not malloc's ---- */

/* Address space taken at once, pages when touched, given back as a whole. Not for several threads at a time. */
typedef struct hsa_arena {
    unsigned char *start;
    size_t size, used;
} hsa_arena;

bool hsa_arena_open(hsa_arena *arena, size_t size);  /* mmap, MAP_NORESERVE; false with errno */
void *hsa_arena_take(hsa_arena *arena, size_t size); /* zeroed, 16-aligned; NULL when full */
void hsa_arena_close(hsa_arena *arena);
/* For hsc_options.allocator: what is given back is only reused when the arena closes. */
hsc_allocator hsa_arena_allocator(hsa_arena *arena);

/* ---- texts, each once ---- */

/* A text of one kind, whatever the agent calls that; the numbers are the agent's. */
typedef struct hsa_text {
    char *text; /* with a NUL behind; NULL = the place is free */
    size_t size;
    uint32_t kind, id, seen;
} hsa_text;

typedef struct hsa_texts {
    hsa_text *entries; /* in no order */
    size_t capacity, count;
    struct hsa_text_block *blocks; /* the copies, the block that is being filled first */
} hsa_texts;                       /* zeroed: closed */

/* Takes memory of malloc. False when there is none; to be closed all the same. */
bool hsa_texts_open(hsa_texts *all);
/* NULL: it is not there. */
hsa_text *hsa_texts_find(const hsa_texts *all, uint32_t kind, const char *text, size_t size);
/* Puts in a copy of a text that is not there. Moves all entries. NULL without memory: then nothing has changed. */
hsa_text *hsa_texts_add(hsa_texts *all, uint32_t kind, const char *text, size_t size);
void hsa_texts_close(hsa_texts *all);

/* Letters, digits and underscores of ASCII, at most so many, no digit in front: what a program would call something. */
bool hsa_is_identifier(const char *text, size_t size, size_t most);

/* ---- what is known of the process ---- */

/* The beginning of a file, such as those of /proc: at most size - 1 bytes, then NUL. How many; 0 if it cannot be read.
 */
size_t hsa_read_text(const char *path, char *out, size_t size);

/*
 * Fills process_name (of /proc/self/comm, which the caller's buffer holds), pid, started_unix_ns, pointer_bytes and the
 * identity domain: 16 random bytes drawn at the first call in this process, others after a fork (so a child that writes
 * its parent's heap takes what the parent knew). Opens files of /proc; no malloc.
 */
typedef struct hsa_self {
    char name[64];
    uint8_t domain[16];
    uint64_t pid, started_unix_ns;
} hsa_self;
void hsa_know_self(hsa_self *self);
/*
 * Takes another identity domain, which an agent that is loaded anew for every capture finds again: it is computed from
 * the boot, the process and where the kernel has put its stack. Children of fork and what is behind an exec have
 * others. The drawn one stays where /proc cannot be read. Opens files; no malloc.
 */
void hsa_keep_domain(hsa_self *self);
void hsa_describe(hsc_options *options, const hsa_self *self);

/* process.rss, process.private, threads, process.limit: of the calling process as they are now, read from /proc and
 * from its control groups. */
typedef struct hsa_metrics {
    uint64_t rss_bytes, private_bytes, threads;
    uint64_t limit_bytes; /* 0 = no control group limits it */
} hsa_metrics;
void hsa_measure(hsa_metrics *metrics);
hsc_status hsa_write_metrics(hsc_writer *w, const hsa_metrics *metrics);

uint64_t hsa_now_ns(void); /* monotonic */

#endif
