#define _GNU_SOURCE /* unshare, nftw */
/* The folder of a test: see scratch.h. */
#include "unit/io/scratch.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <ftw.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <unistd.h>

char scratch[64];

void scratch_make(void)
{
    snprintf(scratch, sizeof scratch, "/tmp/hsd-scratch-XXXXXX");
    cr_assert_not_null(mkdtemp(scratch));
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info, (void)kind, (void)at;
    return remove(path);
}

void scratch_remove(void)
{
    umount2(scratch, MNT_DETACH);
    nftw(scratch, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *scratch_path(const char *name)
{
    static char paths[4][256];
    static unsigned turn;
    char *path = paths[turn++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", scratch, name);
    return path;
}

bool scratch_limit(size_t kibibytes)
{
    char options[64];
    snprintf(options, sizeof options, "size=%zuk", kibibytes);
    if (unshare(CLONE_NEWNS) != 0) return false;
    if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) return false;
    return mount("hsd-scratch", scratch, "tmpfs", 0, options) == 0;
}

int scratch_count(void)
{
    int count = 0;
    DIR *folder = opendir(scratch);
    if (folder == NULL) return -1;
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder))
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

char *scratch_read(const char *name, size_t *size)
{
    FILE *file = fopen(scratch_path(name), "rb");
    if (file == NULL) return NULL;
    fseek(file, 0, SEEK_END);
    const long length = ftell(file);
    rewind(file);
    char *text = calloc(1, (size_t)length + 1);
    *size = fread(text, 1, (size_t)length, file);
    fclose(file);
    return text;
}

void scratch_write(const char *name, const void *data, size_t size)
{
    FILE *file = fopen(scratch_path(name), "wb");
    cr_assert_not_null(file);
    cr_assert_eq(fwrite(data, 1, size, file), size);
    fclose(file);
}
