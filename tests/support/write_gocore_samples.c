/*
 * Seeds of the fuzz target of Go's cores and of dumps with an executable: hsd_write_gocore_samples FOLDER. A seed is
 * the size of the executable (4 bytes), the executable, and the core.
 */
#include <stdio.h>
#include <stdlib.h>

#include "support/gocore_writer.h"

/* Form GOCORE_FORMS: the dump. */
static void write_seed(const char *folder, int form)
{
    char path[1024];
    gocore_bytes program, core;
    gocore_make_program(&program, form == GOCORE_FORMS ? GOCORE_1_19 : form);
    if (form == GOCORE_FORMS)
        gocore_make_dump(&core);
    else
        gocore_make_core(&core, form);
    snprintf(path, sizeof path, "%s/form%d.gocore", folder, form);
    FILE *file = fopen(path, "wb");
    const uint8_t size[4] = {(uint8_t)program.size, (uint8_t)(program.size >> 8), (uint8_t)(program.size >> 16), 0};
    if (file == NULL || fwrite(size, 1, 4, file) != 4 || fwrite(program.data, 1, program.size, file) != program.size ||
        fwrite(core.data, 1, core.size, file) != core.size || fclose(file) != 0)
        exit(1);
    gocore_release(&program);
    gocore_release(&core);
}

int main(int argc, char **argv)
{
    if (argc != 2) return 2;
    for (int form = 0; form <= GOCORE_FORMS; form++)
        write_seed(argv[1], form);
    return 0;
}
