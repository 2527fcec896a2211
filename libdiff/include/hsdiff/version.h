/*
 * Which hsdiff this is, and which of its names programs may use. Every other header includes this one.
 *
 * Numbers follow Semantic Versioning. While MAJOR is 0 the library's soname is that of MAJOR.MINOR, since structs that
 * callers fill may grow in a new minor version: a program is built again for it. Fill structs by name ({.memory_bytes =
 * …}) or zero them first; a field that is 0 is always the default.
 */
#ifndef HSDIFF_VERSION_H
#define HSDIFF_VERSION_H

#define HSDIFF_VERSION_MAJOR 0
#define HSDIFF_VERSION_MINOR 1
#define HSDIFF_VERSION_PATCH 0
#define HSDIFF_VERSION       "0.1.0" /* CMake reads the project's version here */

/* Before each function that programs may call: the shared library shows these and no others. */
#if defined(__GNUC__)
#define HSD_API __attribute__((visibility("default")))
#else
#define HSD_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library that runs, which may be newer than HSDIFF_VERSION of the headers. A constant text. */
HSD_API const char *hsd_version(void);

#ifdef __cplusplus
}
#endif
#endif
