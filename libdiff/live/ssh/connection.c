#define _GNU_SOURCE /* pipe2 */
/*
 * See connection.h. ssh is asked for nothing that a user must answer (BatchMode), and forwards nothing. What the user's
 * configuration says of a host holds: keys, jumps, ports.
 */
#include "live/ssh/connection.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    WORDS_MAX = 40,
    NOT_FOUND = 127,
    CANNOT_RUN = 126,
    FAILED = 255,
    END_PATIENCE_MS = 5000,
    STEP_MS = 10,
    PORT_CHARS = 12
};

/* ---- starting ---- */

typedef struct pipes {
    int in[2], out[2], errors[2];
} pipes;

static void close_both(int ends[2])
{
    for (int i = 0; i < 2; i++)
        if (ends[i] >= 0) close(ends[i]);
    ends[0] = ends[1] = -1;
}

static bool open_pipes(pipes *all)
{
    *all = (pipes){{-1, -1}, {-1, -1}, {-1, -1}};
    if (pipe2(all->in, O_CLOEXEC) == 0 && pipe2(all->out, O_CLOEXEC) == 0 && pipe2(all->errors, O_CLOEXEC) == 0)
        return true;
    const int error = errno;
    close_both(all->in);
    close_both(all->out);
    close_both(all->errors);
    errno = error;
    return false;
}

static void list_words(const char *words[WORDS_MAX], char port[PORT_CHARS], const hsd_remote *at, const char *line)
{
    static const char *const fixed[] = {"ssh", "-T",
                                        "-a",  "-x",
                                        "-o",  "BatchMode=yes",
                                        "-o",  "ConnectTimeout=15",
                                        "-o",  "ServerAliveInterval=10",
                                        "-o",  "ServerAliveCountMax=3",
                                        "-o",  "ClearAllForwardings=yes",
                                        "-o",  "RemoteCommand=none"};
    size_t count = 0;
    for (; count < sizeof fixed / sizeof fixed[0]; count++)
        words[count] = fixed[count];
    if (at->port != 0) {
        snprintf(port, PORT_CHARS, "%u", at->port);
        words[count++] = "-p";
        words[count++] = port;
    }
    if (at->user[0] != '\0') {
        words[count++] = "-l";
        words[count++] = at->user;
    }
    words[count++] = "--";
    words[count++] = at->host;
    words[count++] = line;
    words[count] = NULL;
}

/* In the child. Never returns: it is ssh, or says that there is none. */
static void become(const pipes *all, const char *const *words, pid_t parent)
{
    const struct sigaction usual = {.sa_handler = SIG_DFL};
    const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGALRM};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        sigaction(signals[i], &usual, NULL);
    setsid(); /* a Ctrl-C is ours: the other end is told first */
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() == parent && dup2(all->in[0], 0) == 0 && dup2(all->out[1], 1) == 1 && dup2(all->errors[1], 2) == 2) {
        execvp(words[0], (char *const *)(uintptr_t)words);
        if (errno == ENOENT) syscall(SYS_exit_group, NOT_FOUND);
    }
    for (;;)
        syscall(SYS_exit_group, CANNOT_RUN);
}

hsd_status hsd_ssh_open(hsd_ssh *ssh, const hsd_remote *at, const char *line, hsd_error *err)
{
    const char *words[WORDS_MAX];
    char port[PORT_CHARS];
    pipes all;
    *ssh = (hsd_ssh){.in = -1, .out = -1, .errors = -1};
    list_words(words, port, at, line);
    if (!open_pipes(&all)) return hsd_fail_errno(err, errno, "cannot start ssh");
    const pid_t parent = getpid();
    ssh->pid = fork();
    if (ssh->pid == 0) become(&all, words, parent);
    const int error = errno;
    close(all.in[0]);
    close(all.out[1]);
    close(all.errors[1]);
    ssh->in = all.in[1];
    ssh->out = all.out[0];
    ssh->errors = all.errors[0];
    if (ssh->pid > 0) return HSD_OK;
    ssh->pid = 0;
    hsd_ssh_close(ssh, true);
    return hsd_fail_errno(err, error, "cannot start ssh");
}

/* ---- talking ---- */

