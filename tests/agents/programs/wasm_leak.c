/*
 * A WebAssembly program that leaks sessions: work() allocates and frees, leak(n) keeps. For hosts in Node and in a
 * browser.
 */
#include <stdlib.h>
#include <string.h>

#include "wasm_heap.h"

typedef struct session {
    struct session *next;
    char *name;
    int number;
} session;

static session *sessions;
static int planted;

__attribute__((constructor)) static void begin(void)
{
    hsdiff_name("wasm_leak");
    hsdiff_root("sessions", &sessions);
}

__attribute__((export_name("work"))) int work(int rounds)
{
    char *ring[64] = {NULL};
    for (int i = 0; i < rounds; i++) {
        free(ring[i % 64]);
        ring[i % 64] = memset(malloc((size_t)(i % 100 + 1)), i, 1);
    }
    for (int i = 0; i < 64; i++)
        free(ring[i]);
    return rounds;
}

__attribute__((export_name("leak"))) int leak(int count)
{
    for (int i = 0; i < count; i++) {
        session *one = hsdiff_tag(calloc(1, sizeof *one), "Session");
        one->name = hsdiff_tag(malloc(24), "name");
        memset(one->name, 'n', 24);
        one->number = planted++;
        one->next = sessions;
        sessions = one;
    }
    return planted;
}
