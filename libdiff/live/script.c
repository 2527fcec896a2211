/*
 * What a process is called. comm and the executable are the interpreter's where there is one: then the first word of
 * its command line that is neither an option nor the value of one is the program.
 *
 *      java -Xmx1g -cp a.jar:b.jar com.shop.Main --port 80     com.shop.Main
 *      node --require ./x.js server.js                         server.js
 */
#include "live/facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "live/procfs.h"

/* By the beginning of the executable's name; options whose value is the next word, options behind which no script
 * comes, and words in front of it, each with a blank on both sides. */
typedef struct interpreter {
    const char *prefix, *with_value, *no_script, *commands;
} interpreter;

static const interpreter interpreters[] = {
    {"java",
     " -cp -classpath --class-path -p --module-path --add-modules --add-opens --add-exports --add-reads "
     "--upgrade-module-path "
     "--limit-modules --enable-native-access ",
     " ", " "},
    {"node", " -r --require --import --loader --experimental-loader -C --conditions --title --env-file ",
     " -e --eval -p --print ", " "},
    {"mono", " ", " ", " "},
    {"dotnet", " --fx-version --additionalprobingpath --additional-deps --depsfile --runtimeconfig --roll-forward ",
     " ", " "},
    {"python", " -W -X --check-hash-based-pycs ", " -c ", " "},
    {"ruby", " -r -I -C -E -F -T -W ", " -e ", " "},
    {"lua", " -l ", " -e ", " "},
    {"perl", " ", " -e -E ", " "},
    {"php", " -c -d -z ", " -r ", " "},
    {"bun", " -r --preload --config --cwd --env-file ", " -e --eval -p --print ", " run "},
    {"deno", " -c --config --env-file --location --seed ", " ", " run serve "},
};

static bool has_word(const char *words, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = words; length > 0 && (at = strstr(at, word)) != NULL; at++)
        if (at > words && at[-1] == ' ' && at[length] == ' ') return true;
    return false;
}

static const interpreter *find_interpreter(const hsd_process_facts *facts)
{
    size_t size = 0;
    const char *name = hsd_procfs_last_part(facts->executable[0] != '\0' ? facts->executable : facts->arguments, &size);
    for (size_t i = 0; i < HSD_ARRAY_LEN(interpreters); i++) {
        const size_t length = strlen(interpreters[i].prefix);
        if (size >= length && memcmp(name, interpreters[i].prefix, length) == 0) return &interpreters[i];
    }
    return NULL;
}

/* The word behind this one; the empty one behind the last stays. */
static const char *next_word(const char *word) { return *word == '\0' ? word : word + strlen(word) + 1; }

static const char *find_script(const hsd_process_facts *facts)
{
    const interpreter *known = find_interpreter(facts);
    const char *word = next_word(facts->arguments);
    if (known == NULL) return "";
    for (; *word == '-' || has_word(known->commands, word); word = next_word(word)) {
        if (has_word(known->no_script, word)) return "";
        if (has_word(known->with_value, word)) word = next_word(word);
        if (*word == '\0') return "";
    }
    return word;
}

static void copy_text(char *out, size_t size, const char *from, size_t length)
{
    if (length > size - 1) length = size - 1;
    memcpy(out, from, length);
    out[length] = '\0';
}

static void copy_last_part(char *out, size_t size, const char *path)
{
    size_t length = 0;
    const char *last = hsd_procfs_last_part(path, &length);
    copy_text(out, size, last, length);
}

/* ---- workers of Python's multiprocessing ---- */

enum { MOST_PARENTS = 4 };

/* The code behind -c: python -c "from multiprocessing.spawn import spawn_main; …" --multiprocessing-fork */
static const char *code_of(const hsd_process_facts *facts)
{
    const char *word = next_word(facts->arguments);
    while (*word == '-' && strcmp(word, "-c") != 0)
        word = next_word(word);
    return strcmp(word, "-c") == 0 ? next_word(word) : "";
}

static bool code_begins(const hsd_process_facts *facts, const char *with)
{
    return strncmp(code_of(facts), with, strlen(with)) == 0;
}

/* What started it, as far as names tell; false where that is gone. */
static bool read_parent(hsd_process_facts *facts)
{
    char path[64];
    size_t size = 0;
    snprintf(path, sizeof path, "/proc/%ld/stat", facts->pid);
    char *stat = hsd_procfs_read(path, 4096, &size);
    const uint64_t parent = stat == NULL ? 0 : hsd_procfs_stat_number(stat, 4);
    free(stat);
    if (parent == 0) return false;
    facts->pid = (long)parent;
    snprintf(path, sizeof path, "/proc/%ld/cmdline", facts->pid);
    char *words = hsd_procfs_read(path, sizeof facts->arguments - 2, &size);
    if (words == NULL) return false;
    memset(facts->arguments, 0, sizeof facts->arguments);
    memcpy(facts->arguments, words, size);
    free(words);
    return true;
}

/* Workers that are started anew, as uvicorn's, run a line of Python that names nobody: they are called as the program
 * that started them. */
static void name_worker(const hsd_process_facts *facts, char *out, size_t size)
{
    if (code_begins(facts, "from multiprocessing.resource_tracker ")) copy_text(out, size, "resource_tracker", 16);
    if (!code_begins(facts, "from multiprocessing.spawn ") && !code_begins(facts, "from multiprocessing.forkserver "))
        return;
    hsd_process_facts *above = malloc(sizeof *above);
    if (above == NULL) return;
    *above = *facts;
    for (int i = 0; i < MOST_PARENTS && out[0] == '\0' && read_parent(above); i++)
        copy_last_part(out, size, find_script(above));
    free(above);
}

void hsd_facts_script(const hsd_process_facts *facts, char *out, size_t size)
{
    const interpreter *known = find_interpreter(facts);
    copy_last_part(out, size, find_script(facts));
    if (out[0] == '\0' && known != NULL && strcmp(known->prefix, "python") == 0) name_worker(facts, out, size);
}

/* comm is cut to 15 bytes, and anything that the program likes; the executable's name is neither. */
void hsd_process_own_name(const hsd_process_facts *facts, char *out, size_t size)
{
    char executable[256];
    hsd_facts_script(facts, out, size);
    if (out[0] != '\0') return;
    copy_last_part(executable, sizeof executable, facts->executable);
    const bool is_cut = strlen(facts->command) == 15 && strncmp(executable, facts->command, 15) == 0;
    const char *name = is_cut || facts->command[0] == '\0' ? executable : facts->command;
    copy_text(out, size, name, strlen(name));
}

bool hsd_facts_is_called(const hsd_process_facts *facts, const char *name)
{
    char part[512];
    if (*name == '\0') return false;
    if (strcmp(facts->command, name) == 0) return true;
    copy_last_part(part, sizeof part, facts->executable);
    if (strcmp(part, name) == 0) return true;
    copy_last_part(part, sizeof part, facts->arguments);
    if (strcmp(part, name) == 0) return true;
    hsd_facts_script(facts, part, sizeof part);
    return strcmp(part, name) == 0;
}

bool hsd_facts_name_holds(const hsd_process_facts *facts, const char *text)
{
    char part[512];
    if (*text == '\0') return false;
    if (strstr(facts->command, text) != NULL) return true;
    copy_last_part(part, sizeof part, facts->executable);
    if (strstr(part, text) != NULL) return true;
    hsd_facts_script(facts, part, sizeof part);
    return strstr(part, text) != NULL;
}
