/*
 * Tests of C and C++ that fail for what they leak. Of C alone, or below catch2.hpp and gtest.hpp:
 *
 *      char *leak = hsdiff_find_leak(serve_one, shop, &(hsdiff_noleak){.name = "serving", .calls = 300});
 *      if (leak) fail(leak);          says what holds the growth; free() it
 *
 * The function is called in rounds, with a capture after each, by the native agent (libhsdiff-native.so): it is linked
 * with the tests or stands in LD_PRELOAD. The command hsdiff, that of the variable HSDIFF or else of PATH, says whether
 * something grew in every round. Pages go into the folder of HSDIFF_REPORTS (hsdiff-reports). Linux; build the tests
 * with -g. C11 with _GNU_SOURCE, or C++11.
 */
#ifndef HSDIFF_NOLEAK_H
#define HSDIFF_NOLEAK_H

#include <dlfcn.h>
#include <errno.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct hsdiff_noleak {
    const char *name;       /* what the message and the page are called; NULL = "the test" */
    int rounds;             /* that are judged, after two of warm-up: 2 at least; 0 = 5 */
    int calls;              /* of the function in a round; 0 = 1 */
    const char *max_growth; /* that each round may leave behind: "64 KiB"; NULL = by the size of the heap and the number
                               of rounds */
    const char *allow;      /* a holder that may grow, as a glob; NULL = none */
} hsdiff_noleak;

typedef struct hsdiff_text { /* grows; never NULL once it was put into */
    char *bytes;
    size_t size;
} hsdiff_text;

static inline void hsdiff_put(hsdiff_text *text, const char *bytes, size_t size)
{
    char *grown = (char *)realloc(text->bytes, text->size + size + 1);
    if (grown == NULL) abort();
    memcpy(grown + text->size, bytes, size);
    text->bytes = grown;
    text->size += size;
    grown[text->size] = '\0';
}

static inline void hsdiff_puts(hsdiff_text *text, const char *bytes) { hsdiff_put(text, bytes, strlen(bytes)); }

__attribute__((format(printf, 2, 3))) static inline void hsdiff_putf(hsdiff_text *text, const char *format, ...)
{
    char *made = NULL;
    va_list words;
    va_start(words, format);
    const int size = vasprintf(&made, format, words);
    va_end(words);
    if (size < 0) abort();
    hsdiff_put(text, made, (size_t)size);
    free(made);
}

/* As one word of a shell. */
static inline void hsdiff_put_quoted(hsdiff_text *text, const char *word)
{
    hsdiff_puts(text, "'");
    for (; *word != '\0'; word++)
        if (*word == '\'')
            hsdiff_puts(text, "'\\''");
        else
            hsdiff_put(text, word, 1);
    hsdiff_puts(text, "' ");
}

static inline const char *hsdiff_command(void)
{
    const char *named = getenv("HSDIFF");
    return named != NULL && *named != '\0' ? named : "hsdiff";
}

