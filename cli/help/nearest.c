/*
 * "Did you mean": the distance of Levenshtein, in one row.
 */
#include "help/nearest.h"

#include <string.h>

#define WORD_MOST  32
#define EDITS_MOST 2

size_t cli_edits(const char *a, size_t a_size, const char *b)
{
    size_t row[WORD_MOST + 1];
    const size_t b_size = strlen(b);
    if (a_size > WORD_MOST || b_size > WORD_MOST) return 99;
    for (size_t j = 0; j <= b_size; j++)
        row[j] = j;
    for (size_t i = 1; i <= a_size; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b_size; j++) {
            const size_t above = row[j];
            size_t best = diagonal + (a[i - 1] != b[j - 1]);
            if (above + 1 < best) best = above + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            row[j] = best;
            diagonal = above;
        }
    }
    return row[b_size];
}

/* What other tools call it. */
static const struct {
    const char *theirs, *ours;
} words_of_others[] = {
    {"compare", "diff"},   {"comparison", "diff"},  {"analyze", "top"},     {"histogram", "top"},
    {"stats", "top"},      {"heap", "top"},         {"attach", "capture"},  {"record", "capture"},
    {"run", "capture"},    {"snapshot", "capture"}, {"start", "capture"},   {"heapdump", "capture"},
    {"monitor", "watch"},  {"list", "ps"},          {"retainers", "paths"}, {"trace", "paths"},
    {"convert", "export"}, {"open", "view"},        {"serve", "view"},      {"query", "sql"},
    {"gate", "check"},     {"test", "check"},       {"trend", "series"},    {"repair", "salvage"},
};

static const cli_command *command_of_others(const char *word)
{
    for (size_t i = 0; i < sizeof words_of_others / sizeof words_of_others[0]; i++)
        if (strcmp(word, words_of_others[i].theirs) == 0) return cli_command_find(words_of_others[i].ours);
    return NULL;
}

const cli_command *cli_command_near(const char *word)
{
    const cli_command *same = command_of_others(word);
    if (same) return same;
    const cli_command *nearest = NULL;
    const size_t size = strlen(word);
    size_t least = EDITS_MOST + 1;
    for (size_t i = 0; cli_command_get(i); i++) {
        const size_t edits = cli_edits(word, size, cli_command_get(i)->name);
        if (edits < least && 2 * edits <= size) {
            least = edits;
            nearest = cli_command_get(i);
        }
    }
    return nearest;
}
