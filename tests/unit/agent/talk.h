/*
 * The other side of an agent's socket, as a test needs it: raw, so that it can misbehave.
 */
#ifndef HSD_TESTS_TALK_H
#define HSD_TESTS_TALK_H

#include <stddef.h>
#include <sys/types.h>

/* Connects to \0hsdiff/1/NAME/PID. -1 with errno. */
int talk_connect(const char *name, pid_t pid);

/* Sends the text whole; false if the other side is gone. */
_Bool talk_send(int fd, const void *data, size_t size);

/* Everything up to the end, NUL-terminated, owned by the caller. */
char *talk_read(int fd, size_t *size);

/* One question and its whole answer. */
char *talk_ask(const char *name, const char *request, size_t *size);

/* Objects of the capture in these bytes, -1 if it is none that is whole. */
long talk_objects(const void *capture, size_t size);

#endif
