/*
 * The facts of a process, read once from /proc, and the questions that ways ask about it. Nothing happens to the
 * process: files of /proc are read, no signal is sent, nothing is attached.
 */
#include "live/facts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live/procfs.h"

#define STATUS_MAX_BYTES      ((size_t)64 << 10)
#define ENVIRONMENT_MAX_BYTES ((size_t)8 << 20)
#define LIST_MAX_BYTES        ((size_t)64 << 20)
#define IS_KERNEL_THREAD      0x200000u /* PF_KTHREAD of the flags in stat */
enum { PATH_BYTES = 64, READ_BYTES = 64 * 1024 };

static void make_path(char path[PATH_BYTES], long pid, const char *file)
{
    snprintf(path, PATH_BYTES, "/proc/%ld/%s", pid, file);
}

static void copy_text(char *out, size_t size, const char *from, size_t length)
{
    if (length > size - 1) length = size - 1;
    memcpy(out, from, length);
    out[length] = '\0';
}

/* ---- status and stat ---- */

static uint64_t status_number(const char *status, const char *key, unsigned column, int base)
{
    const char *at = hsd_procfs_status_value(status, key);
    for (; at != NULL && column > 0; column--) {
        at += strcspn(at, "\t\n ");
        at += strspn(at, "\t ");
    }
    return at == NULL ? 0 : strtoull(at, NULL, base);
}

/* The last number of a line: the innermost namespace is on the right. */
static long last_number(const char *status, const char *key, long fallback)
{
    const char *at = hsd_procfs_status_value(status, key);
    if (at == NULL) return fallback;
    const char *end = at + strcspn(at, "\n");
    while (end > at && end[-1] >= '0' && end[-1] <= '9')
        end--;
    uint64_t number = 0;
    return hsd_procfs_number(end, &number) ? (long)number : fallback;
}

static hsd_status read_status(hsd_process_facts *facts, hsd_error *err)
{
    char path[PATH_BYTES];
    make_path(path, facts->pid, "status");
    char *status = hsd_procfs_read(path, STATUS_MAX_BYTES, NULL);
    if (status == NULL) return hsd_gate_of_absence(facts->pid, err);
    const char *name = hsd_procfs_status_value(status, "Name"), *state = hsd_procfs_status_value(status, "State");
    if (name != NULL) copy_text(facts->command, sizeof facts->command, name, strcspn(name, "\n"));
    facts->is_zombie = state != NULL && (*state == 'Z' || *state == 'X');
    facts->is_traced = status_number(status, "TracerPid", 0, 10) != 0;
    facts->uid = (unsigned)status_number(status, "Uid", 1, 10); /* the effective one */
    facts->gid = (unsigned)status_number(status, "Gid", 1, 10);
    facts->rss_bytes = status_number(status, "VmRSS", 0, 10) * 1024; /* in kB */
    facts->caught_signals = status_number(status, "SigCgt", 0, 16);
    facts->inner_pid = last_number(status, "NSpid", facts->pid);
    const long group = (long)status_number(status, "Tgid", 0, 10);
    free(status);
    if (group == 0 || group == facts->pid) return HSD_OK;
    hsd_fail(err, HSD_E_UNSUPPORTED, "%ld is a thread of process %ld", facts->pid, group);
    hsd_error_set_hint(err, "hsdiff capture %ld", group);
    return HSD_E_UNSUPPORTED;
}

/* Seconds from 1970 to the boot of the machine, as they were when first asked for; 0 if they are not known. */
static uint64_t boot_seconds(void)
{
    static _Atomic uint64_t known;
    uint64_t seconds = atomic_load(&known);
    if (seconds != 0) return seconds;
    char *stat = hsd_procfs_read("/proc/stat", (size_t)4 << 20, NULL);
    const char *at = stat == NULL ? NULL : strstr(stat, "\nbtime ");
    if (at != NULL && !hsd_procfs_number(at + sizeof "\nbtime " - 1, &seconds)) seconds = 0;
    free(stat);
    atomic_store(&known, seconds);
    return seconds;
}

