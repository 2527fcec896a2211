/*
 * Writes the dumps of ruby_dumps.h as files into a folder: seeds of the fuzz target. write_ruby_samples FOLDER
 */
#include <stdio.h>

#include "support/ruby_dumps.h"

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: write_ruby_samples FOLDER\n");
        return 2;
    }
    for (size_t i = 0; i < ruby_dump_count; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s.json", argv[1], ruby_dumps[i].name);
        FILE *file = fopen(path, "wb");
        if (file == NULL || fwrite(ruby_dumps[i].data, 1, ruby_dumps[i].size, file) != ruby_dumps[i].size ||
            fclose(file) != 0) {
            perror(path);
            return 1;
        }
    }
    return 0;
}
