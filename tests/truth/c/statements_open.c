/* Statements of SQLite are prepared and never finalized: the connection has a list of them. The library has no debug
 * information, and keeps the functions that allocate to itself. */
#include "program.h"

#include <sqlite3.h>

static sqlite3 *db;

static void setup(void)
{
    if (sqlite3_open(":memory:", &db) != SQLITE_OK || sqlite3_exec(db, "create table t (a, b)", NULL, NULL, NULL))
        exit(1);
}

static __attribute__((noinline)) int look_up(long number)
{
    sqlite3_stmt *statement;
    char query[80];
    snprintf(query, sizeof query, "select a from t where b = %ld", number);
    sqlite3_prepare_v2(db, query, -1, &statement, NULL); /* truth: made */
    return sqlite3_step(statement);
}

static void plant(long number)
{
    if (look_up(number) == SQLITE_ERROR) exit(1);
}
