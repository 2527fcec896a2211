/*
 * Threads that a stop does not reach, and a child that lives on.
 *
 *      native_deaf     one thread blocks all signals; obeys the lines of tests/agents/kit.py, "fork", which answers "forked PID": a child
 *                      that allocates until it is killed, and "fork idle": one that waits for work which never comes
 */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILD_BYTES = 5003, CHILD_BLOCKS = 30, CHILDREN = 2 };

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

static void live_on(bool is_idle)
{
    for (int i = 0; i < CHILD_BLOCKS; i++)
        of_the_child[i] = malloc(CHILD_BYTES);
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
        if (children[count] == 0) live_on(strncmp(line, "fork idle", 9) == 0);
        printf("forked %ld\n", (long)children[count++]);
        fflush(stdout);
    }
    while (count-- > 0) {
        kill(children[count], SIGKILL);
        waitpid(children[count], NULL, 0);
    }
    return 0;
}
