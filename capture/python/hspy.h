/*
 * The Python agent, libhsdiff-python.so: one object for every CPython from 3.8 to 3.14. What is loaded into an
 * interpreter calls hspy_capture, and nothing else:
 *
 *      ctypes.PyDLL("…/libhsdiff-python.so").hspy_capture(fd, None, error, 512)       of a test, of a package
 *      dlopen, dlsym, hspy_capture(fd, NULL, error, sizeof error)                     of an injector, by a thread that holds the GIL
 *
 * It needs no library of Python: names of the interpreter are looked up in the process when they are first used.
 */
#ifndef HSPY_H
#define HSPY_H

#include <stddef.h>

#ifndef HSPY_API
#if defined(__GNUC__)
#define HSPY_API __attribute__((visibility("default")))
#else
#define HSPY_API
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* All zero but struct_bytes is what NULL stands for. */
typedef struct hspy_options {
    size_t struct_bytes; /* sizeof(hspy_options) of the caller: later fields than it knows are 0 */
    int compression;     /* zstd level, -7 to 19; 0 = 1 */
    int is_stored;       /* not 0: blocks are not compressed, whatever `compression` says */
} hspy_options;

/*
 * Streams a whole capture of the interpreters of this process to `descriptor`, which stays open. The caller holds the
 * GIL and is at a point where a function of an extension may be called. No Python code is run, the collector stands
 * still, no object of Python stays behind. Blocks as long as the reader does not read; a write to who is gone fails
 * with EPIPE, without a signal.
 *
 * @param options     NULL = defaults
 * @param error       gets one sentence, cut to error_size, when the result is -1; may be NULL
 * @return 0, or -1: what was written so far is then incomplete and says so where it can
 */
HSPY_API int hspy_capture(int descriptor, const struct hspy_options *options, char *error, size_t error_size);

/* "0.1.0" */
HSPY_API const char *hspy_version(void);

#ifdef __cplusplus
}
#endif
#endif
