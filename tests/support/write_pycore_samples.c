/*
 * Seeds of the fuzz target of CPython's cores: hsd_write_pycore_samples FOLDER. A seed is the size of the interpreter
 * (4 bytes), the interpreter, and the core.
 */
#include <stdio.h>
#include <stdlib.h>

#include "support/pycore_writer.h"

int main(int argc, char **argv)
{
    char path[1024];
    pycore_bytes program, core;
    pycore_places places;
    if (argc != 2) return 2;
    pycore_make_program(&program);
    pycore_make_core(&core, &places);
    snprintf(path, sizeof path, "%s/small.pycore", argv[1]);
    FILE *file = fopen(path, "wb");
    const uint8_t size[4] = {(uint8_t)program.size, (uint8_t)(program.size >> 8), (uint8_t)(program.size >> 16), 0};
    if (file == NULL || fwrite(size, 1, 4, file) != 4 || fwrite(program.data, 1, program.size, file) != program.size ||
        fwrite(core.data, 1, core.size, file) != core.size || fclose(file) != 0)
        return 1;
    pycore_release(&program);
    pycore_release(&core);
    return 0;
}
