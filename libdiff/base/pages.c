#define _GNU_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE, mremap */
/*
 * Pages by mmap. Under the address sanitizer a page that nobody may touch stands on either side, and whoever ends with
 * pages that were not given back fails: the same as it would find in malloc, without shadow for every page of
 * a region that is mostly never touched. Tests on thousands of little heaps spent four fifths of their time on that.
 */
#include "base/pages.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/assert.h"

#define PAGE_BYTES  ((size_t)4096)
#define LARGE_BYTES ((size_t)4 << 20) /* of this size and more all is used, and mostly here and there */

static size_t round_up(size_t size) { return (size + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1); }

#if defined(__SANITIZE_ADDRESS__)
static _Atomic size_t bytes_held;

static void *map(size_t size)
{
    unsigned char *whole =
        mmap(NULL, size + 2 * PAGE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (whole == MAP_FAILED) return NULL;
    if (mprotect(whole + PAGE_BYTES, size, PROT_READ | PROT_WRITE) != 0) {
        munmap(whole, size + 2 * PAGE_BYTES);
        return NULL;
    }
    bytes_held += size;
    return whole + PAGE_BYTES;
}

static void unmap_all(void *data, size_t size)
{
    bytes_held -= size;
    munmap((unsigned char *)data - PAGE_BYTES, size + 2 * PAGE_BYTES);
}

/* What is cut off becomes the page behind and what follows that. */
static void unmap_behind(void *data, size_t size)
{
    bytes_held -= size;
    mprotect(data, PAGE_BYTES, PROT_NONE);
    munmap((unsigned char *)data + PAGE_BYTES, size);
}

__attribute__((destructor)) static void find_leak(void)
{
    if (bytes_held == 0) return;
    fprintf(stderr, "%zu bytes of pages were not given back\n", (size_t)bytes_held);
    __builtin_trap(); /* an exit would run this again */
}
#else
static void *map(size_t size)
{
    void *data = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return data == MAP_FAILED ? NULL : data;
}

static void unmap_all(void *data, size_t size) { munmap(data, size); }
static void unmap_behind(void *data, size_t size) { munmap(data, size); }
#endif

bool hsd_pages_take_sparse(hsd_pages *pages, size_t size)
{
    *pages = (hsd_pages){0};
    if (size == 0 || size > PTRDIFF_MAX - PAGE_BYTES) return false;
    void *data = map(round_up(size));
    if (data == NULL) return false;
    *pages = (hsd_pages){data, round_up(size)};
    return true;
}

bool hsd_pages_take(hsd_pages *pages, size_t size)
{
    if (!hsd_pages_take_sparse(pages, size)) return false;
    if (size >= LARGE_BYTES) hsd_pages_expect_random(pages);
    return true;
}

/* Many systems give large pages only to those that ask. */
void hsd_pages_expect_random(const hsd_pages *pages)
{
#ifdef MADV_HUGEPAGE
    if (pages->data != NULL) (void)madvise(pages->data, pages->size, MADV_HUGEPAGE);
#else
    (void)pages;
#endif
}

void hsd_pages_expect_two(const hsd_pages *pages)
{
#ifdef MADV_NOHUGEPAGE
    if (pages->data != NULL) (void)madvise(pages->data, pages->size, MADV_NOHUGEPAGE);
#else
    (void)pages;
#endif
}

void hsd_pages_shrink(hsd_pages *pages, size_t size)
{
    HSD_ASSERT(pages->data != NULL || pages->size == 0);
    const size_t kept = round_up(size);
    if (kept >= pages->size) return;
    if (kept == 0) {
        hsd_pages_give(pages);
        return;
    }
    unmap_behind((unsigned char *)pages->data + kept, pages->size - kept);
    pages->size = kept;
}

void hsd_pages_forget(void *data, size_t size)
{
    const uintptr_t begin = round_up((size_t)(uintptr_t)data), end = ((uintptr_t)data + size) & ~(PAGE_BYTES - 1);
    if (begin < end) (void)madvise((unsigned char *)data + (begin - (uintptr_t)data), end - begin, MADV_DONTNEED);
}

/* Looked at elsewhere first: reading all of it at once tells a failure, which would end the program where a page is
 * read when it is touched. */
size_t hsd_pages_put_file(void *data, size_t size, int fd)
{
#if defined(MADV_POPULATE_READ) && defined(MREMAP_FIXED)
    const long page_bytes = sysconf(_SC_PAGESIZE);
    if (page_bytes <= 0 || (uintptr_t)data % (size_t)page_bytes != 0) return 0;
    const size_t whole = size - size % (size_t)page_bytes;
    if (whole == 0) return 0;
    void *file = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, fd, 0);
    if (file == MAP_FAILED) return 0;
    const bool is_read = madvise(file, whole, MADV_POPULATE_READ) == 0;
    if (is_read && mremap(file, whole, whole, MREMAP_MAYMOVE | MREMAP_FIXED, data) != MAP_FAILED) return whole;
    munmap(file, whole);
#else
    (void)data, (void)size, (void)fd;
#endif
    return 0;
}

void hsd_pages_give(hsd_pages *pages)
{
    if (pages->data != NULL) unmap_all(pages->data, pages->size);
    *pages = (hsd_pages){0};
}