static void close_one(int *fd)
{
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

/* What was said last is what it is about: the beginning goes. */
static void hear(hsd_ssh *ssh)
{
    char piece[1024];
    const ssize_t got = read(ssh->errors, piece, sizeof piece);
    if (got < 0 && errno == EINTR) return;
    if (got <= 0) {
        close_one(&ssh->errors);
        return;
    }
    const size_t size = (size_t)got, room = sizeof ssh->said - 1;
    if (ssh->said_size + size > room) {
        const size_t gone = ssh->said_size + size - room;
        memmove(ssh->said, ssh->said + gone, ssh->said_size - gone);
        ssh->said_size -= gone;
    }
    memcpy(ssh->said + ssh->said_size, piece, size);
    ssh->said_size += size;
    for (size_t i = ssh->said_size - size; i < ssh->said_size; i++)
        if (ssh->said[i] == '\0' || ssh->said[i] == '\r') ssh->said[i] = ' ';
    ssh->said[ssh->said_size] = '\0';
}

hsd_status hsd_ssh_read(hsd_ssh *ssh, void *data, size_t size, int wait_ms, size_t *got, bool *is_over, hsd_error *err)
{
    struct pollfd fds[2] = {{.fd = ssh->out, .events = POLLIN}, {.fd = ssh->errors, .events = POLLIN}};
    *got = 0;
    *is_over = false;
    const int ready = poll(fds, 2, wait_ms);
    if (ready < 0 && errno != EINTR) return hsd_fail_errno(err, errno, "cannot wait for ssh");
    if (ready <= 0) return HSD_OK;
    if (fds[1].revents != 0) hear(ssh);
    if (fds[0].revents == 0) return HSD_OK;
    const ssize_t count = read(ssh->out, data, size);
    if (count < 0 && errno != EINTR) return hsd_fail_errno(err, errno, "cannot read what ssh says");
    *got = count > 0 ? (size_t)count : 0;
    *is_over = count == 0;
    return HSD_OK;
}

void hsd_ssh_say(const hsd_ssh *ssh, char byte)
{
    if (ssh->in >= 0) (void)!write(ssh->in, &byte, 1);
}

/* ---- the end ---- */

static bool is_gone(hsd_ssh *ssh, unsigned patience_ms, int *status)
{
    const struct timespec step = {.tv_nsec = STEP_MS * 1000000L};
    for (unsigned waited = 0;; waited += STEP_MS) {
        const pid_t ended = waitpid(ssh->pid, status, WNOHANG);
        if (ended != 0 && !(ended < 0 && errno == EINTR)) return true;
        if (waited >= patience_ms) return false;
        if (ssh->errors >= 0) {
            struct pollfd said = {.fd = ssh->errors, .events = POLLIN};
            if (poll(&said, 1, 0) > 0) hear(ssh);
        }
        nanosleep(&step, NULL);
    }
}

int hsd_ssh_close(hsd_ssh *ssh, bool at_once)
{
    int status = 0;
    close_one(&ssh->in);
    if (ssh->pid > 0) {
        if (at_once) kill(ssh->pid, SIGTERM);
        if (!is_gone(ssh, END_PATIENCE_MS, &status)) {
            kill(ssh->pid, SIGKILL);
            waitpid(ssh->pid, &status, 0);
        }
        ssh->pid = 0;
    }
    while (ssh->errors >= 0 && poll(&(struct pollfd){.fd = ssh->errors, .events = POLLIN}, 1, 0) > 0)
        hear(ssh);
    close_one(&ssh->out);
    close_one(&ssh->errors);
    return WIFEXITED(status) ? WEXITSTATUS(status) : FAILED;
}

/* ---- what went wrong ---- */

/* The last line that says something, without "ssh: ". */
static void last_line(const hsd_ssh *ssh, char *out, size_t size)
{
    size_t end = ssh->said_size;
    while (end > 0 && (ssh->said[end - 1] == '\n' || ssh->said[end - 1] == ' ' || ssh->said[end - 1] == '.'))
        end--;
    size_t begin = end;
    while (begin > 0 && ssh->said[begin - 1] != '\n')
        begin--;
    if (end - begin > 5 && memcmp(ssh->said + begin, "ssh: ", 5) == 0) begin += 5;
    snprintf(out, size, "%.*s", (int)(end - begin), ssh->said + begin);
}

typedef struct trouble {
    const char *word; /* of ssh's own sentences */
    hsd_status status;
    const char *before, *behind;           /* the host stands between them */
    const char *hint_before, *hint_behind; /* likewise; NULL = none */
} trouble;

static const trouble troubles[] = {
    {"IDENTIFICATION HAS CHANGED", HSD_E_UNSUPPORTED, "", " has another host key than the one that is known here",
     "find out why before you go on; if it is in order: ssh-keygen -R ",
     ", then ssh to it once and compare the fingerprint"},
    {"Host key verification failed", HSD_E_UNSUPPORTED, "the host key of ", " is not known here", "ssh to ",
     " once and compare the fingerprint that it shows"},
    {"Permission denied", HSD_E_UNSUPPORTED, "", " lets nobody in without a question",
     "use a key that ssh takes without asking: ssh-copy-id ", ", ssh-add, or IdentityFile in ~/.ssh/config"},
    {"Too many authentication failures", HSD_E_UNSUPPORTED, "", " refused all keys that were offered",
     "name the right one for ", " in ~/.ssh/config: IdentityFile, IdentitiesOnly yes"},
    {"Could not resolve hostname", HSD_E_IO, "there is no machine called ", "", NULL, NULL},
    {"Connection refused", HSD_E_IO, "no ssh server answers at ", ": the connection was refused",
     "the port stands behind the host: ssh://", ":PORT/NAME"},
    {"timed out", HSD_E_IO, "", " does not answer in time", NULL, NULL},
    {"No route to host", HSD_E_IO, "there is no way in the network to ", "", NULL, NULL},
};

static hsd_status blame_ssh(const hsd_ssh *ssh, const char *whom, hsd_error *err)
{
    char line[256];
    for (size_t i = 0; i < sizeof troubles / sizeof troubles[0]; i++) {
        const trouble *one = &troubles[i];
        if (strstr(ssh->said, one->word) == NULL) continue;
        hsd_fail(err, one->status, "%s%s%s", one->before, whom, one->behind);
        if (one->hint_before != NULL) hsd_error_set_hint(err, "%s%s%s", one->hint_before, whom, one->hint_behind);
        return one->status;
    }
    last_line(ssh, line, sizeof line);
    return hsd_fail(err, HSD_E_IO, "the connection to %s ended: %s", whom, line[0] == '\0' ? "ssh said nothing" : line);
}

static hsd_status blame_command(const hsd_remote *at, const char *command, const char *whom, hsd_error *err)
{
    char port[16] = "";
    if (at->port != 0) snprintf(port, sizeof port, "-P %u ", at->port);
    hsd_fail(err, HSD_E_UNSUPPORTED, "there is no '%.80s' at %s", command, whom);
    hsd_error_set_hint(err,
                       "copy this installation there (scp %s-r, bin and lib beside each other) or install it there; "
                       "where it is not in the PATH: --remote "
                       "/opt/hsdiff/bin/hsdiff",
                       port);
    return HSD_E_UNSUPPORTED;
}

hsd_status hsd_ssh_blame(const hsd_ssh *ssh, const hsd_remote *at, const char *command, int exit_status, hsd_error *err)
{
    char whom[sizeof at->user + sizeof at->host + 1], line[256];
    hsd_remote_call(at, whom, sizeof whom);
    if (exit_status == NOT_FOUND && ssh->said_size == 0) {
        hsd_fail(err, HSD_E_UNSUPPORTED, "there is no ssh on this machine");
        hsd_error_set_hint(err, "install openssh-client");
        return HSD_E_UNSUPPORTED;
    }
    if (exit_status == FAILED) return blame_ssh(ssh, whom, err);
    if (exit_status == NOT_FOUND || exit_status == CANNOT_RUN) return blame_command(at, command, whom, err);
    last_line(ssh, line, sizeof line);
    if (strstr(ssh->said, "--serve") != NULL) {
        hsd_fail(err, HSD_E_TOO_NEW, "the hsdiff at %s is older than this one, and cannot send captures", whom);
        hsd_error_set_hint(err,
                           "install this version there, or take the capture there: ssh %s hsdiff capture PID -o x.hs",
                           whom);
        return HSD_E_TOO_NEW;
    }
    if (exit_status == 0)
        return hsd_fail(err, HSD_E_UNSUPPORTED, "'%.80s' at %s is no hsdiff that sends captures", command, whom);
    return hsd_fail(err, HSD_E_UNSUPPORTED, "'%.80s' at %s ended with status %d: %s", command, whom, exit_status,
                    line[0] == '\0' ? "it said nothing" : line);
}
