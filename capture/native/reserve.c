/* The agent's own memory: mmap, and a list of what came of it. */
#include "native/reserve.h"

#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>

enum { RANGES = 64 };

static hsn_range ranges[RANGES];
static atomic_size_t range_count;

void hsn_reserve_note(uintptr_t low, uintptr_t high)
{
    const size_t at = atomic_fetch_add(&range_count, 1);
    if (at < RANGES) ranges[at] = (hsn_range){low, high};
}

size_t hsn_reserve_part(size_t wanted, size_t parts)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur / parts >= wanted)
        return wanted;
    return (size_t)limit.rlim_cur / parts;
}

static void *take_reserve(size_t *size, size_t least, int protection)
{
    for (;; *size /= 2) {
        void *at = mmap(NULL, *size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (at != MAP_FAILED) return at;
        if (*size / 2 < least) return NULL;
    }
}

static void *note_reserve(void *at, size_t size)
{
    if (at != NULL) hsn_reserve_note((uintptr_t)at, (uintptr_t)at + size);
    return at;
}

void *hsn_reserve(size_t *size, size_t least)
{
    void *at = take_reserve(size, least, PROT_READ | PROT_WRITE);
    return note_reserve(at, *size);
}

void *hsn_reserve_bare(size_t *size, size_t least)
{
    enum { LEFT = 3 }; /* of four parts */
    const size_t asked = *size;
    *size = asked * (LEFT + 1);
    unsigned char *at = take_reserve(size, least * (LEFT + 1), PROT_NONE);
    if (at == NULL) return NULL;
    const size_t kept = *size / (LEFT + 1);
    munmap(at + kept, *size - kept);
    *size = kept;
    return note_reserve(at, kept);
}

const hsn_range *hsn_reserved(size_t *count)
{
    const size_t known = atomic_load(&range_count);
    *count = known < RANGES ? known : RANGES;
    return ranges;
}
