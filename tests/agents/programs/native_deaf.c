/*
 * Threads that a stop does not reach, and a child that lives on.
 *
 *      native_deaf     one thread blocks all signals; obeys the lines of tests/agents/kit.py, "fork", which answers "forked PID": a child
 *                      that allocates until it is killed, and "fork idle": one that waits for work which never comes, "fork reading": one that waits in read
 */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILD_BYTES = 5003, CHILD_BLOCKS = 30, CHILDREN = 3 };

void *of_the_child[CHILD_BLOCKS];

static void *be_deaf(void *unused)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    for (;;)
        pause();
    return unused;
}

/* A clock that is read ten times a second: nothing but read is called. */
static void read_on(void)
{
    const struct itimerspec often = {{0, 100000000}, {0, 100000000}};
    const int clock = timerfd_create(CLOCK_MONOTONIC, 0);
    unsigned long long ticks;
    timerfd_settime(clock, 0, &often, NULL);
    while (read(clock, &ticks, sizeof ticks) == sizeof ticks) {
    }
}

static void live_on(const char *how)
{
    const bool is_idle = strncmp(how, "fork idle", 9) == 0;
    for (int i = 0; i < CHILD_BLOCKS; i++)
        of_the_child[i] = malloc(CHILD_BYTES);
    if (strncmp(how, "fork reading", 12) == 0) read_on();
    while (is_idle)
        poll(NULL, 0, -1);
    for (;;) {
        for (int i = 0; i < 1000; i++)
            free(malloc(10));
        usleep(1000);
    }
}

int main(void)
{
    char line[128];
    pthread_t deaf;
    pid_t children[CHILDREN];
    int count = 0;
    if (pthread_create(&deaf, NULL, be_deaf, NULL) != 0) return 1;
    usleep(20 * 1000);
    printf("ready\n");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin) != NULL && strncmp(line, "quit", 4) != 0) {
        if (count == CHILDREN || (children[count] = fork()) < 0) return 1;
        if (children[count] == 0) live_on(line);
        printf("forked %ld\n", (long)children[count++]);
        fflush(stdout);
    }
    while (count-- > 0) {
        kill(children[count], SIGKILL);
        waitpid(children[count], NULL, 0);
    }
    return 0;
}
