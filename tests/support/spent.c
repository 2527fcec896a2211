/*
 * Runs a test and notes what it took of the processor: spent NAME COMMAND [ARGUMENT…]
 *
 * With HSD_SPENT=FOLDER a line "user system" in seconds goes into FOLDER, in a file of the test's name whose slashes
 * are "~": of the command and of all that it waited for, and of what it left behind and is over by then, such as a
 * browser's processes. scripts/results.py adds them up. Without it the command runs as if this program were not there.
 * Ends as the command did, by the same signal if that was one.
 */
#define _GNU_SOURCE /* struct rusage */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static int run(char *const *command)
{
    execvp(command[0], command);
    perror(command[0]);
    return 127;
}

static double seconds(struct timeval t) { return (double)t.tv_sec + (double)t.tv_usec / 1e6; }

static void note_usage(const char *folder, const char *name, const struct rusage *used)
{
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    if (length < 0 || (size_t)length >= sizeof path) return;
    for (char *c = path + strlen(folder) + 1; *c != '\0'; c++) {
        if (*c == '/') *c = '~';
    }
    FILE *file = fopen(path, "w");
    if (file == NULL) return;
    fprintf(file, "%.3f %.3f\n", seconds(used->ru_utime), seconds(used->ru_stime));
    fclose(file);
}

static int end_alike(int status)
{
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none); /* the command's own is enough */
    signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
    return 128 + WTERMSIG(status);
}

/* The status of the command. Takes the ends of others, too, whose parents are gone. */
static int await(pid_t command)
{
    int status, result = 127 << 8;
    bool is_over = false;
    for (;;) {
        const pid_t ended = waitpid(-1, &status, is_over ? WNOHANG : 0);
        if (ended < 0 && errno == EINTR) continue;
        if (ended <= 0) return result;
        if (ended != command) continue;
        result = status;
        is_over = true;
    }
}

int main(int argc, char **argv)
{
    const char *folder = getenv("HSD_SPENT");
    if (argc < 3) {
        fputs("usage: spent NAME COMMAND [ARGUMENT…]\n", stderr);
        return 2;
    }
    if (folder == NULL || folder[0] == '\0') return run(argv + 2);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    pid_t child = fork();
    if (child < 0) return run(argv + 2);
    if (child == 0) _exit(run(argv + 2));
    const int status = await(child);
    struct rusage used;
    if (getrusage(RUSAGE_CHILDREN, &used) == 0) note_usage(folder, argv[1], &used);
    return end_alike(status);
}
