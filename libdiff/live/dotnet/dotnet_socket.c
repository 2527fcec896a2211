#define _GNU_SOURCE
/*
 * See dotnet_socket.h. The folder is reached through /proc/PID/root, so a process in a container is found as well; that
 * the right one answers is told by the owner of the socket and by the credentials of who listens, not by its name.
 */
#include "live/dotnet/dotnet_socket.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "live/facts.h"
#include "live/procfs.h"

#define MAGIC        "DOTNET_IPC_V1"
#define HEADER_BYTES ((size_t)20)
#define NAME_BYTES   ((size_t)96)

enum { SET_TRACING = 2, SET_SERVER = 0xff, STOP_TRACING = 1, COLLECT_TRACING = 2, SERVER_OK = 0 };

/* GC, GCHeapCollect, GCHeapDump, GCHeapAndTypeNames, Type; level 4 leaves out what is told of every allocation. */
#define KEYWORDS   UINT64_C(0x1980001)
#define LEVEL      4u
#define BUFFER_MIB 256u
#define NETTRACE   1u
#define PROVIDER   "Microsoft-Windows-DotNETRuntime"

/* ---- where ---- */

/* The folder of temporary files, as the process sees it, opened. -1: it cannot be. */
static int open_folder(const hsd_process_facts *facts)
{
    char variable[2048], path[2200];
    if (!hsd_process_variable(facts, "TMPDIR", variable, sizeof variable) || variable[0] != '/')
        snprintf(variable, sizeof variable, "/tmp");
    const int size = snprintf(path, sizeof path, "%s%s", facts->root, variable);
    return size < 0 || (size_t)size >= sizeof path ? -1 : open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static uint64_t start_ticks(const hsd_process_facts *facts)
{
    char path[64];
    size_t size;
    snprintf(path, sizeof path, "/proc/%ld/stat", facts->pid);
    char *stat = hsd_procfs_read(path, 8192, &size);
    const uint64_t ticks = stat == NULL ? 0 : hsd_procfs_stat_number(stat, 22);
    free(stat);
    return ticks;
}

/* The socket's name, and the folder in which it lies (-1: no folder). */
static int locate_dotnet_socket(char name[NAME_BYTES], const hsd_process_facts *facts, struct stat *what)
{
    snprintf(name, NAME_BYTES, "dotnet-diagnostic-%ld-%llu-socket", facts->inner_pid,
             (unsigned long long)start_ticks(facts));
    const int folder = open_folder(facts);
    if (folder >= 0 && fstatat(folder, name, what, AT_SYMLINK_NOFOLLOW) == 0) return folder;
    if (folder >= 0) close(folder);
    return -1;
}

static hsd_status check_owner(const hsd_process_facts *facts, const struct stat *what, hsd_error *err)
{
    if (S_ISSOCK(what->st_mode) && what->st_uid == facts->uid) return HSD_OK;
    return hsd_fail(err, HSD_E_UNSUPPORTED, "what stands where process %ld has its diagnostics socket is not its own",
                    facts->pid);
}

hsd_gate hsd_dotnet_find(const hsd_process_facts *facts, hsd_error *err)
{
    char name[NAME_BYTES];
    struct stat what;
    const hsd_shared_facts *sockets = hsd_facts_sockets(facts);
    if (sockets != NULL && !sockets->has_dotnet) return HSD_GATE_NOT_MINE;
    const int folder = locate_dotnet_socket(name, facts, &what);
    if (folder < 0) return HSD_GATE_NOT_MINE;
    close(folder);
    return check_owner(facts, &what, err) == HSD_OK ? HSD_GATE_OPEN : HSD_GATE_CLOSED;
}

/* ---- connections ---- */

hsd_status hsd_dotnet_locate(hsd_dotnet_address *out, const hsd_process_facts *facts, hsd_error *err)
{
    char name[NAME_BYTES];
    struct stat what;
    *out = (hsd_dotnet_address){.folder = locate_dotnet_socket(name, facts, &what), .socket = {.sun_family = AF_UNIX}};
    if (out->folder < 0)
        return hsd_fail(err, HSD_E_UNSUPPORTED, "process %ld has no diagnostics socket any more", facts->pid);
    hsd_status status = check_owner(facts, &what, err);
    const int size =
        snprintf(out->socket.sun_path, sizeof out->socket.sun_path, "/proc/self/fd/%d/%s", out->folder, name);
    if (status == HSD_OK && (size < 0 || (size_t)size >= sizeof out->socket.sun_path))
        status = hsd_fail_errno(err, ENAMETOOLONG, "cannot reach the diagnostics socket of process %ld", facts->pid);
    if (status != HSD_OK) hsd_dotnet_forget(out);
    return status;
}

void hsd_dotnet_forget(hsd_dotnet_address *address)
{
    if (address->folder >= 0) close(address->folder);
    address->folder = -1;
}

int hsd_dotnet_connect(const hsd_dotnet_address *address)
{
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return -errno;
    if (connect(fd, (const struct sockaddr *)&address->socket, sizeof address->socket) == 0 &&
        fcntl(fd, F_SETFL, 0) == 0)
        return fd;
    const int failed = errno;
    close(fd);
    return -failed;
}

hsd_status hsd_dotnet_check_peer(int fd, const hsd_process_facts *facts, hsd_error *err)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
        return hsd_fail_errno(err, errno, "cannot learn who listens at the diagnostics socket");
    if (peer.pid == facts->pid && peer.uid == facts->uid) return HSD_OK;
    return hsd_fail(err, HSD_E_UNSUPPORTED, "process %ld listens at the diagnostics socket of process %ld",
                    (long)peer.pid, facts->pid);
}