static hsd_status read_start(hsd_process_facts *facts, hsd_error *err)
{
    char path[PATH_BYTES];
    make_path(path, facts->pid, "stat");
    char *stat = hsd_procfs_read(path, STATUS_MAX_BYTES, NULL);
    if (stat == NULL) return hsd_gate_of_absence(facts->pid, err);
    const uint64_t ticks = hsd_procfs_stat_number(stat, 22), boot = boot_seconds();
    facts->start_ticks = ticks;
    facts->is_kernel = (hsd_procfs_stat_number(stat, 9) & IS_KERNEL_THREAD) != 0;
    const long hertz = sysconf(_SC_CLK_TCK);
    free(stat);
    if (ticks != 0 && boot != 0 && hertz > 0)
        facts->started_unix_ns = boot * UINT64_C(1000000000) + ticks * (UINT64_C(1000000000) / (uint64_t)hertz);
    return HSD_OK;
}

/* ---- files and namespaces ---- */

static void read_executable(hsd_process_facts *facts)
{
    char path[PATH_BYTES];
    make_path(path, facts->pid, "exe");
    const ssize_t length = readlink(path, facts->executable, sizeof facts->executable - 1);
    facts->executable[length < 0 ? 0 : length] = '\0';
    make_path(path, facts->pid, "maps");
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    facts->is_readable = length >= 0 && fd >= 0;
    if (fd >= 0) close(fd);
}

static void read_arguments(hsd_process_facts *facts)
{
    char path[PATH_BYTES];
    size_t size = 0;
    make_path(path, facts->pid, "cmdline");
    char *words = hsd_procfs_read(path, sizeof facts->arguments - 2, &size);
    if (words != NULL) memcpy(facts->arguments, words, size); /* two NULs behind it from the start */
    free(words);
}

/* True too when it cannot be said: what cannot be looked at shows itself elsewhere. */
static bool is_same_namespace(long pid, const char *kind)
{
    char path[PATH_BYTES], theirs[64] = "", ours[64] = "", file[16];
    snprintf(file, sizeof file, "ns/%s", kind);
    make_path(path, pid, file);
    const ssize_t length = readlink(path, theirs, sizeof theirs - 1);
    snprintf(path, sizeof path, "/proc/self/ns/%s", kind);
    if (length <= 0 || readlink(path, ours, sizeof ours - 1) <= 0) return true;
    return strcmp(theirs, ours) == 0;
}

hsd_status hsd_facts_read(hsd_process_facts *out, long pid, hsd_error *err)
{
    *out = (hsd_process_facts){.pid = pid};
    if (pid <= 0) return hsd_fail(err, HSD_E_NOT_FOUND, "there is no process %ld", pid);
    snprintf(out->root, sizeof out->root, "/proc/%ld/root", pid);
    HSD_TRY(read_status(out, err));
    HSD_TRY(read_start(out, err));
    read_executable(out);
    read_arguments(out);
    out->is_same_network = is_same_namespace(pid, "net");
    out->is_same_mounts = is_same_namespace(pid, "mnt");
    out->is_same_pids = is_same_namespace(pid, "pid");
    out->has_other_users = !is_same_namespace(pid, "user");
    return HSD_OK;
}

/* ---- questions ---- */

/* Is there a line of this list that `is_it`? */
static bool any_line(const char *path, bool (*is_it)(const char *line, const void *what), const void *what)
{
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t room = 0, read_bytes = 0;
    bool found = false;
    ssize_t length;
    /* else the kernel makes these lists anew for each KiB */
    if (file != NULL) setvbuf(file, NULL, _IOFBF, READ_BYTES);
    while (file != NULL && !found && read_bytes < LIST_MAX_BYTES && (length = getline(&line, &room, file)) > 0) {
        if (line[length - 1] == '\n') line[length - 1] = '\0';
        found = is_it(line, what);
        read_bytes += (size_t)length;
    }
    free(line);
    if (file != NULL) fclose(file);
    return found;
}

typedef struct wanted_file {
    const char *name;
    bool prefix;
} wanted_file;

static bool is_wanted_map(const char *line, const void *what)
{
    const wanted_file *wanted = what;
    return hsd_procfs_maps_line_is(line, wanted->name, wanted->prefix);
}

static bool is_kept(const hsd_process_facts *facts, const char *name, bool prefix)
{
    for (const char *at = facts->mapped; *at != '\0'; at += strlen(at) + 1)
        if (prefix ? strncmp(at, name, strlen(name)) == 0 : strcmp(at, name) == 0) return true;
    return false;
}

typedef struct kept_maps {
    hsd_process_facts *facts;
    size_t used;
} kept_maps;

