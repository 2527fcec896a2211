/*
 * Listening sockets of a process, by the inodes of its descriptors. See inspector_port.h.
 */
#include "live/node/inspector_port.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live/node/node_process.h"
#include "live/procfs.h"

enum { DEFAULT_PORT = 9229, ROOM = 256, PORT_MAX = 65535 };

typedef struct listening {
    hsd_inspector_port ports[ROOM];
    uint64_t inodes[ROOM];
    size_t count;
} listening;

int hsd_inspector_word_port(const char *word)
{
    static const char *const names[] = {"--inspect-brk", "--inspect-port", "--inspect-wait", "--inspect",
                                        "--debug-port"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const size_t length = strlen(names[i]);
        if (strncmp(word, names[i], length) != 0) continue;
        if (word[length] == '\0') return DEFAULT_PORT;
        if (word[length] != '=') continue;
        const char *at = strrchr(word, ':');
        uint64_t port;
        const bool is_number = hsd_procfs_number(at == NULL ? word + length + 1 : at + 1, &port) && port <= PORT_MAX;
        return is_number ? (int)port : DEFAULT_PORT;
    }
    return -1;
}

/* In front of what a line of net/tcp says: "0100007F:240D", or 32 digits for IPv6. */
static bool is_local(const char *address, bool is_v6)
{
    static const char *const v4[] = {"0100007F:", "00000000:"};
    static const char *const v6[] = {"00000000000000000000000001000000:", "00000000000000000000000000000000:"};
    const char *const *known = is_v6 ? v6 : v4;
    return strncmp(address, known[0], strlen(known[0])) == 0 || strncmp(address, known[1], strlen(known[1])) == 0;
}

bool hsd_inspector_tcp_line(const char *line, bool is_v6, hsd_inspector_port *out, uint64_t *inode)
{
    char local[40], state[4];
    unsigned long long number;
    unsigned port;
    if (sscanf(line, " %*[0-9]: %39s %*s %3s %*s %*s %*s %*s %*s %llu", local, state, &number) != 3) return false;
    const char *colon = strchr(local, ':');
    if (strcmp(state, "0A") != 0 || colon == NULL || !is_local(local, is_v6)) return false;
    if (sscanf(colon + 1, "%4x", &port) != 1 || port == 0) return false;
    *out = (hsd_inspector_port){.port = (uint16_t)port, .is_v6 = is_v6};
    *inode = number;
    return true;
}

static void read_table(listening *all, long pid, bool is_v6)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/net/%s", pid, is_v6 ? "tcp6" : "tcp");
    size_t size;
    char *text = hsd_procfs_read(path, (size_t)4 << 20, &size);
    for (char *line = text; line != NULL && all->count < ROOM; line = strchr(line, '\n')) {
        line += line == text ? 0 : 1;
        char *end = strchr(line, '\n');
        if (end != NULL) *end = '\0';
        if (hsd_inspector_tcp_line(line, is_v6, &all->ports[all->count], &all->inodes[all->count])) all->count++;
        if (end == NULL) break;
        *end = '\n';
    }
    free(text);
}

/* Marks the sockets that the process has open by port 0 in all others. */
static void drop_foreign(listening *all, long pid)
{
    bool owned[ROOM] = {false};
    char path[64], link[64];
    snprintf(path, sizeof path, "/proc/%ld/fd", pid);
    DIR *folder = opendir(path);
    for (struct dirent *one = folder == NULL ? NULL : readdir(folder); one != NULL; one = readdir(folder)) {
        const ssize_t size = readlinkat(dirfd(folder), one->d_name, link, sizeof link - 1);
        if (size < 0) continue;
        link[size] = '\0';
        uint64_t inode;
        if (strncmp(link, "socket:[", 8) != 0 || !hsd_procfs_number(link + 8, &inode)) continue;
        for (size_t i = 0; i < all->count; i++)
            if (all->inodes[i] == inode) owned[i] = true;
    }
    if (folder != NULL) closedir(folder);
    for (size_t i = 0; i < all->count; i++)
        if (!owned[i]) all->ports[i].port = 0;
}

static int port_of_variable(const hsd_process_facts *facts)
{
    char options[2048];
    int port = -1;
    if (!hsd_process_variable(facts, "NODE_OPTIONS", options, sizeof options)) return port;
    char *rest = options;
    for (char *word = strtok_r(rest, " ", &rest); word != NULL && port < 0; word = strtok_r(rest, " ", &rest))
        port = hsd_inspector_word_port(word);
    return port;
}

static int wanted_port(const hsd_process_facts *facts)
{
    int port = -1;
    for (size_t i = 1; port < 0 && hsd_node_argument(facts, i)[0] == '-'; i++)
        port = hsd_inspector_word_port(hsd_node_argument(facts, i));
    if (port < 0) port = port_of_variable(facts);
    return port < 0 ? DEFAULT_PORT : port;
}

bool hsd_inspector_port_is_named(const hsd_process_facts *facts) { return wanted_port(facts) != 0; }

size_t hsd_inspector_ports(const hsd_process_facts *facts, hsd_inspector_port *out)
{
    listening all = {.count = 0};
    size_t count = 0;
    const int wanted = wanted_port(facts);
    read_table(&all, facts->pid, false);
    read_table(&all, facts->pid, true);
    drop_foreign(&all, facts->pid);
    for (size_t i = 0; i < all.count && count < HSD_INSPECTOR_PORTS; i++)
        if (all.ports[i].port != 0 && (wanted == 0 || all.ports[i].port == wanted)) out[count++] = all.ports[i];
    return count;
}
