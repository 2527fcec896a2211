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
 * What process `pid` is and how it can be captured. `way` NULL = the best one that is open. HSD_E_NOT_FOUND: no such
 * process. HSD_E_UNSUPPORTED: no way is open; the text names the gate (another user, another namespace, an agent that
 * is not loaded, a runtime that refuses to be attached to), the hint what opens it. Reads /proc alone: nothing happens
 * to the process.
 */
HSD_API hsd_status hsd_process_look(hsd_process *out, long pid, const char *way, hsd_error *err);

/* All processes whose name or executable is `name`, by ascending pid, this one left out. Up to `most`; *found counts
 * all. */
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
 * Tells each process but this one and threads of the kernel, by ascending pid; `one` is borrowed for the call. With
 * `name` not NULL those alone whose name, executable, main class or script, or systemd unit holds it, or whose
 * container's id begins with it. Reads /proc alone. HSD_E_UNSUPPORTED: /proc cannot be read.
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

/* As it is now, from /proc and /sys/fs/cgroup: some 50 us. HSD_E_NOT_FOUND: there is no such process. */
HSD_API hsd_status hsd_live_memory_read(hsd_live_memory *out, long pid, hsd_error *err);

/* Row i of the table of ways: its name and one line; NULL past the end. */
HSD_API const char *hsd_way_name(size_t i);
/* What row i of the same table is for, in one line; NULL past the end. */
HSD_API const char *hsd_way_summary(size_t i);

typedef struct hsd_live_options {
    const char *way;  /* NULL = the best that is open */
    bool with_values; /* strings, keys and values too, where the way has them */
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
 * Captures a process that hsd_process_look has seen into `out_path` ("-" = standard output): whole or not at all, 0600.
 * The target goes on whatever happens to this side. HSD_E_TRUNCATED: the target or its agent went away in the middle;
 * with keep_cut that is HSD_OK and result->is_complete false, if anything came.
 */
HSD_API hsd_status hsd_live_capture(const hsd_process *process, const char *out_path, bool force,
                                    const hsd_live_options *options, const hsd_run *run, hsd_live_result *result,
                                    hsd_error *err);

/* The same into a temporary file without a name: *out_fd is the caller's, -1 on failure. */
HSD_API hsd_status hsd_live_capture_temp(const hsd_process *process, const hsd_live_options *options,
                                         const hsd_run *run, int *out_fd, hsd_live_result *result, hsd_error *err);

/* Gives back what the way keeps in the target between captures (the tags of jvm). HSD_E_UNSUPPORTED where that is
 * nothing. */
HSD_API hsd_status hsd_live_forget(const hsd_process *process, const hsd_run *run, hsd_error *err);

/* ---- programs that are started for it ---- */

/*
 * Sets what makes `command` capturable in `environment` of a child about to be started: LD_PRELOAD, NODE_OPTIONS,
 * MONO_ENV_OPTIONS, LUA_INIT …, each added to what is there. `way` NULL = by the command's name and content (shebang,
 * ELF). Where nothing need be set (a JVM, .NET) nothing is. *chosen says which way it will be. Calls `set` once for
 * each variable.
 */
typedef void (*hsd_set_variable_fn)(void *context, const char *name, const char *value);
HSD_API hsd_status hsd_live_prepare(const char *const *command, const char *way, const char **chosen,
                                    hsd_set_variable_fn set, void *context, hsd_error *err);

/* ---- streams that programs send ---- */

/*
 * Saves the captures that agents push (HSDIFF_TO), until `run` is cancelled: listens at `where` ("unix:PATH" or
 * "tcp:HOST:PORT", loopback alone), one file a stream, FOLDER/NAME-PID-NNNN.hs, whole or not at all. Several at a time.
 * The progress of `run` is asked for the first time when it listens, then ten times a second. HSD_OK when it was
 * cancelled; streams that were under way then are cut. HSD_E_UNSUPPORTED: not such an address; HSD_E_IO: someone
 * listens there, the folder cannot be opened.
 */
typedef struct hsd_received {
    const char *path; /* borrowed for the call; NULL: nothing was kept */
    hsd_live_result result;
    hsd_error error; /* HSD_OK, or why it is cut or refused */
} hsd_received;
typedef void (*hsd_received_fn)(void *context, const hsd_received *one);
HSD_API hsd_status hsd_receive(const char *where, const char *folder, const hsd_live_options *options,
                               const hsd_run *run, hsd_received_fn tell, void *context, hsd_error *err);

#ifdef __cplusplus
}
#endif
#endif