/* What the command prints, and its status; 127 where there is none. A FILE of popen would be in the captures. */
static inline int hsdiff_run(const char *words, hsdiff_text *out)
{
    hsdiff_text line = {NULL, 0};
    posix_spawn_file_actions_t ends;
    char shell[] = "/bin/sh", option[] = "-c", bytes[4096];
    int pipe_ends[2], status = 0;
    ssize_t size;
    pid_t child;
    hsdiff_puts(out, "");
    if (pipe(pipe_ends) != 0) return 127;
    hsdiff_puts(&line, "unset LD_PRELOAD; exec ");
    hsdiff_put_quoted(&line, hsdiff_command());
    hsdiff_putf(&line, "%s 2>&1", words);
    char *arguments[] = {shell, option, line.bytes, NULL};
    posix_spawn_file_actions_init(&ends);
    posix_spawn_file_actions_adddup2(&ends, pipe_ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&ends, pipe_ends[0]);
    posix_spawn_file_actions_addclose(&ends, pipe_ends[1]);
    const int error = posix_spawn(&child, shell, &ends, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&ends);
    free(line.bytes);
    close(pipe_ends[1]);
    while (error == 0 && ((size = read(pipe_ends[0], bytes, sizeof bytes)) > 0 || (size < 0 && errno == EINTR)))
        if (size > 0) hsdiff_put(out, bytes, (size_t)size);
    close(pipe_ends[0]);
    while (error == 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return error == 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 127;
}

/* ---- what is asked ---- */

static inline void hsdiff_put_rule(hsdiff_text *out, const hsdiff_noleak *wanted, const char *rule, const char *usual)
{
    hsdiff_putf(out, "{%s, \"max_growth\": \"%s%s\"}", rule, wanted->max_growth != NULL ? wanted->max_growth : usual,
                wanted->max_growth != NULL ? " per round" : "");
}

static inline bool hsdiff_write_rules(const char *path, const hsdiff_noleak *wanted)
{
    hsdiff_text text = {NULL, 0};
    hsdiff_puts(&text, "{\"check\": {\"warmup\": 1}, \"rules\": [");
    hsdiff_put_rule(&text, wanted, "\"name\": \"nothing holds more after each round\", \"holder\": \"*\"", "auto");
    hsdiff_puts(&text, ", ");
    hsdiff_put_rule(&text, wanted, "\"name\": \"the heap is no larger after each round\", \"metric\": \"total.bytes\"",
                    "1 % per round");
    hsdiff_puts(&text, ", ");
    hsdiff_put_rule(&text, wanted, "\"name\": \"nothing more is lost after each round\", \"metric\": \"lost.bytes\"",
                    "256 B per round");
    hsdiff_puts(&text, "]");
    if (wanted->allow != NULL)
        hsdiff_putf(&text, ", \"allow\": [{\"holder\": \"%s\", \"reason\": \"allowed by the test\"}]", wanted->allow);
    hsdiff_puts(&text, "}\n");
    FILE *file = fopen(path, "w");
    const bool is_written = file != NULL && fwrite(text.bytes, 1, text.size, file) == text.size;
    free(text.bytes);
    return file != NULL && fclose(file) == 0 && is_written;
}

/* ---- what is told ---- */

/* The paragraphs of a text that begin with a word. */
static inline void hsdiff_put_paragraphs(hsdiff_text *out, const char *text, const char *start)
{
    while (*text != '\0') {
        const char *end = strstr(text, "\n\n");
        const size_t size = end != NULL ? (size_t)(end - text) : strlen(text);
        if (strncmp(text + strspn(text, " \n"), start, strlen(start)) == 0) {
            hsdiff_put(out, text, size);
            hsdiff_puts(out, "\n\n");
        }
        text += size;
        text += strspn(text, "\n");
    }
}

/* The page of a failure, moved to where it stays: the path, to be freed. */
static inline char *hsdiff_keep_page(const char *page, const char *name)
{
    const char *reports = getenv("HSDIFF_REPORTS");
    hsdiff_text path = {NULL, 0};
    char part[4096];
    size_t size;
    if (reports == NULL || *reports == '\0') reports = "hsdiff-reports";
    mkdir(reports, 0755);
    char *folder = realpath(reports, NULL);
    hsdiff_putf(&path, "%s/", folder != NULL ? folder : reports);
    free(folder);
    for (; *name != '\0'; name++)
        hsdiff_put(&path, strchr("/ \t\n\\:*?\"<>|", *name) != NULL ? "-" : name, 1);
    hsdiff_puts(&path, ".html");
    FILE *from = fopen(page, "r"), *to = fopen(path.bytes, "w");
    while (from != NULL && to != NULL && (size = fread(part, 1, sizeof part, from)) > 0)
        fwrite(part, 1, size, to);
    if (from != NULL) fclose(from);
    if (to != NULL) fclose(to);
    return path.bytes;
}

static inline void hsdiff_put_held(hsdiff_text *out, const char *folder, int rounds)
{
    hsdiff_text words = {NULL, 0}, diff = {NULL, 0};
    hsdiff_putf(&words, "-q --color never %s/1.hs %s/%d.hs", folder, folder, rounds + 1);
    hsdiff_run(words.bytes, &diff);
    hsdiff_put_paragraphs(out, diff.bytes, "Live heap");
    hsdiff_put_paragraphs(out, diff.bytes, "WHAT KEEPS IT ALIVE");
    free(words.bytes);
    free(diff.bytes);
}

/* NULL where nothing leaks. */
static inline char *hsdiff_judge(const char *folder, const hsdiff_noleak *wanted)
{
    hsdiff_text words = {NULL, 0}, verdict = {NULL, 0}, said = {NULL, 0};
    hsdiff_putf(&words, "check -q --top 1 --color never --config %s/rules.yml --html %s/page.html", folder, folder);
    for (int round = 0; round < wanted->rounds + 2; round++)
        hsdiff_putf(&words, " %s/%d.hs", folder, round);
    const int status = hsdiff_run(words.bytes, &verdict);
    if (status == 1) {
        hsdiff_text page = {NULL, 0};
        hsdiff_putf(&page, "%s/page.html", folder);
        char *kept = hsdiff_keep_page(page.bytes, wanted->name);
        hsdiff_putf(&said, "%s leaks: something grew in each of %d rounds.\n\n", wanted->name, wanted->rounds);
        hsdiff_put_held(&said, folder, wanted->rounds);
        hsdiff_put_paragraphs(&said, verdict.bytes, "RULE ");
        hsdiff_putf(&said, "Report: %s", kept);
        free(kept);
        free(page.bytes);
    } else if (status != 0) {
        hsdiff_putf(&said, "hsdiff check: %s", verdict.bytes);
    }
    free(words.bytes);
    free(verdict.bytes);
    return said.bytes;
}

/* ---- the rounds ---- */

/* By the command, which gives functions, variables and types the names that the program has in its debug information.
 * NULL, or why there is none. */
static inline char *hsdiff_capture(const char *folder, int round)
{
    hsdiff_text words = {NULL, 0}, said = {NULL, 0};
    hsdiff_putf(&words, "capture -q %ld -o %s/%d.hs", (long)getpid(), folder, round);
    const int status = hsdiff_run(words.bytes, &said);
    free(words.bytes);
    if (status == 0) {
        free(said.bytes);
        return NULL;
    }
    hsdiff_text why = {NULL, 0};
    if (status == 127)
        hsdiff_putf(&why,
                    "the command %s does not run. Install it (its doc/install.md says how), or set the variable HSDIFF "
                    "to its path",
                    hsdiff_command());
    else if (dlsym(RTLD_DEFAULT, "hsn_capture") == NULL)
        hsdiff_puts(&why, "the native agent of hsdiff is not in this program: link libhsdiff-native.so, or start the "
                          "program with LD_PRELOAD=…/libhsdiff-native.so");
    else
        hsdiff_putf(&why, "hsdiff capture: %s", said.bytes);
    free(said.bytes);
    return why.bytes;
}

/* NULL when all captures are there, or why they are not. */
static inline char *hsdiff_take_rounds(void (*call)(void *), void *context, const hsdiff_noleak *wanted,
                                       const char *folder)
{
    for (int round = 0; round < wanted->rounds + 2; round++) {
        for (int i = 0; i < wanted->calls; i++)
            call(context);
        char *why = hsdiff_capture(folder, round);
        if (why != NULL) return why;
    }
    return NULL;
}

static inline void hsdiff_remove_folder(const char *folder, int rounds)
{
    char path[4096];
    for (int round = 0; round < rounds + 2; round++) {
        snprintf(path, sizeof path, "%s/%d.hs", folder, round);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/rules.yml", folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/page.html", folder);
    unlink(path);
    rmdir(folder);
}

/* NULL where `call` leaves nothing behind; else what is to be said, to be freed. `options` may be NULL. */
static inline char *hsdiff_find_leak(void (*call)(void *context), void *context, const hsdiff_noleak *options)
{
    hsdiff_noleak wanted;
    hsdiff_text folder = {NULL, 0}, rules = {NULL, 0};
    const char *temporary = getenv("TMPDIR");
    char *said = NULL;
    memset(&wanted, 0, sizeof wanted);
    if (options != NULL) wanted = *options;
    if (wanted.name == NULL) wanted.name = "the test";
    if (wanted.calls <= 0) wanted.calls = 1;
    if (wanted.rounds <= 0) wanted.rounds = 5;
    if (wanted.rounds < 2) wanted.rounds = 2;
    hsdiff_putf(&folder, "%s/hsdiff-XXXXXX", temporary != NULL && *temporary != '\0' ? temporary : "/tmp");
    if (mkdtemp(folder.bytes) == NULL) {
        hsdiff_putf(&rules, "no folder %s can be made: %s", folder.bytes, strerror(errno));
        free(folder.bytes);
        return rules.bytes;
    }
    hsdiff_putf(&rules, "%s/rules.yml", folder.bytes);
    if (!hsdiff_write_rules(rules.bytes, &wanted))
        said = strdup("the rules cannot be written into the folder for temporary files");
    if (said == NULL) said = hsdiff_take_rounds(call, context, &wanted, folder.bytes);
    if (said == NULL) said = hsdiff_judge(folder.bytes, &wanted);
    hsdiff_remove_folder(folder.bytes, wanted.rounds);
    free(rules.bytes);
    free(folder.bytes);
    return said;
}

#endif
