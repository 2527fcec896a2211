/*
 * Runs a test and notes what it took of the processor: spent NAME COMMAND [ARGUMENT…]
 *
 * With HSD_SPENT=FOLDER a line "user system" in seconds goes into FOLDER, in a file of the test's name whose slashes
 * are "~": of the command and of all that it waited for, and of what it left behind and is over by then, such as a
 * browser's processes. What still runs then has GRACE_SECONDS to end: a line "left NAME" more is of what has not.
 * scripts/results.py adds them up. Without HSD_SPENT the command runs as if this program were not there. Ends as the
 * command did, by the same signal if that was one.
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
#include <time.h>
#include <unistd.h>

enum { GRACE_SECONDS = 5, TURNS_A_SECOND = 50 };

static int run(char *const *command)
{
    execvp(command[0], command);
    perror(command[0]);
    return 127;
}

static double seconds(struct timeval t) { return (double)t.tv_sec + (double)t.tv_usec / 1e6; }

static FILE *open_note(const char *folder, const char *name)
{
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    if (length < 0 || (size_t)length >= sizeof path) return NULL;
    for (char *c = path + strlen(folder) + 1; *c != '\0'; c++) {
        if (*c == '/') *c = '~';
    }
    return fopen(path, "w");
}

/* Its words, so that an interpreter's program is told, too; of a process without any the name that the kernel has. */
static void note_left(FILE *note, pid_t pid)
{
    char path[64], words[256];
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "/proc/%ld/%s", (long)pid, i == 0 ? "cmdline" : "comm");
        FILE *file = fopen(path, "r");
        const size_t length = file != NULL ? fread(words, 1, sizeof words, file) : 0;
        if (file != NULL) fclose(file);
        if (length == 0) continue;
        fputs("left ", note);
        for (size_t at = 0; at < length; at++)
            fputc(words[at] > ' ' && words[at] < 127 ? words[at] : ' ', note);
        fputc('\n', note);
        return;
    }
}

/* The children of this process, which has one thread: what the command left behind. */
static void note_all_left(FILE *note)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%ld/children", (long)getpid());
    FILE *file = fopen(path, "r");
    if (file == NULL) return;
    for (long pid; fscanf(file, "%ld", &pid) == 1;)
        note_left(note, (pid_t)pid);
    fclose(file);
}

static void note_usage(const char *folder, const char *name, bool is_left)
{
    struct rusage used;
    if (getrusage(RUSAGE_CHILDREN, &used) != 0) return;
    FILE *note = open_note(folder, name);
    if (note == NULL) return;
    fprintf(note, "%.3f %.3f\n", seconds(used.ru_utime), seconds(used.ru_stime));
    if (is_left) note_all_left(note);
    fclose(note);
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

/* The status of the command; takes the ends of others, too, whose parents are gone. */
static int await(pid_t command)
{
    for (int status;;) {
        const pid_t ended = waitpid(-1, &status, 0);
        if (ended == command) return status;
        if (ended < 0 && errno != EINTR) return 127 << 8;
    }
}

/* Whether something is left when all that was left behind has had its time. */
static bool await_others(void)
{
    for (int turn = 0; turn < GRACE_SECONDS * TURNS_A_SECOND;) {
        const pid_t ended = waitpid(-1, NULL, WNOHANG);
        if (ended < 0 && errno != EINTR) return false;
        if (ended != 0) continue;
        nanosleep(&(struct timespec){.tv_nsec = 1000000000 / TURNS_A_SECOND}, NULL);
        turn++;
    }
    return true;
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
    note_usage(folder, argv[1], await_others());
    return end_alike(status);
}
