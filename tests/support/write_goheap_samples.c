/*
 * Writes the dumps of goheap_writer.h as files into a folder: seeds of the fuzz target. write_goheap_samples FOLDER
 */
#include <stdio.h>

#include "support/goheap_writer.h"

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: write_goheap_samples FOLDER\n");
        return 2;
    }
    for (unsigned form = 0; form < 4; form++) {
        char path[1024];
        goheap_dump dump;
        goheap_program(&dump, (form & 1) != 0, (form & 2) != 0 ? 4 : 8, false);
        snprintf(path, sizeof path, "%s/form%u.heapdump", argv[1], form);
        FILE *file = fopen(path, "wb");
        if (file == NULL || fwrite(dump.data, 1, dump.size, file) != dump.size || fclose(file) != 0) {
            perror(path);
            return 1;
        }
        goheap_release(&dump);
    }
    return 0;
}
