/*
 * Python 3.14 and later, asked to run a script (PEP 768): behind the way that brings the agent in, for processes that
 * nobody may hold. The script loads the agent and has it write into a pipe in a folder of ours. Only the main thread
 * runs it, and only where it runs Python: one that waits is not woken. The agent's library stays loaded.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "live/facts.h"
#include "live/python/python_process.h"
#include "live/python/script.h"

enum { FIRST_MINOR = 14, PATH_BYTES = 256, SCRIPT_BYTES = 4096, WHY_BYTES = 400 };
static const char agent_file[] = "libhsdiff-python.so";

/* ---- may it be asked ---- */

static hsd_status refuse_switch(const hsd_process_facts *facts, hsd_error *err)
{
    hsd_fail(err, HSD_E_UNSUPPORTED,
             "process %ld was started so that it runs no script of others (PYTHON_DISABLE_REMOTE_DEBUG, or "
             "-X disable-remote-debug)",
             facts->pid);
    hsd_error_set_hint(err, "start it without, or with the agent: hsdiff capture -- python app.py");
    return HSD_E_UNSUPPORTED;
}

static hsd_status pass_way_python_remote(const hsd_process_facts *facts, hsd_error *err)
{
    hsd_python_asked asked;
    HSD_TRY(hsd_python_gate_of_script(facts, err));
    HSD_TRY(hsd_python_asked_open(&asked, facts, err));
    const bool is_enabled = asked.enabled == 1;
    hsd_python_asked_close(&asked);
    return is_enabled ? HSD_OK : refuse_switch(facts, err);
}

static hsd_gate look(const hsd_process_facts *facts, hsd_process *process, hsd_error *err)
{
    hsd_python_version version;
    char path[4096];
    hsd_python_look(facts, &version);
    if (version.kind != HSD_PYTHON_C || version.major != 3 || version.minor < FIRST_MINOR) return HSD_GATE_NOT_MINE;
    hsd_python_runtime(&version, process->runtime, sizeof process->runtime);
    if (hsd_python_gate_of_version(facts, &version, err) != HSD_OK || pass_way_python_remote(facts, err) != HSD_OK)
        return HSD_GATE_CLOSED;
    return hsd_agent_path(path, sizeof path, agent_file, err) == HSD_OK ? HSD_GATE_OPEN : HSD_GATE_CLOSED;
}

/* ---- the folder ---- */

typedef struct folder {
    char path[PATH_BYTES / 2], script[PATH_BYTES], pipe[PATH_BYTES], why[PATH_BYTES];
    int fd; /* of the pipe */
} folder;

static void remove_folder(folder *f)
{
    if (f->fd >= 0) close(f->fd);
    unlink(f->script);
    unlink(f->pipe);
    unlink(f->why);
    rmdir(f->path);
}

