/*
 * Writes the snapshots of firefox_writer.h as files into a folder: seeds of the fuzz target. write_firefox_samples
 * FOLDER
 */
#include <stdio.h>

#include "support/firefox_writer.h"

static int save(const char *folder, const char *name, firefox_writer *w)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.fxsnapshot", folder, name);
    FILE *file = fopen(path, "wb");
    const int failed = file == NULL || fwrite(w->out.data, 1, w->out.size, file) != w->out.size || fclose(file) != 0;
    if (failed) perror(path);
    fw_free(w);
    return failed;
}

int main(int argc, char **argv)
{
    firefox_writer w;
    if (argc != 2) {
        fprintf(stderr, "usage: write_firefox_samples FOLDER\n");
        return 2;
    }
    fw_shop(&w);
    if (save(argv[1], "shop", &w) != 0) return 1;
    fw_long_array(&w, 40);
    if (save(argv[1], "short", &w) != 0) return 1;
    fw_long_array(&w, 3000);
    return save(argv[1], "long", &w);
}
