/*
 * The code that runs inside the other process, and the page that it shares with this side. The code is copied there as
 * bytes: it calls what the page names, makes system calls by itself, and knows no address of its own.
 *
 *      page 0   code (r-x), which begins with HSD_STUB_MAGIC
 *      page 1…  hsd_stub_data
 *      the rest a stack for what a thread of the program is made to do, and one for the new thread
 *
 * A thread of the program, stopped at a safe place, loads the agent, starts a thread of libc's and goes on. The new one
 * takes the GIL, has the agent write the heap into a pipe, unloads it and ends.
 */
#ifndef HSD_LIVE_PYTHON_STUB_H
#define HSD_LIVE_PYTHON_STUB_H

#include <stdint.h>

enum {
    HSD_STUB_PAGE = 4096,
    HSD_STUB_DATA_BYTES = 2 * HSD_STUB_PAGE,
    HSD_STUB_BEGIN_BYTES = 128 * 1024,
    HSD_STUB_STACK_BYTES = 1024 * 1024,
    HSD_STUB_STACK_AT = HSD_STUB_PAGE + HSD_STUB_DATA_BYTES + HSD_STUB_BEGIN_BYTES,
    HSD_STUB_REGION_BYTES = HSD_STUB_STACK_AT + HSD_STUB_STACK_BYTES
};
/* The first bytes of the code, in front of what is executed. */
#define HSD_STUB_MAGIC "hsdiff in python"
enum { HSD_STUB_MAGIC_BYTES = 16, HSD_STUB_FILTER = 9 };

/* How far the thread has come. */
typedef enum hsd_stub_state {
    HSD_STUB_NEW,
    HSD_STUB_RUNS,   /* and waits for the GIL */
    HSD_STUB_OFFERS, /* fds[0] can be opened from outside, and it waits for `go` */
    HSD_STUB_WALKS,
    HSD_STUB_DONE /* what came of it stands in `outcome`; the thread is about to end */
} hsd_stub_state;

typedef enum hsd_stub_outcome {
    HSD_STUB_WHOLE,
    HSD_STUB_NO_PYTHON,  /* not initialised, or ending */
    HSD_STUB_NO_PIPE,    /* `number` has the errno */
    HSD_STUB_NOT_LOADED, /* `error` has the sentence of dlopen or dlsym */
    HSD_STUB_NOBODY,     /* nobody took the pipe in time */
    HSD_STUB_FAILED      /* `error` has the agent's sentence */
} hsd_stub_outcome;

/* Of the kernel's struct sock_filter and sock_fprog. */
typedef struct hsd_stub_instruction {
    uint16_t code;
    uint8_t if_true, if_false;
    uint32_t number;
} hsd_stub_instruction;

typedef struct hsd_stub_data {
    volatile uint32_t state, outcome, go;
    /* a thread of the program is, or was, made to run here; it is through */
    volatile uint32_t is_begun, has_begun;
    volatile int32_t tid, number; /* tid: as the process itself counts */
    int32_t fds[2];
    int32_t create_failed; /* what pthread_create returned */
    int32_t agent_fd;      /* to be closed when the agent is loaded; -1 = none */
    uint64_t region, region_bytes, offer_ns;
    uint64_t attributes[16]; /* pthread_attr_t */
    uint64_t thread;
    void *agent; /* what dlopen gave */
    /* functions in the process */
    int *(*errno_location)(void);
    int (*attributes_init)(void *);
    int (*attributes_set_stack)(void *, void *, unsigned long);
    int (*attributes_set_detached)(void *, int);
    int (*create)(void *, const void *, void *(*)(void *), void *);
    void *(*thread_main)(void *); /* in the copy of the code */
    int (*is_initialized)(void);
    int (*take_gil)(void);
    void (*release_gil)(int);
    void *(*open)(const char *, int);
    void *(*symbol)(void *, const char *);
    int (*close)(void *);
    char *(*why)(void);
    /* seccomp: see stub.c */
    hsd_stub_instruction filter[HSD_STUB_FILTER];
    struct {
        uint16_t count;
        const hsd_stub_instruction *first;
    } program;
    struct {
        uint64_t struct_bytes;
        int32_t compression, is_stored;
    } options; /* capture/python/hspy.h, hspy_options */
    char name[16], entry[32], error[512];
    char path[4096];
} hsd_stub_data;

/* The agent's function, as capture/python/hspy.h has it. */
#define HSD_STUB_ENTRY "hspy_capture"
typedef int (*hsd_stub_entry)(int descriptor, const void *options, char *error, uint64_t error_size);

/* The code, to be copied to the beginning of a page of its own; its functions as distances from its first byte. */
const void *hsd_stub_code(void);
uint64_t hsd_stub_code_bytes(void);
uint64_t hsd_stub_begin_at(void);
uint64_t hsd_stub_thread_at(void);

/* Fills in what does not depend on the process. */
void hsd_stub_prepare(hsd_stub_data *data);

#endif
