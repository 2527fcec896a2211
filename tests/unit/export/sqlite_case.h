/*
 * For suites about databases: captures in a folder of the test's own, statements about them, and their answers as text,
 * a row a line with | between the columns.
 */
#ifndef HSD_TESTS_SQLITE_CASE_H
#define HSD_TESTS_SQLITE_CASE_H

#include <stdbool.h>
#include <stddef.h>

#include <hsdiff/export.h>
#include <hsdiff/sql.h>

/* Files of the test: two captures, and a database. */
extern char db_before[96], db_after[96], db_file[96];
extern hsd_error db_err;

void db_begin(void); /* of a test */
void db_end(void);

/* A capture that must open; the caller closes it. */
hsd_capture *db_open_capture(const char *path);

/* Called between opening the captures and the export; NULL = nothing. */
extern void (*db_arm)(void);

/* Exports db_after, or the growth from db_before, into db_file. Fills db_err. */
hsd_status db_export(bool is_pair, uint64_t memory_bytes);

/* A question and its answer, to be freed; ends the test when it cannot be answered. */
char *db_ask(hsd_sql *sql, const char *statement);

/* That db_after (or the pair) answers so, made for the statement, and exported as well. */
void db_expect(bool is_pair, const char *statement, const char *answer);

/* That the statement is refused; db_err says why. */
void db_expect_refused(const char *statement, const char *why);

/* How many files stand in the folder of the test. */
size_t db_count_files(void);

/* db_file as bytes, to be freed. */
char *db_read_file(size_t *size);

#endif
