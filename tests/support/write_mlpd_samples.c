/*
 * Writes files of mlpd_writer.h into a folder: seeds of the fuzz target, one of each data version. leak: 300 sessions
 * in the first shot, 360 and one in the second. write_mlpd_samples FOLDER
 */
#include <stdio.h>

#include "support/mlpd_writer.h"

static int write_shop(const char *folder, const char *name, unsigned version, unsigned first, unsigned second)
{
    char path[1024];
    mlpd_file file;
    mlpd_shop(&file, version, first, second);
    snprintf(path, sizeof path, "%s/%s.mlpd", folder, name);
    FILE *out = fopen(path, "wb");
    const int failed = out == NULL || fwrite(file.data, 1, file.size, out) != file.size || fclose(out) != 0;
    if (failed) perror(path);
    mlpd_release(&file);
    return failed;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: write_mlpd_samples FOLDER\n");
        return 2;
    }
    return write_shop(argv[1], "v14", 14, 3, 4) | write_shop(argv[1], "v15", 15, 0, 2) |
           write_shop(argv[1], "v16", 16, 140, 3) | write_shop(argv[1], "v17", 17, 5, 5) |
           write_shop(argv[1], "leak", 17, 300, 360);
}
