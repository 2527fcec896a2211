/* Frames of a video: each is mapped, shown, and never unmapped. The list of the last ones goes round, so nothing leads
 * to the others. */
#define _GNU_SOURCE
#include "program.h"

#include <sys/mman.h>

enum { FRAME_BYTES = 128 << 10, SHOWN = 4 };

static unsigned char *shown[SHOWN];

static unsigned char *map_frame(void)
{
    unsigned char *pixels =
        mmap(NULL, FRAME_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); /* truth: mapped */
    if (pixels == MAP_FAILED) abort();
    memset(pixels, 1, FRAME_BYTES);
    return pixels;
}

static void setup(void) {}

static void plant(long number) { shown[number % SHOWN] = map_frame(); }
