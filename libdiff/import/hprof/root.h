/*
 * Roots, threads, their frames and allocation sites of an HPROF dump, into the capture.
 */
#ifndef HSD_IMPORT_HPROF_ROOT_H
#define HSD_IMPORT_HPROF_ROOT_H

#include "import/hprof/hprof.h"
#include "import/hprof/output.h"

#define HPROF_PRIMITIVE_CLASSES 9u
#define HPROF_WAITING_HANDLES   16u

typedef struct hprof_handles {               /* JNI globals, until it is known whose they are: handle.c */
    uint64_t types[HPROF_PRIMITIVE_CLASSES]; /* classes of int, byte … void */
    uint64_t waiting[HPROF_WAITING_HANDLES]; /* what the handles of a row refer to */
    uint64_t last;                           /* address of the handle before */
    unsigned type_count, waiting_count;
    unsigned in_row; /* classes of primitive types, one behind the other */
    bool is_of_vm;   /* from here on */
} hprof_handles;

typedef struct hprof_roots {
    hprof *self;
    hprof_output *output;
    hsd_buffer text;         /* scratch */
    hsd_id_table site_table; /* parent site and frame -> site */
    uint32_t plain[256];     /* string by tag of root, 0 = not made yet */
    uint64_t frames_left;    /* that may still be written */
    uint32_t last_serial;    /* stack trace of the object before, and its site */
    uint32_t last_site;
    hprof_handles handles;
} hprof_roots;

/* All threads that the scan found, with their frames. */
hsd_status hsd_hprof_write_threads(hprof_roots *roots, hsd_error *err);

/* A root record of the dump. */
hsd_status hsd_hprof_write_root(hprof_roots *roots, const hprof_sub *sub, hsd_error *err);

/* One that is named by its kind alone. */
hsd_status hsd_hprof_write_plain_root(hprof_roots *roots, uint8_t tag, uint64_t target, hsd_error *err);

/* JNI globals, in the order of the file. Before the first one, and behind the last root. */
void hsd_hprof_begin_handles(hprof_roots *roots);
hsd_status hsd_hprof_write_handle(hprof_roots *roots, uint64_t target, uint64_t handle, hsd_error *err);
hsd_status hsd_hprof_end_handles(hprof_roots *roots, hsd_error *err);

/* The string `thread "main"` of a thread. */
hsd_status hsd_hprof_thread_label(hprof_roots *roots, hprof_thread *thread, uint32_t *string, hsd_error *err);

/* The allocation site for the stack trace serial of an object; 0 = none. */
hsd_status hsd_hprof_site(hprof_roots *roots, uint32_t serial, uint32_t *site, hsd_error *err);

uint64_t hsd_hprof_roots_memory(const hprof_roots *roots);
void hsd_hprof_roots_release(hprof_roots *roots);

#endif
