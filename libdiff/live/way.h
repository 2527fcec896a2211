/*
 * A way to the heap of a running process: a row of the table in ways.c, a file way_*.c. Ways know the facts of the
 * process and a descriptor to write to, and nothing of each other.
 */
#ifndef HSD_LIVE_WAY_H
#define HSD_LIVE_WAY_H

#include "base/note.h"
#include "io/temp.h"
#include <hsdiff/import.h>
#include <hsdiff/live.h>

/* What /proc says of a process, read once (facts.c). Texts are foreign and cut to their size. */
typedef struct hsd_process_facts {
    long pid, inner_pid; /* inner_pid: as it sees itself (last of NSpid) */
    unsigned uid, gid;
    char command[32];        /* comm */
    char executable[512];    /* where exe leads; "" = not readable */
    char arguments[4096];    /* cmdline: words end in NUL, an empty one behind the last */
    char root[40];           /* "/proc/PID/root": in front of every path that the process names */
    uint64_t caught_signals; /* SigCgt */
    uint64_t started_unix_ns, rss_bytes;
    uint64_t start_ticks;                               /* since the boot: stays when the clock is set */
    bool is_readable;                                   /* maps and exe could be read: same user, or root */
    bool is_same_network, is_same_mounts, is_same_pids; /* namespaces */
    bool has_other_users;                               /* it is known to be in another user namespace */
    bool is_traced, is_zombie, is_kernel;
    /* `mapped` holds all names of mapped files, each once, the last empty: a list of processes asks many times */
    bool has_mapped;
    char mapped[16 * 1024];
    struct hsd_shared_facts *shared; /* of all processes of a list (facts.h); NULL = everything is read anew */
} hsd_process_facts;

/* Does a mapped file of the process have this name (its last part; `prefix`: begins with it)? Reads /proc/PID/maps
 * anew, unless has_mapped. */
bool hsd_process_maps(const hsd_process_facts *facts, const char *file_name, bool prefix);
/* Does an open descriptor lead to a file of this name (last part)? */
bool hsd_process_has_open(const hsd_process_facts *facts, const char *file_name);
/* Value of a variable of its environment as it was started; false if not there or not readable. */
bool hsd_process_variable(const hsd_process_facts *facts, const char *name, char *out, size_t size);

enum { HSD_LIVE_METRICS = 4 };

/* One capture under way. */
typedef struct hsd_live {
    const hsd_process_facts *facts;
    const hsd_process *process;
    const hsd_live_options *options;
    const hsd_run *run;     /* may be told of things by several threads at a time; never NULL */
    hsd_reporter *reporter; /* over `run`: notes and progress */
    hsd_temp_space *space;
    int out_fd;          /* empty; the .hs goes here from the start, byte behind byte */
    uint64_t started_ns; /* hsd_now_ns when it began */
    /* how big the process was then: a snapshot of a runtime's own makes it grow */
    hsd_origin_metric before[HSD_LIVE_METRICS];
    size_t before_count;
    _Atomic uint64_t received_bytes; /* for the progress */
    hsd_live_result *result;         /* pause_ns if the way knows better than the capture's own metric */
} hsd_live;

typedef enum hsd_gate { HSD_GATE_OPEN, HSD_GATE_CLOSED, HSD_GATE_NOT_MINE } hsd_gate;

typedef struct hsd_way {
    const char *name, *summary, *stored;
    /*
     * Is this way for that process, and is it open? Fills process->runtime and ->name where it knows better than comm.
     * Closed: the error has the gate and the hint. Looks at /proc alone.
     */
    hsd_gate (*look)(const hsd_process_facts *facts, hsd_process *process, hsd_error *err);
    hsd_status (*capture)(hsd_live *live, hsd_error *err);
    /* NULL = keeps nothing */
    hsd_status (*forget)(const hsd_process_facts *facts, const hsd_run *run, hsd_error *err);
    /* For a command about to be started: true if it is one of mine; then sets what it needs. NULL = is never started
     * for. */
    bool (*prepare)(const char *const *command, hsd_set_variable_fn set, void *context, hsd_status *status,
                    hsd_error *err);
    /* Does capture() refuse it, as it is now, without an option of the user's? Then the error has the reason and the
     * option. NULL = never. */
    bool (*needs_leave)(const hsd_process_facts *facts, hsd_error *err);
    bool asks_before;  /* never taken unless named or nothing else is open */
    bool leaves_names; /* captures hold unresolved names (hsdiff/symbols.h), to be resolved behind it */
} hsd_way;

