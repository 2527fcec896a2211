/*
 * Running the second reader (tests/spec) on a file, and looking at two texts that should be one.
 */
#ifndef HSD_TESTS_READING_H
#define HSD_TESTS_READING_H

#include <stddef.h>

/* All of a file, with a NUL behind it; the caller frees it. */
char *read_whole(const char *path, size_t *size);

enum { READ_COMPLETE = 0, READ_INCOMPLETE = 1, READ_REFUSED = 2 }; /* its exit statuses */

/* What it prints, which the caller frees, and its exit status. It prints into path + ".txt", which is removed again. */
int second_reader(const char *path, char **text, size_t *size);

/* Fails with the first line in which the texts differ, if they do. */
void expect_same_text(const char *what, const char *expected, size_t expected_bytes, const char *got, size_t got_bytes);

#endif
