/*
 * Does what is undefined, or loses a block, in the way that its argument names: in a preset with sanitizers the program
 * must end there and say in which line (test_undefined.py). With "kept" a global variable has the block: nothing is
 * wrong.
 */
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    int value;
} ways[] = {{"sum", INT_MAX}, {"shift", 40}, {"index", 4},   {"aligned", 1},
            {"null", 0},      {"truth", 2},  {"global", 20}, {"lost", 0}};
static void *volatile kept; /* written when the program has started: behind what its file has */

static int undefined(const char *way, int value)
{
    static const int table[4] = {1, 2, 3, 4};
    static char bytes[16];
    bool truth = false;
    if (strcmp(way, "sum") == 0) return value + 1;
    if (strcmp(way, "shift") == 0) return 1 << value;
    if (strcmp(way, "index") == 0) return table[value];
    if (strcmp(way, "aligned") == 0) return *(const int *)(const void *)(bytes + value);
    if (strcmp(way, "null") == 0) return *(const int *)(uintptr_t)value;
    if (strcmp(way, "global") == 0) { /* nothing but the redzone behind a variable tells */
        char *volatile place = bytes;
        return place[value];
    }
    if (strcmp(way, "lost") == 0) {
        kept = malloc(4321);
        kept = NULL;
        return 0;
    }
    memcpy(&truth, &value, sizeof truth);
    return truth;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "kept") == 0) {
        kept = malloc(4321);
        return 0;
    }
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (argc == 2 && strcmp(argv[1], ways[i].name) == 0) {
            volatile int value = ways[i].value;
            printf("%d\n", undefined(argv[1], value));
            return 0;
        }
        if (argc == 1) puts(ways[i].name);
    }
    return argc == 1 ? 0 : 2;
}
