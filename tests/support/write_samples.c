/*
 * Writes the reference captures into a folder: NAME.hs for each row of make_samples.c. What stands there under these
 * names is replaced.
 *
 * usage: hsd_write_samples FOLDER
 */
#include <stdio.h>
#include <unistd.h>

#include "support/make_samples.h"

int main(int argc, char **argv)
{
    if (argc != 2) return fputs("usage: hsd_write_samples FOLDER\n", stderr), 2;
    for (size_t i = 0; i < hsd_sample_count(); i++) {
        char path[4096];
        if ((size_t)snprintf(path, sizeof path, "%s/%s.hs", argv[1], hsd_sample_name(i)) >= sizeof path) return 2;
        unlink(path);
        const hsc_status status = hsd_sample_write(i, path);
        if (status != HSC_OK) return fprintf(stderr, "%s: status %d\n", path, (int)status), 1;
    }
    return 0;
}
