/*
 * A program that takes its own captures: linked with the agent, nothing preloaded.
 *
 *      native_inside FILE      status 0: FILE was written, a second one to the same place was refused, and wait() saw none of it
 */
#include <errno.h>
#include <hscapture/native.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

enum { HELD = 50, HELD_BYTES = 3331, SILENT_BYTES = 4447 };

void *held[HELD + 1];

int main(int argc, char **argv)
{
    if (argc != 2) return 2;
    for (int i = 0; i < HELD; i++)
        held[i] = malloc(HELD_BYTES);
    hsn_pause();
    held[HELD] = malloc(SILENT_BYTES);
    hsn_resume();
    if (hsn_capture(argv[1]) != 0) {
        perror("hsn_capture");
        return 1;
    }
    if (hsn_capture(argv[1]) == 0 || errno != EEXIST) return 3;
    if (waitpid(-1, NULL, WNOHANG) != -1 || errno != ECHILD) return 4;
    for (int i = 0; i <= HELD; i++)
        free(held[i]);
    return 0;
}
