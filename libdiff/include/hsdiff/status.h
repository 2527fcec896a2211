/*
 * What every fallible call of libdiff returns, and where the story of a failure is told.
 *
 * A caller can always tell apart: not my format, newer than me, damaged, cut off, too big for
 * the budget, my own call was wrong. The function that detects a fault fills the error; those
 * above it pass it on and add only what it could not know (usually the file name).
 */
#ifndef HSDIFF_STATUS_H
#define HSDIFF_STATUS_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <hsdiff/version.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hsd_status {
    HSD_OK = 0,
    HSD_END = 1,                /* an iterator is exhausted; not an error */
    HSD_E_IO = -1,              /* the system refused: see sys_errno */
    HSD_E_NOMEM = -2,           /* an allocation failed */
    HSD_E_NOT_THIS_FORMAT = -3, /* the bytes are of another format */
    HSD_E_TOO_NEW = -4,         /* a version or required feature this build does not know */
    HSD_E_CORRUPT = -5,         /* bytes contradict the format or their checksum */
    HSD_E_TRUNCATED = -6,       /* the input ends before its end record */
    HSD_E_OVER_BUDGET = -7,     /* --memory is too small; the text names the number that suffices */
    HSD_E_UNSUPPORTED = -8,     /* valid, and not something this build does */
    HSD_E_CANCELLED = -9,       /* the progress callback asked to stop */
    HSD_E_NOT_FOUND = -11,      /* the capture holds nothing of the kind that was asked for */
    HSD_E_MISUSE = -10          /* the call was wrong: a bug of the caller */
} hsd_status;

#define HSD_NO_OFFSET UINT64_MAX

/*
 * Owned by the caller, who may pass NULL wherever one is taken. Allocates nothing. Meaningful only
 * after a call returned a negative status. `text` is one sentence without a newline that says what
 * is wrong; `hint` says what to do about it (usually a command line), or is empty. Names of foreign
 * origin stand in them raw: whoever prints escapes for the terminal.
 */
typedef struct hsd_error {
    hsd_status status;
    int sys_errno;         /* 0, or the errno of the call that failed */
    uint64_t offset_bytes; /* where in `file`, or HSD_NO_OFFSET */
    char file[512];        /* name as the user gave it, possibly shortened; may be empty */
    char text[512];
    char hint[512];
} hsd_error;

/* Makes `err` a zeroed error with no offset. NULL is accepted. */
HSD_API void hsd_error_init(hsd_error *err);

/*
 * Fills `err`, which may be NULL, and returns `status`, an HSD_E_*, so that `return hsd_fail(...)` reads well. Keeps
 * `file` if it was already set; resets offset, errno and hint. `format` is that of printf; the text is cut to the room
 * of hsd_error.
 */
HSD_API hsd_status hsd_fail(hsd_error *err, hsd_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* hsd_fail with a byte offset in the input: returns `status`, an HSD_E_*. */
HSD_API hsd_status hsd_fail_at(hsd_error *err, hsd_status status, uint64_t offset_bytes, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/*
 * hsd_fail with HSD_E_IO, and errno's text appended to the sentence: "cannot read: Input/output error". Returns
 * HSD_E_IO.
 */
HSD_API hsd_status hsd_fail_errno(hsd_error *err, int sys_errno, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Names the file of an error that has none yet; copied, and shortened where it is too long. With a NULL `err` or
 * `file` nothing happens.
 */
HSD_API void hsd_error_set_file(hsd_error *err, const char *file);

/*
 * Sets the hint of an error: what the user can do next. `format` is that of printf. With a NULL `err` nothing happens.
 */
HSD_API void hsd_error_set_hint(hsd_error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * A short stable word for a status ("corrupt", "truncated"): for JSON and tests. Never NULL: "unknown" for what is
 * none. A constant.
 */
HSD_API const char *hsd_status_name(hsd_status status);

/* Forwards anything but HSD_OK to the caller of the function it stands in. */
#define HSD_TRY(call)                                                                                                  \
    do {                                                                                                               \
        const hsd_status hsd_try_ = (call);                                                                            \
        if (hsd_try_ != HSD_OK) return hsd_try_;                                                                       \
    } while (0)

/*
 * How every struct of options begins: `hsd_diff_options options = HSD_OPTIONS_INIT(hsd_diff_options);`, then members
 * that are not 0 are set. So a program and a library of other versions understand each other: what an older program
 * does not know is 0, and a newer one is refused (HSD_E_MISUSE) if it sets what the library does not know. Where
 * struct_bytes is 0 the struct has the members of its first version, and all others are not looked at.
 */
#ifdef __cplusplus
#define HSD_OPTIONS_INIT(type)                                                                                         \
    ([] {                                                                                                              \
        type init = type();                                                                                            \
        init.struct_bytes = sizeof(type);                                                                              \
        return init;                                                                                                   \
    }())
#else
#define HSD_OPTIONS_INIT(type)                                                                                         \
    {                                                                                                                  \
        .struct_bytes = sizeof(type)                                                                                   \
    }
#endif

#ifdef __cplusplus
}
#endif
#endif
