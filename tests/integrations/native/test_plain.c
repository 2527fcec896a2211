/* A program of C with no framework: a table of sessions that is never emptied, and one that is. */
#define _GNU_SOURCE
#include <hsdiff/noleak.h>

typedef struct session {
    struct session *next;
    char customer[40];
} session;

static session *open_sessions;

static void forget(void *unused)
{
    session *opened = calloc(1, sizeof *opened);
    (void)unused;
    opened->next = open_sessions;
    open_sessions = opened;
}

static void let_go(void *unused)
{
    session *first;
    forget(unused);
    first = open_sessions;
    open_sessions = first->next;
    free(first);
}

int main(void)
{
    const int rounds = (int)strtol(getenv("ROUNDS"), NULL, 10);
    char *leak = hsdiff_find_leak(let_go, NULL, &(hsdiff_noleak){.name = "let_go", .rounds = rounds, .calls = 300});
    printf("%s\n", leak != NULL ? leak : "let_go passed");
    free(leak);
    leak = hsdiff_find_leak(forget, NULL, &(hsdiff_noleak){.name = "forget", .rounds = rounds, .calls = 300});
    printf("%s\n", leak != NULL ? leak : "forget passed");
    free(leak);
    return 0;
}
