/*
 * Writes the heaps of gcdump_writer.h as files into a folder: seeds of the fuzz target. write_gcdump_samples FOLDER
 */
#include <stdio.h>
#include <stdlib.h>

#include "support/gcdump_writer.h"

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: write_gcdump_samples FOLDER\n");
        return 2;
    }
    for (size_t i = 0; i < gw_sample_count; i++) {
        char path[1024];
        gw_bytes bytes = gw_write(&gw_samples[i].heap);
        snprintf(path, sizeof path, "%s/%s.gcdump", argv[1], gw_samples[i].name);
        FILE *file = fopen(path, "wb");
        if (file == NULL || fwrite(bytes.data, 1, bytes.size, file) != bytes.size || fclose(file) != 0) {
            perror(path);
            return 1;
        }
        free(bytes.data);
    }
    return 0;
}
