/*
 * Threads that a stop does not reach, and a child that lives on.
 *
 *      native_deaf     one thread blocks all signals; obeys the lines of tests/agents/kit.py, and "fork", which answers "forked PID": a child
 *                      that allocates until it is killed
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILD_BYTES = 5003, CHILD_BLOCKS = 30 };

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

static void live_on(void)
{
    for (int i = 0; i < CHILD_BLOCKS; i++)
        of_the_child[i] = malloc(CHILD_BYTES);
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
    pid_t child = -1;
    if (pthread_create(&deaf, NULL, be_deaf, NULL) != 0) return 1;
    usleep(20 * 1000);
    printf("ready\n");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin) != NULL && strncmp(line, "quit", 4) != 0) {
        child = fork();
        if (child == 0) live_on();
        printf("forked %ld\n", (long)child);
        fflush(stdout);
    }
    if (child > 0) {
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    return 0;
}
