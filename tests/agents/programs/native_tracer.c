/*
 * A debugger that only looks on: traces all threads of a process, passes its signals on, and ends when it is killed.
 *
 *      native_tracer PID      prints "tracing" when it does
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/wait.h>

int main(int count, char **arguments)
{
    char path[64];
    int status;
    if (count != 2) return 2;
    snprintf(path, sizeof path, "/proc/%ld/task", strtol(arguments[1], NULL, 10));
    DIR *tasks = opendir(path);
    for (const struct dirent *entry; tasks != NULL && (entry = readdir(tasks)) != NULL;)
        if (entry->d_name[0] != '.' && ptrace(PTRACE_SEIZE, strtol(entry->d_name, NULL, 10), NULL, NULL) != 0) return 1;
    if (tasks == NULL) return 1;
    closedir(tasks);
    puts("tracing");
    fflush(stdout);
    for (pid_t tid; (tid = waitpid(-1, &status, __WALL)) > 0;)
        if (WIFSTOPPED(status))
            ptrace(PTRACE_CONT, tid, NULL, status >> 16 == 0 ? (void *)(long)WSTOPSIG(status) : NULL);
    return 0;
}
