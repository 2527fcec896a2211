/*
 * Memory that V8 keeps from children. Node is built so that V8 marks its heap MADV_DONTFORK, since what a program
 * spawns executes something else at once. A copy that reads the heap needs it, so the mark is taken off for the moment
 * of the fork and put back behind it.
 *
 * Which mappings have the mark stands in /proc/self/smaps, which takes 15 to 45 ms to read at 300 MiB of heap, for the
 * kernel counts every page. A child without those mappings costs less than one: what this process has mapped and an
 * idle child of it has not.
 */
#include "addon.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FIRST_RANGES = 1024, LINE_BYTES = 512 };

static int add_hidden(hidden_memory *list, size_t *room, hidden_range range)
{
    if (list->count == *room) {
        const size_t more = *room == 0 ? FIRST_RANGES : *room * 2;
        hidden_range *ranges = realloc(list->ranges, more * sizeof *ranges);
        if (ranges == NULL) return ENOMEM;
        list->ranges = ranges;
        *room = more;
    }
    list->ranges[list->count++] = range;
    return 0;
}

void hidden_release(hidden_memory *memory)
{
    free(memory->ranges);
    *memory = (hidden_memory){0};
}

/* A line that is longer than the buffer comes in pieces, of which the later ones begin with a part of a path. */
static int read_lines(FILE *maps, hidden_memory *list)
{
    char line[LINE_BYTES];
    size_t room = 0;
    bool is_begin = true;
    int failed = 0;
    while (failed == 0 && fgets(line, sizeof line, maps) != NULL) {
        hidden_range range;
        if (is_begin && sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &range.begin, &range.end) == 2)
            failed = add_hidden(list, &room, range);
        size_t length = 0;
        while (line[length] != '\0')
            length++;
        is_begin = length > 0 && line[length - 1] == '\n';
    }
    return failed != 0 ? failed : ferror(maps) ? EIO : 0;
}

/* What is mapped in a process, by address. */
static int read_maps(const char *path, hidden_memory *list)
{
    *list = (hidden_memory){0};
    FILE *maps = fopen(path, "re");
    if (maps == NULL) return errno;
    const int failed = read_lines(maps, list);
    fclose(maps);
    if (failed != 0) hidden_release(list);
    return failed;
}

/* Leaves in `mine` what has nothing in `its`. Both are sorted, and a mapping is copied whole or not at all. */
static void subtract(hidden_memory *mine, const hidden_memory *its)
{
    size_t left = 0;
    for (size_t i = 0, j = 0; i < mine->count; i++) {
        while (j < its->count && its->ranges[j].end <= mine->ranges[i].begin)
            j++;
        const bool is_copied = j < its->count && its->ranges[j].begin < mine->ranges[i].end;
        if (!is_copied) mine->ranges[left++] = mine->ranges[i];
    }
    mine->count = left;
}

static int compare_with(pid_t child, hidden_memory *memory)
{
    char path[64];
    hidden_memory its;
    snprintf(path, sizeof path, "/proc/%ld/maps", (long)child);
    int failed = read_maps("/proc/self/maps", memory);
    if (failed != 0) return failed;
    failed = read_maps(path, &its);
    /* A child whose maps are empty has been killed: everything would seem to be hidden. */
    if (failed == 0 && its.count == 0) failed = ESRCH;
    if (failed == 0)
        subtract(memory, &its);
    else
        hidden_release(memory);
    hidden_release(&its);
    return failed;
}

int hidden_find(hidden_memory *memory)
{
    *memory = (hidden_memory){0};
    const pid_t child = child_make();
    if (child == 0)
        for (;;)
            syscall(SYS_ppoll, NULL, 0, NULL, NULL, 0);
    if (child < 0) return errno;
    const int failed = compare_with(child, memory);
    kill(child, SIGKILL);
    while (waitpid(child, NULL, __WALL) < 0 && errno == EINTR)
        continue;
    return failed;
}

static void advise(const hidden_memory *memory, int advice)
{
    for (size_t i = 0; i < memory->count; i++)
        (void)madvise((void *)memory->ranges[i].begin, memory->ranges[i].end - memory->ranges[i].begin, advice);
}

void hidden_show(const hidden_memory *memory) { advise(memory, MADV_DOFORK); }
void hidden_hide(const hidden_memory *memory) { advise(memory, MADV_DONTFORK); }