/* The segments of one file follow each other. */
static bool is_known_before(const hsd_process_facts *facts, size_t used, const char *name)
{
    const size_t size = strlen(name) + 1;
    return used >= size && memcmp(facts->mapped + used - size, name, size) == 0 &&
           (used == size || facts->mapped[used - size - 1] == '\0');
}

/* True, which ends the reading: no room. A line of a file holds its path from the first slash on. */
static bool keep_line(const char *line, const void *what)
{
    kept_maps *kept = *(kept_maps *const *)what;
    const char *path = strchr(line, '/');
    size_t size = 0;
    if (path == NULL) return false;
    const char *name = hsd_procfs_last_part(path, &size);
    char *at = kept->facts->mapped + kept->used;
    if (kept->used + size + 2 > sizeof kept->facts->mapped) return true;
    memcpy(at, name, size);
    at[size] = '\0';
    if (size > 0 && !is_known_before(kept->facts, kept->used, at)) kept->used += size + 1;
    kept->facts->mapped[kept->used] = '\0';
    return false;
}

void hsd_facts_keep_maps(hsd_process_facts *facts)
{
    char path[PATH_BYTES];
    kept_maps kept = {.facts = facts}, *pointer = &kept;
    make_path(path, facts->pid, "maps");
    facts->mapped[0] = '\0';
    facts->has_mapped = facts->is_readable && !any_line(path, keep_line, &pointer);
}

bool hsd_process_maps(const hsd_process_facts *facts, const char *file_name, bool prefix)
{
    char path[PATH_BYTES];
    if (facts->has_mapped) return is_kept(facts, file_name, prefix);
    make_path(path, facts->pid, "maps");
    return any_line(path, is_wanted_map, &(wanted_file){file_name, prefix});
}

/* The same name, or that of a later turn: NAME.2 to NAME.9. */
static bool is_agent_socket(const char *line, const void *what)
{
    const size_t length = strlen(line);
    char whole[128];
    if (hsd_procfs_unix_line_is(line, what)) return true;
    if (length < 2 || line[length - 2] != '.' || line[length - 1] < '2' || line[length - 1] > '9') return false;
    const int size = snprintf(whole, sizeof whole, "%s%s", (const char *)what, line + length - 2);
    return size > 0 && (size_t)size < sizeof whole && hsd_procfs_unix_line_is(line, whole);
}

/* Among those that are shared, under the same names. */
static bool is_shared_agent(const hsd_process_facts *facts, const char *name)
{
    char turn[128];
    bool found = hsd_shared_facts_listen(facts->shared, name);
    for (int i = 2; !found && i <= 9; i++) {
        snprintf(turn, sizeof turn, "%s.%d", name, i);
        found = hsd_shared_facts_listen(facts->shared, turn);
    }
    return found;
}

bool hsd_facts_listens(const hsd_process_facts *facts, const char *name)
{
    char path[PATH_BYTES];
    if (hsd_facts_sockets(facts) != NULL) return is_shared_agent(facts, name);
    make_path(path, facts->pid, "net/unix");
    return any_line(path, is_agent_socket, name);
}

bool hsd_process_has_open(const hsd_process_facts *facts, const char *file_name)
{
    char path[PATH_BYTES], target[4096];
    make_path(path, facts->pid, "fd");
    DIR *folder = opendir(path);
    const struct dirent *entry;
    bool found = false;
    while (folder != NULL && !found && (entry = readdir(folder)) != NULL) {
        const ssize_t length = readlinkat(dirfd(folder), entry->d_name, target, sizeof target - 1);
        if (length <= 0) continue;
        target[length] = '\0';
        size_t size = 0;
        const char *last = hsd_procfs_last_part(target, &size);
        found = size == strlen(file_name) && memcmp(last, file_name, size) == 0;
    }
    if (folder != NULL) closedir(folder);
    return found;
}

bool hsd_process_variable(const hsd_process_facts *facts, const char *name, char *out, size_t size)
{
    char path[PATH_BYTES];
    size_t used = 0;
    const size_t length = strlen(name);
    make_path(path, facts->pid, "environ");
    char *environment = hsd_procfs_read(path, ENVIRONMENT_MAX_BYTES, &used);
    bool found = false;
    for (size_t at = 0; environment != NULL && !found && at < used; at += strlen(environment + at) + 1) {
        const char *word = environment + at;
        found = strncmp(word, name, length) == 0 && word[length] == '=';
        if (found) copy_text(out, size, word + length + 1, strlen(word + length + 1));
    }
    free(environment);
    return found;
}
