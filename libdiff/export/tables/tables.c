/*
 * The columns of a table, read from the statement that makes it, and which tables there are for whom.
 */
#include "export/tables/tables.h"

#include <string.h>

/* ---- columns */

typedef struct word {
    const char *at;
    size_t size;
} word;

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The next word or mark behind `*at`; comments and space go by. Empty at the end. */
static word next_word(const char **at)
{
    const char *from = *at;
    for (;;) {
        while (*from == ' ' || *from == '\n')
            from++;
        if (from[0] != '-' || from[1] != '-') break;
        while (*from != '\0' && *from != '\n')
            from++;
    }
    size_t size = 0;
    while (is_word(from[size]))
        size++;
    if (size == 0 && *from != '\0') size = 1;
    *at = from + size;
    return (word){.at = from, .size = size};
}

static bool is(word w, const char *text) { return strlen(text) == w.size && memcmp(w.at, text, w.size) == 0; }

/* Behind a column or a clause: past the comma, or false at the bracket that closes the table. */
static bool skip_rest(const char **at, bool *is_required)
{
    for (unsigned depth = 0;;) {
        const word w = next_word(at);
        if (w.size == 0 || (depth == 0 && is(w, ")"))) return false;
        if (depth == 0 && is(w, ",")) return true;
        if (is(w, "(")) depth++;
        if (is(w, ")")) depth--;
        if (is(w, "NOT") || is(w, "PRIMARY")) *is_required = true; /* NOT NULL, PRIMARY KEY: there is nothing else */
    }
}

unsigned hsd_table_columns(hsd_table table, hsd_column_text columns[HSD_TABLE_COLUMNS_MOST])
{
    const char *at = strchr(hsd_table_get(table)->sql, '(');
    unsigned count = 0;
    bool goes_on = at != NULL;
    if (goes_on) at++;
    while (goes_on) {
        const word name = next_word(&at);
        bool is_required = false;
        if (!is(name, "PRIMARY")) {
            const word kind = next_word(&at);
            if (count == HSD_TABLE_COLUMNS_MOST || name.size >= sizeof columns->name) return 0;
            hsd_column_text *column = &columns[count++];
            *column = (hsd_column_text){.is_text = is(kind, "TEXT")};
            memcpy(column->name, name.at, name.size);
        }
        goes_on = skip_rest(&at, &is_required);
        if (!is(name, "PRIMARY")) columns[count - 1].is_required = is_required;
    }
    return count;
}

/* ---- what is wanted */

hsd_wanted hsd_wanted_all(bool is_pair)
{
    hsd_wanted wanted = {.indexes = {is_pair ? UINT32_MAX : 0, UINT32_MAX}};
    for (unsigned i = 0; i < HSD_TABLE_COUNT; i++) {
        const hsd_scope scope = hsd_table_get(i)->scope;
        wanted.tables[0][i] = is_pair && scope == HSD_OF_EACH;
        wanted.tables[1][i] = is_pair || scope != HSD_OF_PAIR;
    }
    return wanted;
}
