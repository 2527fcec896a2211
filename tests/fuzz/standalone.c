/*
 * Runs a fuzz target without libFuzzer: once over each file of its corpus, then over a fixed number of mutations of
 * each, so that every ordinary test run fuzzes a little, the same way each time. A crash, a sanitizer report or a stall
 * names the file and the mutation and leaves the input behind.
 *
 *      fuzz_hprof [-mutations=N] [-seconds=S] [-seed=X] [-only=K] [-keep=FILE] FILE-OR-FOLDER…
 *
 * N mutations of each file (default 200; ten times as many with HSD_LONG=1), numbered from 0, drawn from seed X (or
 * HSD_SEED); -only=K runs number K of each file alone. -keep names the file for the input that failed (default
 * crash-input). S seconds (default 240) are a limit for the worst, so that what is run does not depend on the machine:
 * exit status 0 means that all of it ran, 3 that the time was over before.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "support/random.h"
#include "support/sizes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
__attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv);
__attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)(void));
__attribute__((weak)) void __sanitizer_print_stack_trace(void);

/* No input may take longer, sanitizers included. */
#define STALL_SECONDS 20
/* Times the mutations with HSD_LONG=1. */
#define LONGER 10
/* A seed past this is run as it is and not mutated. */
#define MUTABLE_BYTES ((size_t)1 << 20)

/* What is running now, for the one who has to say so when it dies. */
static struct {
    const uint8_t *data;
    size_t size;
    char path[1024];
    long mutation; /* -1 = the file as it is */
    const char *keep;
} now;

static uint64_t inputs_run, inputs_left; /* left out because the time was over */

static void say(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0) return;
}

/* Only calls that are safe in a signal handler, but for snprintf of small integers. Once: a sanitizer may abort when it
 * has told. */
static void tell_what_was_running(void)
{
    static volatile sig_atomic_t has_told;
    char line[1400];
    if (has_told) return;
    has_told = 1;
    snprintf(line, sizeof line, "\nstandalone: failed on %s, mutation %ld (-only=%ld), %zu bytes, kept in %s\n",
             now.path, now.mutation, now.mutation, now.size, now.keep);
    say(line);
    const int fd = open(now.keep, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd >= 0) {
        if (write(fd, now.data, now.size) < 0) say("standalone: and it cannot be written\n");
        close(fd);
    }
}

static void on_signal(int number)
{
    say(number == SIGALRM ? "\nstandalone: stalled\n" : "\nstandalone: crashed\n");
    tell_what_was_running();
    if (number == SIGABRT && __sanitizer_print_stack_trace != NULL) __sanitizer_print_stack_trace();
    _exit(1);
}

static void run_one(const uint8_t *data, size_t size, long mutation)
{
    /* A copy of exactly this size, so that one byte too far is seen. */
    uint8_t *copy = malloc(size ? size : 1);
    if (copy == NULL) {
        say("standalone: out of memory\n");
        exit(1);
    }
    memcpy(copy, data, size);
    now.data = copy;
    now.size = size;
    now.mutation = mutation;
    alarm(STALL_SECONDS);
    LLVMFuzzerTestOneInput(copy, size);
    alarm(0);
    free(copy);
    inputs_run++;
}

/* ---- mutations ---- */

static uint64_t random_state;

