/*
 * Writes dumps of luau_writer.h as files into a folder: seeds of the fuzz target, and a pair with a leak (before,
 * after: 60 sessions more). write_luau_samples FOLDER
 */
#include <stdio.h>

#include "support/luau_writer.h"

static int write_shop(const char *folder, const char *name, unsigned sessions, bool is_msvc)
{
    char path[1024];
    luau_dump dump;
    luau_shop(&dump, sessions, is_msvc);
    snprintf(path, sizeof path, "%s/%s.json", folder, name);
    FILE *file = fopen(path, "wb");
    const int failed = file == NULL || fwrite(dump.data, 1, dump.size, file) != dump.size || fclose(file) != 0;
    if (failed) perror(path);
    luau_release(&dump);
    return failed;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: write_luau_samples FOLDER\n");
        return 2;
    }
    return write_shop(argv[1], "empty", 0, false) | write_shop(argv[1], "msvc", 2, true) |
           write_shop(argv[1], "before", 40, false) | write_shop(argv[1], "after", 100, false);
}
