/*
 * Writes streams of nettrace_writer.h as files into a folder, in each form: seeds of the fuzz target, and something to
 * look at by hand. write_nettrace_samples FOLDER
 */
#include <stdio.h>
#include <stdlib.h>

#include "support/nettrace_writer.h"

static int save(const char *folder, const char *name, nettrace_writer *w)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.nettrace", folder, name);
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(w->out.data, 1, w->out.size, file) != w->out.size || fclose(file) != 0) {
        perror(path);
        return 1;
    }
    nt_free(w);
    return 0;
}

/* References before their objects, an object with more than wait at once, and events that are missing. */
static void write_odd(nettrace_writer *w)
{
    uint64_t targets[100];
    for (unsigned i = 0; i < 100; i++)
        targets[i] = 0x5000 + 8 * i;
    nt_begin(w, NT_PACKED, 8);
    nt_collection(w, 1);
    nt_edges(w, targets, 100);
    nt_nodes(w, (nt_node[]){{0x100, 16, 1, 200000}, {0x200, 16, 2, 0}}, 2);
    nt_edges(w, targets, 100);
    nt_drop(w, 19, 2);
    nt_edges(w, targets, 100);
    nt_type(w, 2, "Outer`1+Inner`2[System.Int32[,],System.Object[][],\xe2\x82\xac]");
    nt_drop(w, 18, 1);
    nt_nodes(w, (nt_node[]){{0x300, 16, 1, 3}}, 1);
    nt_stop(w, 1, 2);
    nt_end(w);
}

int main(int argc, char **argv)
{
    nettrace_writer w;
    if (argc != 2) {
        fprintf(stderr, "usage: write_nettrace_samples FOLDER\n");
        return 2;
    }
    nt_program(&w, NT_PACKED, 8);
    int failed = save(argv[1], "packed", &w);
    nt_program(&w, NT_WHOLE, 8);
    failed |= save(argv[1], "whole", &w);
    nt_program(&w, NT_PACKED, 4);
    failed |= save(argv[1], "packed32", &w);
    write_odd(&w);
    return failed | save(argv[1], "odd", &w);
}