static uint64_t next_random(void)
{
    uint64_t z = (random_state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static size_t below(size_t limit) { return limit ? (size_t)(next_random() % limit) : 0; }

/* Lengths that break sums: around 0, the sign bits, and the powers of two where types end. */
static uint64_t boundary_value(void)
{
    static const uint64_t edges[] = {0,
                                     1,
                                     0x7F,
                                     0xFF,
                                     0x7FFF,
                                     0xFFFF,
                                     0x7FFFFFFF,
                                     0x80000000,
                                     0xFFFFFFFF,
                                     UINT64_C(0x100000000),
                                     UINT64_C(1) << 63,
                                     UINT64_MAX};
    return edges[below(sizeof edges / sizeof edges[0])] + below(3) - 1;
}

static void put_number(uint8_t *data, size_t size)
{
    const size_t width = (size_t)1 << below(4);
    if (size < width) return;
    uint8_t *at = data + below(size - width + 1);
    const uint64_t value = boundary_value();
    const bool big_endian = below(2) == 0;
    for (size_t i = 0; i < width; i++) {
        at[big_endian ? width - 1 - i : i] = (uint8_t)(value >> (8 * i));
    }
}

static void move_chunk(uint8_t *data, size_t size)
{
    const size_t chunk = 1 + below(size < 64 ? size : 64);
    if (chunk > size) return;
    const size_t from = below(size - chunk + 1);
    const size_t to = below(size - chunk + 1);
    memmove(data + to, data + from, chunk);
}

static size_t delete_chunk(uint8_t *data, size_t size)
{
    const size_t chunk = 1 + below(size < 32 ? size : 32);
    if (chunk >= size) return size;
    const size_t at = below(size - chunk + 1);
    memmove(data + at, data + at + chunk, size - at - chunk);
    return size - chunk;
}

/* Text formats: a sign, a quote or a digit where none was expected. */
static void put_character(uint8_t *data, size_t size)
{
    static const char characters[] = "{}[]\",:\\-+.eE0123456789u\n\0";
    data[below(size)] = (uint8_t)characters[below(sizeof characters - 1)];
}

static size_t mutate(uint8_t *data, size_t size)
{
    for (size_t rounds = 1 + below(4); rounds > 0 && size > 0; rounds--) {
        switch (below(7)) {
        case 0: data[below(size)] ^= (uint8_t)(1u << below(8)); break;
        case 1: data[below(size)] = (uint8_t)next_random(); break;
        case 2: put_number(data, size); break;
        case 3: move_chunk(data, size); break;
        case 4: size = delete_chunk(data, size); break;
        case 5: put_character(data, size); break;
        default: size = below(4) ? size : below(size + 1); break;
        }
    }
    return size;
}

/* ---- the corpus ---- */

typedef struct options {
    long mutations, only;
    double seconds;
    uint64_t seed;
} options;

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static uint8_t *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = NULL;
    size_t capacity = 0;
    *size = 0;
    for (size_t got = 1; file != NULL && got > 0; *size += got) {
        if (*size == capacity) {
            capacity = capacity ? 2 * capacity : 65536;
            uint8_t *bigger = realloc(data, capacity);
            if (bigger == NULL) break;
            data = bigger;
        }
        got = fread(data + *size, 1, capacity - *size, file);
    }
    if (file == NULL || ferror(file)) {
        fprintf(stderr, "standalone: cannot read %s\n", path);
        exit(2);
    }
    fclose(file);
    return data;
}

/* One number gives one input, whatever ran before it. */
static void run_mutation(const uint8_t *data, size_t size, uint8_t *scratch, const options *opts, long number)
{
    random_state = opts->seed ^ ((uint64_t)number * UINT64_C(0xD1342543DE82EF95));
    memcpy(scratch, data, size);
    run_one(scratch, mutate(scratch, size), number);
}

static void run_file(const char *path, const options *opts, double end)
{
    size_t size;
    uint8_t *data = read_file(path, &size);
    snprintf(now.path, sizeof now.path, "%s", path);
    if (opts->only < 0) run_one(data, size, -1);
    if (size > 0 && size <= MUTABLE_BYTES) {
        uint8_t *scratch = malloc(size);
        for (long i = 0; scratch != NULL && i < opts->mutations; i++) {
            if (opts->only >= 0 && opts->only != i) continue;
            if (seconds_now() < end)
                run_mutation(data, size, scratch, opts, i);
            else
                inputs_left++;
        }
        free(scratch);
    }
    free(data);
}

/* Files in the order of their names, so that a run is the same everywhere. */
static size_t run_path(const char *path, const options *opts, double end)
{
    struct stat what;
    struct dirent **names;
    size_t files = 0;
    if (stat(path, &what) != 0) return 0;
    if (!S_ISDIR(what.st_mode)) {
        run_file(path, opts, end);
        return 1;
    }
    const int count = scandir(path, &names, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char inner[1024];
        snprintf(inner, sizeof inner, "%s/%s", path, names[i]->d_name);
        if (names[i]->d_name[0] != '.') files += run_path(inner, opts, end);
        free(names[i]);
    }
    if (count >= 0) free(names);
    return files;
}

static bool take_option(const char *argument, options *opts)
{
    const char *value = strchr(argument, '=');
    if (argument[0] != '-') return false;
    if (value == NULL) value = "=";
    if (strncmp(argument, "-mutations=", 11) == 0)
        opts->mutations = strtol(value + 1, NULL, 10);
    else if (strncmp(argument, "-seconds=", 9) == 0)
        opts->seconds = strtod(value + 1, NULL);
    else if (strncmp(argument, "-seed=", 6) == 0)
        opts->seed = strtoull(value + 1, NULL, 10);
    else if (strncmp(argument, "-only=", 6) == 0)
        opts->only = strtol(value + 1, NULL, 10);
    else if (strncmp(argument, "-keep=", 6) == 0)
        now.keep = value + 1;
    return true;
}

int main(int argc, char **argv)
{
    options opts = {.mutations = 200, .only = -1, .seconds = 240, .seed = test_seed(1)};
    size_t files = 0;
    now.keep = "crash-input";
    for (int i = 1; i < argc; i++)
        take_option(argv[i], &opts);
    if (test_is_long()) opts.mutations *= LONGER;
    if (__sanitizer_set_death_callback != NULL) {
        __sanitizer_set_death_callback(tell_what_was_running);
    } else {
        signal(SIGSEGV, on_signal);
        signal(SIGBUS, on_signal);
        signal(SIGFPE, on_signal);
    }
    signal(SIGABRT, on_signal); /* what a target does that finds something wrong: no sanitizer sees it */
    signal(SIGALRM, on_signal);
    if (LLVMFuzzerInitialize != NULL) LLVMFuzzerInitialize(&argc, &argv);

    const double end = seconds_now() + opts.seconds;
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-') files += run_path(argv[i], &opts, end);
    }
    printf("%zu files, %llu inputs, %.1f s\n", files, (unsigned long long)inputs_run,
           opts.seconds - (end - seconds_now()));
    if (files == 0) fprintf(stderr, "standalone: no seeds: name the files or folders of a corpus\n");
    if (inputs_left > 0) {
        fprintf(stderr, "standalone: %.0f s are over: %llu inputs were left out\n", opts.seconds,
                (unsigned long long)inputs_left);
    }
    return files == 0 ? 2 : inputs_left > 0 ? 3 : 0;
}
