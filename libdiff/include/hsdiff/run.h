/*
 * The conditions one operation runs under: how much memory, how many threads, where temporary
 * data goes, whom to tell about progress and recoverable faults. Every long call of the library
 * takes one `hsd_run`; the library keeps no state outside it.
 */
#ifndef HSDIFF_RUN_H
#define HSDIFF_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hsdiff/costs.h>
#include <hsdiff/crypt.h>
#include <hsdiff/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * One step of a long operation. `stage` is a short English noun phrase ("importing a.hprof",
 * "sorting", "walking references"). done/total are in the unit of the stage, total 0 = unknown.
 * May be called from a worker thread, one call at a time, at most about ten times a second.
 * Return false to cancel: the operation ends with HSD_E_CANCELLED and leaves nothing behind.
 */
typedef bool (*hsd_progress_fn)(void *context, const char *stage, uint64_t done, uint64_t total);

typedef enum hsd_note_level {
    HSD_NOTE_DETAIL,  /* how it was done: planner decisions, stage times; shown with --verbose */
    HSD_NOTE_WARNING, /* the answer stands, and the user must know this about it */
    HSD_NOTE_DAMAGE   /* input was skipped: the answer is a lower bound; exit status 3 */
} hsd_note_level;

/* A recoverable fault or a decision worth telling. `text` is borrowed for the call. Thread-safe
 * receivers are not needed: calls are serialised by the library. */
typedef void (*hsd_note_fn)(void *context, hsd_note_level level, const char *text);

typedef struct hsd_run {
    uint64_t memory_bytes; /* budget for everything that grows; 0 = hsd_run_default_memory() */
    unsigned threads;      /* 0 = one for each processor, at most 16 */
    const char *temp_dir;  /* NULL = $TMPDIR, else /var/tmp, else /tmp; borrowed */
    hsd_progress_fn progress;
    void *progress_context;
    hsd_note_fn note;
    void *note_context;
    hsd_stage_fn stage; /* each stage that ends; NULL = nobody asks */
    void *stage_context;
    const hsd_costs *costs; /* for the bounds of stages; NULL = hsd_costs_built_in(); borrowed */
    hsd_crypt *crypt;       /* keys of encrypted inputs and captures; NULL = none; borrowed */
} hsd_run;

/*
 * The budget that memory_bytes 0 stands for: the smaller of 1 GiB and a quarter of what the machine or its memory
 * cgroup (v1 or v2) allows, at least 32 MiB. Reads /proc and /sys.
 */
HSD_API uint64_t hsd_run_default_memory(void);

/* What the machine or its memory cgroup allows; UINT64_MAX if that cannot be read. */
HSD_API uint64_t hsd_run_system_memory(void);

/* The folder of temporary files that temp_dir NULL or "" stands for, or temp_dir. Borrowed: of `run`, or of the
 * environment. */
HSD_API const char *hsd_run_temp_dir(const hsd_run *run);

/* The smallest budget any operation accepts. */
#define HSD_MEMORY_MIN_BYTES (UINT64_C(16) << 20)

#ifdef __cplusplus
}
#endif
#endif
