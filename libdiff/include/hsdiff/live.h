/*
 * Captures of programs that run. Looks at a process from outside, says what it is, which *way* leads to its heap, or
 * which gate is closed and the smallest thing that opens it; and goes that way, streaming, into a .hs.
 *
 *      way        for                                   how
 *      native     C, C++, anything with malloc          agent in the process (LD_PRELOAD, linked), asked over its socket
 *      mono       Mono                                  profiler module in the process, likewise
 *      lua        Lua 5.1 to 5.4, LuaJIT                module in the process, likewise
 *      ruby       Ruby                                  extension in the process, likewise
 *      jvm        HotSpot                               JVMTI agent, loaded for the purpose: ids for life, growth object by object
 *      hprof      HotSpot                               GC.heap_dump through a pipe into the importer: no memory in the target
 *      dotnet     .NET Core 3.1 and later               diagnostics socket of the runtime, nettrace turned into .hs as it arrives
 *      node       Node with the helper loaded           signal; the helper streams the snapshot back
 *      inspector  Node with --inspect                   HeapProfiler over the inspector's WebSocket
 */
#ifndef HSDIFF_LIVE_H
#define HSDIFF_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hsdiff/import.h>
#include <hsdiff/run.h>
#include <hsdiff/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hsd_process {
    long pid;
    /* what it calls itself: main class, script, or name of the executable; foreign text */
    char name[64];
    char runtime[64]; /* "HotSpot 17.0.21", "Node", "Mono", "native" … */
    const char *way;  /* the way that would be taken: a row of the table above */
    /* what a capture by it holds, a clause: "shapes only: no strings, keys or field values" */
    const char *stored;
    uint64_t started_unix_ns;
    unsigned uid;
} hsd_process;

/*
 * Says what process `pid` is and how it can be captured. Reads /proc alone: nothing happens to the process.
 *
 *   out  filled on HSD_OK; of other processes what was seen of them
 *   way  a name of the table above; NULL = the best one that is open
 *
 * Returns HSD_OK, or
 *   HSD_E_NOT_FOUND: there is no such process.
 *   HSD_E_UNSUPPORTED: no way is open. The text names the gate (another user, another namespace, an agent that is not
 *     loaded, a runtime that refuses to be attached to); the hint says what opens it. Also for a `way` that does not
 *     exist.
 */
HSD_API hsd_status hsd_process_look(hsd_process *out, long pid, const char *way, hsd_error *err);

/*
 * Says whose heap a dump is that process `pid` has just written, for hsd_import_options.origin: its name, number, start
 * and identity domain, and now as the time. Reads /proc alone.
 *
 *   process  filled; `origin` borrows its name
 *   origin   filled on HSD_OK
 *
 * Returns HSD_OK; HSD_E_NOT_FOUND: there is no such process. HSD_E_UNSUPPORTED: /proc does not show it.
 */
HSD_API hsd_status hsd_process_origin(hsd_import_origin *origin, hsd_process *process, long pid, hsd_error *err);

/*
 * Finds all processes whose name or executable is `name`, this one left out.
 *
 *   pids   room for `most`; filled by ascending number
 *   found  how many there are, which may be more than `most`
 *
 * Returns HSD_OK, also when there is none; HSD_E_UNSUPPORTED when /proc cannot be read.
 */
HSD_API hsd_status hsd_process_find(long *pids, size_t most, size_t *found, const char *name, hsd_error *err);

/* A process of the machine, as a list shows it. */
typedef struct hsd_listed_process {
    hsd_process process; /* way NULL: none is open */
    hsd_error why;       /* then: what stands in the way, and the hint what opens it. Else HSD_OK */
    uint64_t rss_bytes;  /* memory that it has resident */
    char user[32];       /* its effective user's name, or "#1000" for one who has no name here */
    /* first digits of its container's id, as docker ps shows them; "" = in none, or not known */
    char container[16];
    /* a way is open, or it runs in a runtime that has one; not just any program with malloc */
    bool has_runtime;
} hsd_listed_process;

typedef bool (*hsd_process_fn)(void *context, const hsd_listed_process *one); /* false = no more */

/*
 * Tells each process but this one and threads of the kernel, by ascending pid. Reads /proc alone.
 *
 *   name  NULL = all; else those alone whose name, executable, main class or script, or systemd unit holds it, or
 *         whose container's id begins with it
 *   tell  called for each; what it is given is borrowed for the call; false = no more
 *
 * Returns HSD_OK; HSD_E_UNSUPPORTED when /proc cannot be read.
 */
HSD_API hsd_status hsd_process_list(const char *name, hsd_process_fn tell, void *context, hsd_error *err);

/* Memory of a process, and the bound at which the kernel kills. */
typedef struct hsd_live_memory {
    uint64_t rss_bytes; /* resident, of the process alone */
    /* of the bound with the least room left, by all that share it; without cached files. 0, 0 = not known */
    uint64_t used_bytes, limit_bytes;
    /* the bound is a control group's (a container's); else the machine's memory */
    bool is_group;
} hsd_live_memory;

/*
 * Reads the memory of a process as it is now, from /proc and /sys/fs/cgroup: some 50 us.
 *
 *   out  filled on HSD_OK, zeroed otherwise
 *
 * Returns HSD_OK; HSD_E_NOT_FOUND when there is no such process.
 */
HSD_API hsd_status hsd_live_memory_read(hsd_live_memory *out, long pid, hsd_error *err);

/*
 * The name of row `i` of the table of ways, counted from 0: what hsd_live_options.way takes. NULL past the end. A
 * constant.
 */
HSD_API const char *hsd_way_name(size_t i);

/* What row `i` of the same table is for, in one line; NULL past the end. A constant. */
HSD_API const char *hsd_way_summary(size_t i);

