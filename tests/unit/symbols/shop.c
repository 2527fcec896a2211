/* A program and a library to look names up in: functions of every kind of linkage, inlined ones, variables of every
 * kind. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct session {
    struct session *next;
    char name[40];
} session;

session *sessions;
static session *cache[64];
__thread session *current;
static __thread long served[8];
const char *const words[] = {"one", "two"};
char big_buffer[4096];

static inline __attribute__((always_inline)) session *new_session(const char *name)
{
    session *s = calloc(1, sizeof *s);
    snprintf(s->name, sizeof s->name, "%s", name);
    return s;
}

static inline __attribute__((always_inline)) session *wrapped(const char *name) { return new_session(name); }

__attribute__((noinline)) session *make_session(const char *name)
{
    session *s = wrapped(name);
    s->next = sessions;
    return sessions = s;
}

static __attribute__((noinline)) void remember(session *s)
{
    static unsigned next_place;
    cache[next_place++ % 64] = s;
    served[0]++;
    current = s;
}

__attribute__((noinline)) int serve(int count)
{
    static long total[4];
    for (int i = 0; i < count; i++)
        remember(make_session(words[i % 2]));
    return (int)(total[1] += count + big_buffer[count % 4096] + (cache[count % 64] == sessions));
}

#ifndef LIBRARY
int main(int argc, char **argv)
{
    serve(argc);
    if (argc > 1 && strcmp(argv[1], "wait") == 0) {
        puts("ready");
        fflush(stdout);
        pause();
    }
    return 0;
}
#endif
