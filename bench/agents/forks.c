/*
 * What a fork costs a program with many blocks: the floor of a capture's pause. The child lives while the program goes
 * on freeing and allocating, as beside a child that writes a capture; so the second fork finds what the first has made
 * of huge pages. Knows nothing of agents.
 *
 *      bench_agent_forks BLOCKS BYTES FORKS [CHURN]      BYTES: of the biggest; CHURN: pairs of malloc and free beside each child
 *
 * prints milliseconds of processor time of the first fork, the median of the others, and MiB: resident, of these in
 * huge pages, of page tables.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_FORKS = 64 };

static uint64_t state = 1;

static uint64_t draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void churn(void **blocks, size_t count, size_t bytes, size_t pairs)
{
    for (size_t i = 0; i < pairs; i++) {
        void **block = &blocks[draw() % count];
        free(*block);
        *block = malloc(1 + draw() % bytes);
    }
}

static double fork_once(void **blocks, size_t count, size_t bytes, size_t pairs)
{
    int ends[2];
    char byte;
    if (pipe(ends) != 0) exit(1);
    const double from = now_ms();
    const pid_t child = fork();
    const double took = now_ms() - from;
    if (child < 0) exit(1);
    if (child == 0) {
        close(ends[1]);
        _exit(read(ends[0], &byte, 1) != 0); /* lives until the program closes its end */
    }
    churn(blocks, count, bytes, pairs);
    close(ends[0]);
    close(ends[1]);
    waitpid(child, NULL, 0);
    return took;
}

/* In MiB; the file counts in kB. */
static double memory(const char *path, const char *key)
{
    char line[256];
    double found = 0;
    FILE *file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, key, strlen(key)) == 0) found = strtod(line + strlen(key), NULL) / 1024;
    if (file != NULL) fclose(file);
    return found;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    if (argc < 4) return 2;
    const size_t count = strtoul(argv[1], NULL, 10), bytes = strtoul(argv[2], NULL, 10),
                 forks = strtoul(argv[3], NULL, 10);
    const size_t pairs = argc > 4 ? strtoul(argv[4], NULL, 10) : count / 4;
    void **blocks = calloc(count, sizeof *blocks);
    double took[MOST_FORKS];
    if (blocks == NULL || count == 0 || bytes == 0 || forks < 2 || forks > MOST_FORKS) return 2;
    for (size_t i = 0; i < count; i++)
        blocks[i] = malloc(1 + draw() % bytes);
    const double resident = memory("/proc/self/smaps_rollup", "Rss:"),
                 huge = memory("/proc/self/smaps_rollup", "AnonHugePages:"),
                 tables = memory("/proc/self/status", "VmPTE:");
    for (size_t i = 0; i < forks; i++)
        took[i] = fork_once(blocks, count, bytes, pairs);
    qsort(took + 1, forks - 1, sizeof *took, by_size);
    printf("%.2f %.2f %.0f %.0f %.1f\n", took[0], took[1 + (forks - 1) / 2], resident, huge, tables);
    return 0;
}