typedef struct hsd_live_options {
    size_t struct_bytes; /* HSD_OPTIONS_INIT */
    const char *way;     /* NULL = the best that is open */
    bool with_values;    /* strings, keys and values too, where the way has them */
    /* node: may open the inspector of a process that has none, by SIGUSR1, and closes it again */
    bool open_inspector;
    bool keep_cut;            /* a capture that was cut off stays, and is incomplete; else nothing is left */
    unsigned timeout_seconds; /* without a byte for so long: given up; 0 = 60 */
    int compression;          /* zstd level of the capture, 0 = none */
    const char *const *symbol_directories; /* native: as in hsd_symbol_options */
    size_t symbol_directory_count;
} hsd_live_options;

typedef struct hsd_live_result {
    uint64_t objects, references, bytes, output_bytes;
    uint64_t pause_ns; /* how long the program stood still, 0 = not known */
    uint64_t duration_ns;
    uint64_t losses; /* things that the capture says are not in it */
    bool is_complete;
} hsd_live_result;

/*
 * Captures a process that hsd_process_look has seen. The target goes on, whatever happens to this side.
 *
 *   process               borrowed for the call
 *   out_path              "-" = standard output; a file is there whole or not at all, mode 0600
 *   force                 replace a file that is there
 *   options, run, result  may be NULL; `result` is filled on HSD_OK
 *
 * Returns HSD_OK, or
 *   HSD_E_TRUNCATED: the target or its agent went away in the middle, or sent nothing for the timeout. With keep_cut
 *     that is HSD_OK and result->is_complete false, if anything came.
 *   HSD_E_NOT_FOUND: the process is gone, or its number is another process by now.
 *   HSD_E_UNSUPPORTED: the way is not open, or its runtime refused; text and hint say why and what helps.
 *   HSD_E_IO: with EEXIST a file is there and not `force`; else the system's reason.
 *   HSD_E_CANCELLED: the progress of `run` said so.
 *   HSD_E_OVER_BUDGET, HSD_E_NOMEM, HSD_E_CORRUPT: as of an import; for the ways that are one.
 *
 * What it costs the program: doc/capture.md, by runtime.
 */
HSD_API hsd_status hsd_live_capture(const hsd_process *process, const char *out_path, bool force,
                                    const hsd_live_options *options, const hsd_run *run, hsd_live_result *result,
                                    hsd_error *err);

/*
 * hsd_live_capture into a temporary file without a name.
 *
 *   out_fd  owned by the caller, who closes it; -1 on failure
 *
 * Fails as hsd_live_capture does.
 */
HSD_API hsd_status hsd_live_capture_temp(const hsd_process *process, const hsd_live_options *options,
                                         const hsd_run *run, int *out_fd, hsd_live_result *result, hsd_error *err);

/*
 * Gives back what the way keeps in the target between two captures: the tags of objects, of the way jvm.
 *
 * Returns HSD_OK; HSD_E_UNSUPPORTED when the way keeps nothing; HSD_E_MISUSE for a process that was not looked at;
 * HSD_E_NOT_FOUND when the process is gone; else as the way fails to reach it.
 */
HSD_API hsd_status hsd_live_forget(const hsd_process *process, const hsd_run *run, hsd_error *err);

/* ---- programs that are started for it ---- */

/* Sets one variable of the child's environment; both texts are borrowed for the call. */
typedef void (*hsd_set_variable_fn)(void *context, const char *name, const char *value);

/*
 * Sets what makes `command` capturable in the `environment` of a child that is about to be started: LD_PRELOAD,
 * NODE_OPTIONS, MONO_ENV_OPTIONS, LUA_INIT …, each added to what is there. Where nothing need be set (a JVM, .NET)
 * nothing is.
 *
 *   command  its words, NULL behind the last; borrowed for the call
 *   way      NULL = by the command's name and content (shebang, ELF)
 *   chosen   filled with the name of the way that it will be, a constant
 *   set      called once for each variable; its texts are borrowed for that call
 *
 * Returns HSD_OK; HSD_E_UNSUPPORTED when no way, or not the one asked for, fits the command, or its agent is not
 * installed; HSD_E_MISUSE for an empty command.
 */
HSD_API hsd_status hsd_live_prepare(const char *const *command, const char *way, const char **chosen,
                                    hsd_set_variable_fn set, void *context, hsd_error *err);

/* ---- streams that programs send ---- */

/* One stream that ended, kept or not. */
typedef struct hsd_received {
    const char *path; /* borrowed for the call; NULL: nothing was kept */
    hsd_live_result result;
    hsd_error error; /* HSD_OK, or why it is cut or refused */
} hsd_received;
/* Told of each stream that ended; `one` is borrowed for the call. */
typedef void (*hsd_received_fn)(void *context, const hsd_received *one);

/*
 * Saves the captures that agents push (HSDIFF_TO), until `run` is cancelled. Each stream becomes one file,
 * FOLDER/NAME-PID-NNNN.hs, whole or not at all. Several may arrive at a time.
 *
 *   where    "unix:PATH" or "tcp:HOST:PORT", loopback alone
 *   folder   must be there
 *   options  NULL = defaults
 *   run      its progress is asked for the first time when the call listens, then ten times a second; false ends the
 *            call
 *   tell     called for each stream that ended, with what is borrowed for that call
 *
 * Returns HSD_OK when it was cancelled; streams that were under way are then cut. HSD_E_UNSUPPORTED: no such address.
 * HSD_E_IO: someone listens there, or the folder cannot be opened.
 */
HSD_API hsd_status hsd_receive(const char *where, const char *folder, const hsd_live_options *options,
                               const hsd_run *run, hsd_received_fn tell, void *context, hsd_error *err);

#ifdef __cplusplus
}
#endif
#endif
