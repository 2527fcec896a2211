/*
 * A program that is captured by the tests of live/, and one that pretends to be. Prints "ready", ends when its standard
 * input does.
 *
 *      program plain             nothing to capture
 *      program agent [OPTIONS]   the tiny agent, called native; options are those of its header
 *      program crowded [OPTIONS] the same, and another process has its name already
 *      program hostile MODE      listens under its own name and answers wrongly, see answer()
 *      program stranger PID      listens under the name of that process
 *      program thread            prints "ready TID" of a second thread
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "unit/agent/tiny_agent.h"

static int listen_as(long pid)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    const int length = snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "hsdiff/1/native/%ld", pid);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(fd, (struct sockaddr *)&name, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length)) !=
        0)
        return -1;
    return listen(fd, 16) == 0 ? fd : -1;
}

static void put(int fd, const char *text) { send(fd, text, strlen(text), MSG_NOSIGNAL); }

static void answer(int fd, const char *mode)
{
    char request[1024];
    if (recv(fd, request, sizeof request, 0) <= 0) return;
    if (strcmp(mode, "nothing") == 0) return;
    if (strcmp(mode, "half-line") == 0) put(fd, "o");
    if (strcmp(mode, "ok-only") == 0) put(fd, "ok\n");
    if (strcmp(mode, "header-only") == 0) put(fd, "ok\n\x89HSC");
    if (strcmp(mode, "garbage") == 0) put(fd, "ok\nthis is no capture at all, is it?");
    if (strcmp(mode, "magic-garbage") == 0)
        put(fd, "ok\n\x89HSC\r\n\x1a\nand then something else, which is no block of anything that was ever written");
    if (strcmp(mode, "no-answer") == 0) put(fd, "maybe\n");
    if (strcmp(mode, "no-sentence") == 0) put(fd, "error \n");
    if (strcmp(mode, "sentence") == 0) put(fd, "error \x1b[31mno\n");
    if (strcmp(mode, "silent") == 0) sleep(30);
    for (int i = 0; strcmp(mode, "endless") == 0 && i < 100000 && send(fd, "xxxxxxxxxx", 10, MSG_NOSIGNAL) > 0; i++)
        continue;
}

static int listener;

static void *be_hostile(void *context)
{
    for (;;) {
        const int fd = accept(listener, NULL, NULL);
        if (fd < 0) return NULL;
        answer(fd, context);
        close(fd);
    }
}

/* A process that listens in the name of this one. */
static pid_t start_thief(void)
{
    int told[2];
    char byte = 0;
    if (pipe(told) != 0) return -1;
    const pid_t thief = fork();
    if (thief == 0) {
        const int fd = listen_as((long)getppid());
        if (fd >= 0 && write(told[1], "x", 1) == 1) pause();
        _exit(1);
    }
    return read(told[0], &byte, 1) == 1 ? thief : -1;
}

static void *tell_thread(void *unused)
{
    (void)unused;
    printf("ready %ld\n", (long)syscall(SYS_gettid));
    fflush(stdout);
    pause();
    return NULL;
}

int main(int count, char **words)
{
    const char *mode = count > 1 ? words[1] : "plain", *more = count > 2 ? words[2] : "";
    const hsa_agent agent = tiny_agent("native");
    const pid_t thief = strcmp(mode, "crowded") == 0 ? start_thief() : 0;
    pthread_t thread;
    if (thief < 0) return 1;
    if (strcmp(mode, "agent") == 0 || thief > 0) {
        tiny_more_options = more;
        if (hsa_listen(&agent) != 0) return 1;
    }
    if (strcmp(mode, "hostile") == 0 && (listener = listen_as((long)getpid())) < 0) return 1;
    if (strcmp(mode, "hostile") == 0 && pthread_create(&thread, NULL, be_hostile, words[2]) != 0) return 1;
    if (strcmp(mode, "stranger") == 0 && listen_as(strtol(more, NULL, 10)) < 0) return 1;
    if (strcmp(mode, "thread") == 0)
        pthread_create(&thread, NULL, tell_thread, NULL);
    else
        puts("ready");
    fflush(stdout);
    while (getchar() != EOF)
        continue;
    if (thief > 0) kill(thief, SIGKILL);
    return 0;
}
