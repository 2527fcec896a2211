/*
 * Writes the profiles of pprof_profiles.h as files into a folder: seeds of the fuzz target. write_pprof_samples FOLDER
 */
#include <stdio.h>
#include <stdlib.h>

#include "support/pprof_profiles.h"

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: write_pprof_samples FOLDER\n");
        return 2;
    }
    for (size_t i = 0; i < pprof_profile_count; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s.pb", argv[1], pprof_profiles[i].name);
        const pprof_bytes bytes = pprof_profile_named(pprof_profiles[i].name);
        FILE *file = fopen(path, "wb");
        if (file == NULL || fwrite(bytes.data, 1, bytes.size, file) != bytes.size || fclose(file) != 0) {
            perror(path);
            return 1;
        }
        free(bytes.data);
    }
    return 0;
}
