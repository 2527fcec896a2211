/*
 * Writes the HPROF samples of hprof_heap.h as files into a folder: seeds of the fuzz target, and
 * something to look at by hand. write_hprof_samples FOLDER
 */
#include <stdio.h>

#include "support/hprof_heap.h"

static int write_file(const char *folder, const char *name, const hprof_writer *w)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.hprof", folder, name);
    FILE *file = fopen(path, "wb");
    if (file == NULL) return 1;
    const size_t written = fwrite(w->data, 1, w->size, file);
    return (fclose(file) == 0 && written == w->size) ? 0 : 1;
}

int main(int argc, char **argv)
{
    heap_form form;
    if (argc != 2) {
        fprintf(stderr, "usage: write_hprof_samples FOLDER\n");
        return 2;
    }
    for (size_t i = 0; heap_sample(i, &form) != NULL; i++) {
        hprof_writer w;
        heap_write(&w, &form);
        const int failed = write_file(argv[1], heap_sample(i, &form), &w);
        hw_free(&w);
        if (failed != 0) {
            perror(argv[1]);
            return 1;
        }
    }
    return 0;
}
