/*
 * What the programs of this folder have besides their own: the lines of tests/agents/kit.py, and the load of a small
 * server.
 *
 * A program defines setup(), which is called once, and plant(number), which is called for each object that "leak N"
 * asks for. Around each of these a request is served: a cache that evicts, a ring of the last answers that is full,
 * buffers that come and go, and a second thread with a pool and timers. All of it is full before "ready", so that it is
 * no larger in a later capture. With LOAD_PLAIN defined no block of the load refers to another one; with LOAD_SMALL
 * there is less of it.
 */
#ifndef TRUTH_PROGRAM_H
#define TRUTH_PROGRAM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void setup(void);
static void plant(long number);

#ifdef LOAD_SMALL
enum { LOAD_CACHED = 64, LOAD_ANSWERS = 128, LOAD_POOL = 16, LOAD_TIMERS = 64, LOAD_WARM = 3000 };
#else
enum { LOAD_CACHED = 256, LOAD_ANSWERS = 512, LOAD_POOL = 32, LOAD_TIMERS = 64, LOAD_WARM = 3000 };
#endif

struct load_page {
    struct load_page *newer, *older;
    unsigned key;
    char *body;
};
struct load_timer {
    struct load_timer *next;
    unsigned due;
    char *note;
};

static char *load_answers[LOAD_ANSWERS];
static unsigned load_served;
static atomic_bool load_is_over;
static atomic_uint load_ticks;
static unsigned load_seed = 12345;

static unsigned load_draw(void)
{
    load_seed = load_seed * 1103515245u + 12345u;
    return load_seed >> 8;
}

#ifndef LOAD_PLAIN
static struct load_page *load_newest, *load_oldest;
static unsigned load_page_count;

static void load_unlink(struct load_page *page)
{
    *(page->newer ? &page->newer->older : &load_newest) = page->older;
    *(page->older ? &page->older->newer : &load_oldest) = page->newer;
}

static void load_push(struct load_page *page)
{
    page->newer = NULL;
    page->older = load_newest;
    *(load_newest ? &load_newest->newer : &load_oldest) = page;
    load_newest = page;
}

/* The page of a key, out of the cache or into it; the one that was not used for the longest time goes. */
static __attribute__((noinline)) struct load_page *load_get(unsigned key)
{
    for (struct load_page *page = load_newest; page != NULL; page = page->older)
        if (page->key == key) {
            load_unlink(page);
            load_push(page);
            return page;
        }
    if (load_page_count == LOAD_CACHED) {
        struct load_page *oldest = load_oldest;
        load_unlink(oldest);
        free(oldest->body);
        free(oldest);
        load_page_count--;
    }
    struct load_page *page = calloc(1, sizeof *page);
    page->key = key;
    page->body = malloc(1024);
    memset(page->body, 'p', 1024);
    load_push(page);
    load_page_count++;
    return page;
}
#endif

static __attribute__((noinline)) void load_request(void)
{
    char *scratch = malloc(512 + load_draw() % 1024);
#ifdef LOAD_PLAIN
    memset(scratch, 's', 512);
#else
    struct load_page *page = load_get(load_draw() % 400);
    memcpy(scratch, page->body, 512);
#endif
    char *answer = malloc(256);
    memcpy(answer, scratch, 256);
    free(load_answers[load_served % LOAD_ANSWERS]);
    load_answers[load_served++ % LOAD_ANSWERS] = answer;
    free(scratch);
}

/* A wheel of timers that fire and are set again, and a pool of buffers. */
static void *load_background(void *unused)
{
    char *pool[LOAD_POOL];
#ifndef LOAD_PLAIN
    struct load_timer *wheel[LOAD_TIMERS] = {0};
#endif
    for (unsigned i = 0; i < LOAD_POOL; i++)
        pool[i] = calloc(1, 2048);
    for (unsigned tick = 0; !load_is_over; tick++) {
#ifndef LOAD_PLAIN
        struct load_timer **slot = &wheel[tick % LOAD_TIMERS], *fired = *slot;
        if (fired != NULL) free(fired->note);
        free(fired);
        *slot = malloc(sizeof **slot);
        **slot = (struct load_timer){.due = tick + LOAD_TIMERS, .note = malloc(48)};
#endif
        memset(pool[tick % LOAD_POOL], (int)tick, 2048);
        load_ticks++;
        nanosleep(&(struct timespec){.tv_nsec = 500 * 1000}, NULL);
    }
#ifndef LOAD_PLAIN
    for (unsigned i = 0; i < LOAD_TIMERS; i++) {
        if (wheel[i] != NULL) free(wheel[i]->note);
        free(wheel[i]);
    }
#endif
    for (unsigned i = 0; i < LOAD_POOL; i++)
        free(pool[i]);
    return unused;
}

/* Words that were left on the stack by what returned are written over. */
static __attribute__((noinline)) void load_wipe(void)
{
    volatile char old[16384];
    for (size_t i = 0; i < sizeof old; i++)
        old[i] = 0;
}

int main(void)
{
    char line[128];
    long planted = 0;
    pthread_t background;
    if (pthread_create(&background, NULL, load_background, NULL) != 0) return 1;
    setup();
    for (unsigned i = 0; i < LOAD_WARM; i++)
        load_request();
    while (load_ticks < 2 * LOAD_TIMERS)
        nanosleep(&(struct timespec){.tv_nsec = 1000 * 1000}, NULL);
    printf("ready\n");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin) != NULL && strncmp(line, "quit", 4) != 0)
        if (strncmp(line, "leak ", 5) == 0) {
            for (long i = strtol(line + 5, NULL, 10); i > 0; i--) {
                plant(planted++);
                load_request();
            }
            load_wipe();
            printf("leaked %ld\n", planted);
            fflush(stdout);
        }
    load_is_over = true;
    pthread_join(background, NULL);
    return 0;
}

#endif
