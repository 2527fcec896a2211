/*
 * "Did you mean": the distance of Levenshtein, in one row.
 */
#include "help/nearest.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

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

/* ---- files ---- */

#define FILES_MOST 10000 /* of a folder are looked at */

static size_t common_beginning(const char *a, const char *b)
{
    size_t size = 0;
    while (a[size] != 0 && a[size] == b[size])
        size++;
    return size;
}

/* What differs in the middle is compared: a name may be longer than a word. */
static size_t file_edits(const char *a, const char *b)
{
    const size_t same = common_beginning(a, b);
    size_t a_size = strlen(a) - same, b_size = strlen(b) - same;
    char rest[WORD_MOST + 1];
    while (a_size > 0 && b_size > 0 && a[same + a_size - 1] == b[same + b_size - 1])
        a_size--, b_size--;
    if (b_size > WORD_MOST) return 99;
    memcpy(rest, b + same, b_size);
    rest[b_size] = 0;
    return cli_edits(a + same, a_size, rest);
}

static bool is_plain_file(DIR *folder, const char *name)
{
    struct stat what;
    return fstatat(dirfd(folder), name, &what, 0) == 0 && S_ISREG(what.st_mode);
}

static bool find_near(DIR *folder, const char *name, char *nearest, size_t size)
{
    size_t least = EDITS_MOST + 1, as_near = 0;
    const struct dirent *entry;
    if (strlen(name) / 3 < EDITS_MOST) least = strlen(name) / 3 + 1;
    for (int seen = 0; seen < FILES_MOST && (entry = readdir(folder)) != NULL; seen++) {
        const size_t edits = file_edits(name, entry->d_name);
        if (entry->d_name[0] == '.' || edits > least || strlen(entry->d_name) >= size) continue;
        if (!is_plain_file(folder, entry->d_name)) continue;
        as_near = edits < least ? 1 : as_near + 1;
        if (edits < least) memcpy(nearest, entry->d_name, strlen(entry->d_name) + 1);
        least = edits;
    }
    return as_near == 1 && nearest[0] != 0;
}

bool cli_file_near(char *out, size_t size, const char *file)
{
    const char *slash = strrchr(file, '/');
    const size_t folder_size = slash != NULL ? (size_t)(slash - file) + 1 : 0;
    char path[4096], nearest[256] = "";
    if (folder_size >= sizeof path) return false;
    memcpy(path, file, folder_size);
    path[folder_size] = 0;
    DIR *folder = opendir(folder_size > 0 ? path : ".");
    if (folder == NULL) return false;
    const bool found = find_near(folder, file + folder_size, nearest, sizeof nearest);
    closedir(folder);
    return found && (size_t)snprintf(out, size, "%s%s", path, nearest) < size;
}
