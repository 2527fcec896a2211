/* A hundred captures that are broken off at random points: the program lives on, nothing is left, and the next one is
 * whole. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <hsdiff/capture.h>
#include <hsdiff/live.h>

#include "support/random.h"
#include "unit/agent/talk.h"
#include "unit/io/scratch.h"
#include "unit/live/child.h"

#define ABORTS 100

TestSuite(aborts, .init = scratch_make, .fini = scratch_remove, .timeout = 300);

static void pause_us(unsigned long us)
{
    nanosleep(&(struct timespec){(time_t)(us / 1000000), (long)(us % 1000000) * 1000}, NULL);
}

static void expect_whole(const child *c, uint64_t objects)
{
    hsd_live_result result;
    hsd_error why;
    const hsd_process process = child_look(c);
    hsd_error_init(&why);
    cr_assert_eq(hsd_live_capture(&process, scratch_path("whole.hs"), true, NULL, NULL, &result, &why), HSD_OK, "%s",
                 why.text);
    cr_assert_eq(result.objects, objects);
    cr_assert_eq(remove(scratch_path("whole.hs")), 0);
}

Test(aborts, by_an_asker_that_hangs_up)
{
    test_random random = {test_seed(1)};
    child c = child_start("agent", "objects=100000 big=1");
    for (int i = 0; i < ABORTS; i++) {
        static char piece[1 << 16];
        const int fd = talk_connect("native", c.pid);
        cr_assert(fd >= 0 && talk_send(fd, "hsdiff 1 capture\n", 17));
        for (uint64_t left = test_below(&random, 2000000); left > 0;) {
            const ssize_t got = recv(fd, piece, left < sizeof piece ? (size_t)left : sizeof piece, 0);
            if (got <= 0) break;
            left -= (uint64_t)got;
        }
        close(fd);
        cr_assert(child_is_alive(&c));
    }
    expect_whole(&c, 100000);
    child_end(&c);
}

Test(aborts, by_kill_9_of_who_captures)
{
    test_random random = {test_seed(2)};
    child c = child_start("agent", "objects=100000 pause=1 big=1");
    const hsd_process process = child_look(&c);
    int killed = 0;
    for (int i = 0; i < ABORTS; i++) {
        int status = 0;
        const pid_t capturer = fork();
        if (capturer == 0)
            _exit(hsd_live_capture(&process, scratch_path("x.hs"), false, NULL, NULL, NULL, NULL) == HSD_OK ? 0 : 1);
        pause_us(test_below(&random, 60000));
        kill(capturer, SIGKILL);
        waitpid(capturer, &status, 0);
        killed += WIFSIGNALED(status);
        cr_assert_eq(scratch_count(), 0, "something is left behind");
        cr_assert(child_is_alive(&c));
    }
    cr_assert(killed > ABORTS / 2);
    expect_whole(&c, 100000);
    child_end(&c);
}

static pid_t start_receiver(const char *where)
{
    const pid_t receiver = fork();
    if (receiver != 0) return receiver;
    _exit(hsd_receive(where, scratch_path("out"), NULL, NULL, NULL, NULL, NULL) == HSD_OK ? 0 : 1);
}

static int count_entries(void)
{
    int count = -2;
    DIR *folder = opendir(scratch_path("out"));
    while (readdir(folder) != NULL)
        count++;
    closedir(folder);
    return count;
}

/* All files in the folder, each of which must be a whole capture of 20,000 objects; they are removed. */
static int take_captures(void)
{
    int count = 0;
    const struct dirent *entry;
    DIR *folder = opendir(scratch_path("out"));
    while ((entry = readdir(folder)) != NULL) {
        char path[512];
        hsd_capture *capture = NULL;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        snprintf(path, sizeof path, "%s/%s", scratch_path("out"), entry->d_name);
        cr_assert_eq(hsd_capture_open(&capture, path, HSD_DAMAGE_REFUSE, NULL, NULL), HSD_OK, "%s", entry->d_name);
        cr_assert_eq(hsd_capture_get_info(capture)->objects, 20000);
        hsd_capture_close(capture);
        remove(path);
        count++;
    }
    closedir(folder);
    return count;
}

Test(aborts, by_kill_9_of_the_receiver)
{
    char where[128];
    test_random random = {test_seed(3)};
    snprintf(where, sizeof where, "unix:%s", scratch_path("socket"));
    cr_assert_eq(mkdir(scratch_path("out"), 0700), 0);
    setenv("HSDIFF_TO", where, 1);
    setenv("HSDIFF_EVERY", "0.01", 1);
    child c = child_start("agent", "objects=20000 pause=1 big=1");
    for (int i = 0; i < ABORTS; i++) {
        const pid_t receiver = start_receiver(where);
        pause_us(test_below(&random, 100000));
        kill(receiver, SIGKILL);
        waitpid(receiver, NULL, 0);
        cr_assert(child_is_alive(&c));
    }
    take_captures();
    const pid_t last = start_receiver(where);
    for (int i = 0; i < 2000 && access(where + 5, F_OK) == 0 && count_entries() == 0; i++)
        pause_us(5000);
    kill(last, SIGKILL);
    waitpid(last, NULL, 0);
    cr_assert(take_captures() > 0);
    child_kill(&c);
    remove(where + 5);
    rmdir(scratch_path("out"));
}
