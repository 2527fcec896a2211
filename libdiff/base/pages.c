#define _GNU_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE */
/*
 * Pages by mmap. Under the address sanitizer by malloc, so that it watches their bounds: there
 * shrinking only forgets.
 */
#include "base/pages.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE_BYTES ((size_t)4096)

static size_t round_up(size_t size) { return (size + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1); }

#if defined(__SANITIZE_ADDRESS__)
/* What calloc gave stands in the word before the first page. */
static void *map(size_t size)
{
    unsigned char *whole = calloc(1, size + 2 * PAGE_BYTES);
    if (whole == NULL) return NULL;
    unsigned char *data = (unsigned char *)round_up((uintptr_t)whole + sizeof(void *));
    memcpy(data - sizeof(void *), &whole, sizeof whole);
    return data;
}

static void unmap_all(void *data, size_t size)
{
    void *whole;
    (void)size;
    memcpy(&whole, (unsigned char *)data - sizeof(void *), sizeof whole);
    free(whole);
}

static void unmap_behind(void *data, size_t size) { (void)data, (void)size; }
#else
static void *map(size_t size)
{
    void *data = mmap(NULL, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return data == MAP_FAILED ? NULL : data;
}

static void unmap_all(void *data, size_t size) { munmap(data, size); }
static void unmap_behind(void *data, size_t size) { munmap(data, size); }
#endif

bool hsd_pages_take(hsd_pages *pages, size_t size)
{
    *pages = (hsd_pages){0};
    if (size == 0 || size > PTRDIFF_MAX - PAGE_BYTES) return false;
    void *data = map(round_up(size));
    if (data == NULL) return false;
    *pages = (hsd_pages){data, round_up(size)};
    return true;
}

void hsd_pages_shrink(hsd_pages *pages, size_t size)
{
    const size_t kept = round_up(size);
    if (kept >= pages->size) return;
    if (kept == 0) {
        hsd_pages_give(pages);
        return;
    }
    unmap_behind((unsigned char *)pages->data + kept, pages->size - kept);
    pages->size = kept;
}

void hsd_pages_give(hsd_pages *pages)
{
    if (pages->data != NULL) unmap_all(pages->data, pages->size);
    *pages = (hsd_pages){0};
}
