/*
 * Which change holds (mutant.h): HSD_MUTANT is its number. HSD_MUTANTS_SEEN is a file with a byte for each number, in
 * which a run, and every process that it starts, notes what it can notice.
 */
#include "mutant.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

unsigned hsd_mutant = 0;
unsigned char *hsd_mutants_seen = NULL;

__attribute__((constructor)) static void look_at_environment(void)
{
    const char *number = getenv("HSD_MUTANT"), *path = getenv("HSD_MUTANTS_SEEN");
    if (number != NULL) hsd_mutant = (unsigned)strtoul(number, NULL, 10);
    const int file = path == NULL ? -1 : open(path, O_RDWR | O_CLOEXEC);
    struct stat facts;
    if (file < 0) return;
    if (fstat(file, &facts) == 0 && facts.st_size > 0) {
        void *seen = mmap(NULL, (size_t)facts.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (seen != MAP_FAILED) hsd_mutants_seen = seen;
    }
    close(file);
}