static bool write_script(const folder *f, const char *agent, int compression)
{
    char text[SCRIPT_BYTES];
    const int size =
        snprintf(text, sizeof text,
                 "def _hsdiff():\n"
                 "    import posix, _imp\n"
                 "    from _frozen_importlib import ModuleSpec\n"
                 "    try:\n"
                 "        fd = posix.open(%c%s%c, posix.O_WRONLY | posix.O_NONBLOCK | posix.O_CLOEXEC)\n"
                 "    except OSError:\n" /* who asked has gone */
                 "        return\n"
                 "    posix.set_blocking(fd, True)\n"
                 "    try:\n"
                 "        module = _imp.create_dynamic(ModuleSpec('hsdiff_agent_c', None, origin=%c%s%c))\n"
                 "        _imp.exec_dynamic(module)\n"
                 "        module.capture(fd, %d)\n"
                 "    except BaseException as error:\n"
                 "        why = posix.open(%c%s%c, posix.O_WRONLY | posix.O_CREAT | posix.O_CLOEXEC, 0o600)\n"
                 "        posix.write(why, str(error).encode('utf-8', 'replace')[:390])\n"
                 "        posix.close(why)\n"
                 "    finally:\n"
                 "        posix.close(fd)\n"
                 "_hsdiff()\n"
                 "del _hsdiff\n",
                 '"', f->pipe, '"', '"', agent, '"', compression, '"', f->why, '"');
    const int fd = open(f->script, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    const bool is_written = fd >= 0 && size > 0 && size < (int)sizeof text && write(fd, text, (size_t)size) == size;
    if (fd >= 0) close(fd);
    return is_written;
}

/* Files that the process may read: its user's, where that is another one and this is root. */
static bool give(const folder *f, const hsd_process_facts *facts)
{
    if (geteuid() == facts->uid) return true;
    return chown(f->script, facts->uid, facts->gid) == 0 && chown(f->pipe, facts->uid, facts->gid) == 0 &&
           chown(f->path, facts->uid, facts->gid) == 0;
}

static hsd_status make_folder(folder *f, const hsd_live *live, const char *agent, hsd_error *err)
{
    const hsd_process_facts *facts = live->facts;
    *f = (folder){.fd = -1};
    if (strpbrk(agent, "\"\\\n") != NULL)
        return hsd_fail(err, HSD_E_UNSUPPORTED, "the agent lies where no script can name it: %s", agent);
    snprintf(f->path, sizeof f->path, "/tmp/hsdiff-%ld-XXXXXX", facts->pid);
    if (mkdtemp(f->path) == NULL) return hsd_fail_errno(err, errno, "cannot make a folder in /tmp");
    snprintf(f->script, sizeof f->script, "%s/script.py", f->path);
    snprintf(f->pipe, sizeof f->pipe, "%s/pipe", f->path);
    snprintf(f->why, sizeof f->why, "%s/why", f->path);
    if (mkfifo(f->pipe, 0600) == 0) f->fd = open(f->pipe, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (f->fd >= 0 && write_script(f, agent, live->options->compression) && give(f, facts)) return HSD_OK;
    hsd_fail_errno(err, errno, "cannot make a script for process %ld", facts->pid);
    remove_folder(f);
    return HSD_E_IO;
}

/* ---- a capture ---- */

static hsd_status tell_why(const folder *f, const hsd_live *live, hsd_error *err)
{
    char why[WHY_BYTES + 1] = "";
    const int fd = open(f->why, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    const ssize_t size = fd < 0 ? 0 : read(fd, why, WHY_BYTES);
    if (fd >= 0) close(fd);
    if (size <= 0) return HSD_E_TRUNCATED;
    why[size] = '\0';
    return hsd_fail(err, HSD_E_UNSUPPORTED, "the agent in process %ld refuses: %s", live->facts->pid, why);
}

static hsd_status tell_nobody(const hsd_live *live, hsd_error *err)
{
    hsd_fail(err, HSD_E_IO, "the main thread of process %ld did not come to run the script: it waits, or is in C code",
             live->facts->pid);
    hsd_error_set_hint(err, "try again while it works, or wait longer: --timeout");
    return HSD_E_IO;
}

static hsd_status receive(hsd_live *live, hsd_python_asked *asked, const folder *f, hsd_error *err)
{
    hsd_status status = hsd_live_wait(live, f->fd, POLLIN, err);
    if (status != HSD_OK) {
        hsd_python_asked_take_back(asked, f->script);
        return status == HSD_E_IO ? tell_nobody(live, err) : status;
    }
    hsd_error why;
    hsd_error_init(&why);
    status = hsd_live_copy(live, f->fd, &why);
    if (status == HSD_OK) return status;
    if (status == HSD_E_TRUNCATED && tell_why(f, live, err) == HSD_E_UNSUPPORTED) return HSD_E_UNSUPPORTED;
    if (err != NULL) *err = why;
    return status;
}

static hsd_status capture_way_python_remote(hsd_live *live, hsd_error *err)
{
    char agent[4096];
    hsd_python_asked asked;
    folder f;
    HSD_TRY(hsd_agent_path(agent, sizeof agent, agent_file, err));
    HSD_TRY(hsd_python_asked_open(&asked, live->facts, err));
    hsd_status status = make_folder(&f, live, agent, err);
    if (status == HSD_OK) {
        status = hsd_python_asked_run(&asked, f.script, err);
        if (status == HSD_OK) status = receive(live, &asked, &f, err);
        remove_folder(&f);
    }
    hsd_python_asked_close(&asked);
    return status;
}

const hsd_way hsd_way_python_remote = {
    .name = "python-remote",
    .summary = "Python 3.14 that nobody may hold: it is asked to run a script, which loads the agent (PEP 768)",
    .stored = "shapes only: no strings, bytes or numbers of the program",
    .look = look,
    .capture = capture_way_python_remote,
};