/* In the order in which they are tried. */
extern const hsd_way hsd_way_mono, hsd_way_lua, hsd_way_ruby, hsd_way_python, hsd_way_python_inject,
    hsd_way_python_remote, hsd_way_node, hsd_way_inspector, hsd_way_jvm, hsd_way_hprof, hsd_way_dotnet, hsd_way_go,
    hsd_way_native;
const hsd_way *hsd_way_row(size_t i);

/* ---- shared by ways ---- */

/* An agent's own socket (capture/agent/agent.h): asks it and copies the answer to live->out_fd. (control.c) */
hsd_status hsd_live_ask(hsd_live *live, const char *agent, const char *options, hsd_error *err);
hsd_status hsd_live_ask_forget(const hsd_process_facts *facts, const hsd_run *run, const char *agent, hsd_error *err);
/* Open, closed (with the error) or not there. */
hsd_gate hsd_live_find_agent(const hsd_process_facts *facts, const char *agent, hsd_error *err);

/*
 * Waits until `fd` is ready for `events` (POLLIN, POLLOUT), telling progress ten times a second. HSD_E_IO with
 * ETIMEDOUT when the timeout of the options is over, HSD_E_CANCELLED. (wait.c)
 */
hsd_status hsd_live_wait(hsd_live *live, int fd, short events, hsd_error *err);
/* What one read gives after waiting, 0 bytes at the end. HSD_E_IO. */
hsd_status hsd_live_read(hsd_live *live, int fd, void *data, size_t size, size_t *got, hsd_error *err);

/*
 * Copies a .hs that arrives at `fd` to live->out_fd until its end. HSD_E_TRUNCATED: nothing came;
 * HSD_E_NOT_THIS_FORMAT: something else; else as hsd_live_wait. Whether it is whole is looked at behind the way.
 * (copy.c)
 */
hsd_status hsd_live_copy(hsd_live *live, int fd, hsd_error *err);

/*
 * Imports what arrives at `fd` in this format (NULL = by content) into live->out_fd, with name, runtime, pid, start,
 * domain and metrics of the process. `fd` may be of any kind, stays open, and is read by a thread, so that the timeout
 * holds. `options` may be NULL; its origin, if it has one, goes before what is known of the process, its metrics behind
 * those, heap_end is called. (imported.c)
 */
hsd_status hsd_live_import(hsd_live *live, int fd, const char *format, const hsd_import_options *options,
                           hsd_error *err);

/* The same of a regular file that is there whole, which is read here and there. */
hsd_status hsd_live_import_file(hsd_live *live, int fd, const char *format, const hsd_import_options *options,
                                hsd_error *err);

/* Where the agents of this build or installation lie: $HSDIFF_AGENTS, or ../lib/hsdiff or ../agents as seen from the
 * program's folder. The path of the file called `name`; HSD_E_NOT_FOUND with the places that were looked at. (agents.c)
 */
hsd_status hsd_agent_path(char *out, size_t size, const char *name, hsd_error *err);

/* ---- for prepare(): a program that is about to be started (prepare.c) ---- */

/* The folder of that file, for a variable of the environment whose words have `separators` between them: ":" or ":;".
 * HSD_E_UNSUPPORTED when the folder's own name has one. */
hsd_status hsd_agent_folder(char *out, size_t size, const char *name, const char *variable, const char *separators,
                            hsd_error *err);

/* Sets the variable to `word` in front of what this process has in it. */
hsd_status hsd_put_in_front(const char *name, const char *word, char between, hsd_set_variable_fn set, void *context,
                            hsd_error *err);

/* Is the command, as PATH finds it, a script whose first line names the interpreter: rails of ruby, pytest of python?
 */
bool hsd_command_is_script_of(const char *command, const char *interpreter);

#endif
