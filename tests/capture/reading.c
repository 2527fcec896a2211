/* The second reader is a program of its own: it is spawned, and what it prints is read from a file. */
#include "capture/reading.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

char *read_whole(const char *path, size_t *size)
{
    FILE *in = fopen(path, "rb");
    cr_assert_not_null(in);
    fseek(in, 0, SEEK_END);
    *size = (size_t)ftell(in);
    rewind(in);
    char *bytes = malloc(*size + 1);
    cr_assert_eq(fread(bytes, 1, *size, in), *size);
    bytes[*size] = '\0';
    fclose(in);
    return bytes;
}

int second_reader(const char *path, char **text, size_t *size)
{
    char text_path[160];
    posix_spawn_file_actions_t actions;
    char *arguments[] = {(char *)HSD_SECOND_READER, (char *)path, NULL};
    pid_t child;
    int status = -1;
    snprintf(text_path, sizeof text_path, "%s.txt", path);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, text_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    cr_assert_eq(posix_spawn(&child, HSD_SECOND_READER, &actions, NULL, arguments, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    waitpid(child, &status, 0);
    *text = read_whole(text_path, size);
    unlink(text_path);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void expect_same_text(const char *what, const char *expected, size_t expected_bytes, const char *got, size_t got_bytes)
{
    if (expected_bytes == got_bytes && memcmp(expected, got, got_bytes) == 0) return;
    size_t line = 0;
    for (size_t at = 0; expected[at] != '\0' && expected[at] == got[at]; at++) {
        if (expected[at] == '\n') line = at + 1;
    }
    cr_assert_fail("%s\nexpected: %.*s\ngot:      %.*s", what, (int)strcspn(expected + line, "\n"), expected + line,
                   (int)strcspn(got + line, "\n"), got + line);
}
