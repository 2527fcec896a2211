/*
 * A broken rule of FORMAT.md, on its way from the function that saw it to whoever decides what it
 * means: a reader makes an error of it, verify tells it and goes on, salvage drops the block.
 */
#ifndef HSD_FORMAT_FAULT_H
#define HSD_FORMAT_FAULT_H

#include <stdint.h>

#include <hsdiff/status.h>

#define HSD_NO_BLOCK UINT64_MAX

typedef struct hsd_fault {
    hsd_status status;     /* CORRUPT, TRUNCATED, TOO_NEW …; or IO, NOMEM: then `error` is the story */
    const char *rule;      /* "4.3"; static */
    uint64_t offset_bytes; /* in the file: the structure that is broken */
    uint64_t block;        /* its number, or HSD_NO_BLOCK */
    char text[256];        /* a clause: "its checksum does not match" */
    uint64_t budget_bytes; /* OVER_BUDGET: the memory that suffices */
    hsd_error error;       /* of the machine, when status is not about the bytes */
} hsd_fault;

/* Fills rule and text; place is set by the caller that knows it. Returns `status`. */
hsd_status hsd_fault_set(hsd_fault *fault, hsd_status status, const char *rule, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* HSD_E_CORRUPT, the commonest. */
#define hsd_fault_corrupt(fault, rule, ...) hsd_fault_set(fault, HSD_E_CORRUPT, rule, __VA_ARGS__)

/* HSD_E_OVER_BUDGET: `what` ("the list of its blocks") needs a budget of so many bytes. */
hsd_status hsd_fault_over_budget(hsd_fault *fault, const char *what, uint64_t budget_bytes);

/* True if the bytes are at fault, false if the machine is (I/O, memory). */
static inline int hsd_fault_is_of_bytes(const hsd_fault *fault)
{
    return fault->status == HSD_E_CORRUPT || fault->status == HSD_E_TRUNCATED || fault->status == HSD_E_TOO_NEW ||
           fault->status == HSD_E_NOT_THIS_FORMAT;
}

/*
 * Makes an error of it: "block 7 is damaged: its checksum does not match (FORMAT.md 4.4)", offset, and
 * for damage the hint with --partial and salvage. `file` names the capture in the hint; may be NULL.
 */
hsd_status hsd_fault_raise(const hsd_fault *fault, const char *file, hsd_error *err);

/* Sets the hint with --partial and `hsdiff salvage FILE`. */
void hsd_fault_hint(const char *file, hsd_error *err);

/* 64313344 as "64,313,344". */
#define HSD_DIGITS_BYTES 32
const char *hsd_group_digits(char text[HSD_DIGITS_BYTES], uint64_t value);

#endif
