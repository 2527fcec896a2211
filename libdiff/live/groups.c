/*
 * What the control groups of a process tell of who runs it: a container, a unit of systemd. Lines of /proc/PID/cgroup,
 * in version 1 one for each controller, in version 2 one:
 *
 *      0::/system.slice/shop.service
 *      0::/system.slice/docker-4f5e….scope         12:memory:/docker/4f5e…         0::/kubepods.slice/…/cri-containerd-4f5e….scope
 *
 * A container's id is 64 hexadecimal digits, wherever they stand.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "live/facts.h"
#include "live/procfs.h"

enum { GROUPS_MAX_BYTES = 64 * 1024, ID_DIGITS = 64 };

static const char hexadecimal[] = "0123456789abcdef";

static void find_container(const char *text, char out[65])
{
    for (const char *at = text + strcspn(text, hexadecimal); *at != '\0'; at += strcspn(at, hexadecimal)) {
        const size_t size = strspn(at, hexadecimal);
        if (size == ID_DIGITS) {
            memcpy(out, at, ID_DIGITS);
            out[ID_DIGITS] = '\0';
            return;
        }
        at += size;
    }
}

/* The last part of a path that is called so; a session's scope is none. */
static void find_unit(const char *text, char *out, size_t size)
{
    static const char suffix[] = ".service";
    const char *last = NULL;
    for (const char *at = text; (at = strstr(at, suffix)) != NULL; at += sizeof suffix - 1)
        if (strchr("/\n", at[sizeof suffix - 1]) != NULL) last = at; /* the end of the text too */
    if (last == NULL) return;
    const char *begin = last;
    while (begin > text && begin[-1] != '/')
        begin--;
    snprintf(out, size, "%.*s", (int)(last + sizeof suffix - 1 - begin), begin);
}

void hsd_groups_parse(hsd_groups *out, const char *text)
{
    *out = (hsd_groups){0};
    find_container(text, out->container);
    find_unit(text, out->unit, sizeof out->unit);
}

void hsd_facts_groups(const hsd_process_facts *facts, hsd_groups *out)
{
    char path[64];
    *out = (hsd_groups){0};
    snprintf(path, sizeof path, "/proc/%ld/cgroup", facts->pid);
    char *text = hsd_procfs_read(path, GROUPS_MAX_BYTES, NULL);
    if (text == NULL) return;
    hsd_groups_parse(out, text);
    free(text);
}
