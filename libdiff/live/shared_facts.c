/*
 * What all processes of a list have in common, read once (facts.h).
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf/elf.h"
#include "live/facts.h"
#include "live/procfs.h"

#define LIST_MAX_BYTES ((size_t)64 << 20)

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Lines of net/unix, cut up in place: names of abstract sockets that listen move to the front. */
static size_t keep_names(hsd_shared_facts *shared, char *text)
{
    char *to = text;
    size_t count = 0;
    for (char *line = text, *next; *line != '\0'; line = next) {
        next = line + strcspn(line, "\n");
        if (*next != '\0') *next++ = '\0';
        const char *name = hsd_procfs_unix_line_name(line);
        shared->has_dotnet |= strstr(line, "/dotnet-diagnostic-") != NULL;
        if (name == NULL) continue;
        const size_t size = strlen(name) + 1;
        memmove(to, name, size);
        to += size;
        count++;
    }
    return count;
}

void hsd_shared_facts_open(hsd_shared_facts *out)
{
    *out = (hsd_shared_facts){0};
    size_t size = 0;
    char *text = hsd_procfs_read("/proc/self/net/unix", LIST_MAX_BYTES, &size);
    if (text == NULL || size >= LIST_MAX_BYTES || memchr(text, '\0', size) != NULL) {
        free(text);
        return;
    }
    out->count = keep_names(out, text);
    out->sorted = malloc((out->count + 1) * sizeof *out->sorted);
    out->names = text;
    if (out->sorted == NULL) {
        hsd_shared_facts_close(out);
        return;
    }
    for (size_t i = 0, at = 0; i < out->count; i++, at += strlen(text + at) + 1)
        out->sorted[i] = text + at;
    qsort(out->sorted, out->count, sizeof *out->sorted, compare_names);
}

void hsd_shared_facts_close(hsd_shared_facts *shared)
{
    free(shared->sorted);
    free(shared->names);
    shared->sorted = NULL;
    shared->names = NULL;
}

const hsd_shared_facts *hsd_facts_sockets(const hsd_process_facts *facts)
{
    return facts->shared != NULL && facts->is_same_network && facts->shared->sorted != NULL ? facts->shared : NULL;
}

bool hsd_shared_facts_listen(const hsd_shared_facts *shared, const char *name)
{
    return bsearch(&name, shared->sorted, shared->count, sizeof *shared->sorted, compare_names) != NULL;
}

/* ---- asked of many ---- */

const char *hsd_shared_user_name(hsd_shared_facts *shared, unsigned uid)
{
    if (!shared->has_user || shared->uid != uid) hsd_user_name(shared->user, sizeof shared->user, uid);
    shared->has_user = true;
    shared->uid = uid;
    return shared->user;
}

static bool is_file_of_go(int fd)
{
    hsd_elf elf;
    if (hsd_elf_open_fd(&elf, fd, false, NULL) != HSD_OK) return false;
    const bool is_go = elf.is_64_bits && hsd_elf_is_go(&elf);
    hsd_elf_close(&elf);
    return is_go;
}

static bool is_go(hsd_shared_facts *shared, int fd)
{
    struct stat file;
    if (shared == NULL || fstat(fd, &file) != 0) return is_file_of_go(fd);
    const size_t known = shared->file_count < HSD_SHARED_FILES ? shared->file_count : HSD_SHARED_FILES;
    for (size_t i = 0; i < known; i++)
        if (shared->files[i].device == file.st_dev && shared->files[i].inode == file.st_ino)
            return shared->files[i].is_go;
    const size_t at = shared->file_count++ % HSD_SHARED_FILES;
    shared->files[at].device = file.st_dev;
    shared->files[at].inode = file.st_ino;
    shared->files[at].is_go = is_file_of_go(fd);
    return shared->files[at].is_go;
}

bool hsd_facts_is_go(const hsd_process_facts *facts)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/exe", facts->pid);
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return false;
    const bool found = is_go(facts->shared, fd);
    close(fd);
    return found;
}