/* ---- messages ---- */

static void put_dotnet_socket(hsd_dotnet_message *out, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes && out->size < sizeof out->bytes; i++)
        out->bytes[out->size++] = (uint8_t)(value >> (8 * i));
}

/* Number of units with the NUL, then the units. */
static void put_text(hsd_dotnet_message *out, const char *text)
{
    put_dotnet_socket(out, strlen(text) + 1, 4);
    for (size_t i = 0; i <= strlen(text); i++)
        put_dotnet_socket(out, (uint8_t)text[i], 2);
}

static void begin_dotnet_socket(hsd_dotnet_message *out, unsigned set, unsigned command)
{
    *out = (hsd_dotnet_message){.size = sizeof MAGIC};
    memcpy(out->bytes, MAGIC, sizeof MAGIC);
    put_dotnet_socket(out, 0, 2); /* the size, when it is known */
    put_dotnet_socket(out, set, 1);
    put_dotnet_socket(out, command, 1);
    put_dotnet_socket(out, 0, 2);
}

static void end(hsd_dotnet_message *out)
{
    out->bytes[sizeof MAGIC] = (uint8_t)out->size;
    out->bytes[sizeof MAGIC + 1] = (uint8_t)(out->size >> 8);
}

void hsd_dotnet_ask_heap(hsd_dotnet_message *out)
{
    begin_dotnet_socket(out, SET_TRACING, COLLECT_TRACING);
    put_dotnet_socket(out, BUFFER_MIB, 4);
    put_dotnet_socket(out, NETTRACE, 4);
    put_dotnet_socket(out, 1, 4); /* providers */
    put_dotnet_socket(out, KEYWORDS, 8);
    put_dotnet_socket(out, LEVEL, 4);
    put_text(out, PROVIDER);
    put_dotnet_socket(out, 0, 4); /* no filter */
    end(out);
}

void hsd_dotnet_ask_end(hsd_dotnet_message *out, uint64_t session)
{
    begin_dotnet_socket(out, SET_TRACING, STOP_TRACING);
    put_dotnet_socket(out, session, 8);
    end(out);
}

static uint64_t number_at(const uint8_t *at, size_t bytes)
{
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; i++)
        value |= (uint64_t)at[i] << (8 * i);
    return value;
}

hsd_dotnet_answer hsd_dotnet_read_answer(const uint8_t *bytes, size_t size, uint64_t *number)
{
    *number = 0;
    if (size < sizeof MAGIC + 2) return HSD_DOTNET_MORE;
    if (memcmp(bytes, MAGIC, sizeof MAGIC) != 0) return HSD_DOTNET_FOREIGN;
    const size_t all = (size_t)number_at(bytes + sizeof MAGIC, 2);
    if (all < HEADER_BYTES || all > HSD_DOTNET_ANSWER_BYTES) return HSD_DOTNET_FOREIGN;
    if (size < all) return HSD_DOTNET_MORE;
    *number = number_at(bytes + HEADER_BYTES, all - HEADER_BYTES < 8 ? all - HEADER_BYTES : 8);
    const bool is_ok = bytes[16] == SET_SERVER && bytes[17] == SERVER_OK && all == HSD_DOTNET_ANSWER_BYTES;
    return is_ok ? HSD_DOTNET_OK : HSD_DOTNET_REFUSED;
}
