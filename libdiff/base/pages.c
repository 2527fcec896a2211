#define _GNU_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE, mremap */
/*
 * Pages by mmap. Under the address sanitizer a page that nobody may touch stands on either side, and whoever ends with
 * pages that were not given back fails: the same as it would find in malloc, without shadow for every page of
 * a region that is mostly never touched. Tests on thousands of little heaps spent four fifths of their time on that.
 *
 * While somebody keeps pages (hsd_pages_keep), what is given back waits in a short list for who takes as much next.
 */
#include "base/pages.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/assert.h"

#define PAGE_BYTES  ((size_t)4096)
#define LARGE_BYTES ((size_t)4 << 20) /* of this size and more all is used, and mostly here and there */

static size_t round_up(size_t size) { return (size + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1); }

/* What is mapped for whole pages of that size: up to an eighth more, so that whoever needs a little more can have them
 * next. What nobody touches costs nothing. */
static size_t mapped(size_t size)
{
#if defined(__SANITIZE_ADDRESS__)
    return size; /* what lies behind stays forbidden */
#else
    size_t step = PAGE_BYTES;
    if (size >= LARGE_BYTES) return size;
    while (step < size / 16)
        step *= 2;
    return (size + step - 1) & ~(step - 1);
#endif
}

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

/* ---- kept for who comes next */

#define MOST_IDLE 128u

typedef struct idle_pages {
    hsd_pages pages;
    size_t touched_bytes; /* in front; 0: all of it */
} idle_pages;

static struct {
    pthread_mutex_t lock;
    unsigned keepers, count;
    size_t bytes, most_bytes; /* touched */
    idle_pages idle[MOST_IDLE];
} kept = {.lock = PTHREAD_MUTEX_INITIALIZER};

static size_t touched_of(const idle_pages *one)
{
    return one->touched_bytes != 0 ? one->touched_bytes : one->pages.size;
}

void hsd_pages_keep(size_t most_bytes)
{
    pthread_mutex_lock(&kept.lock);
    kept.keepers++;
    if (most_bytes > kept.most_bytes) kept.most_bytes = most_bytes;
    pthread_mutex_unlock(&kept.lock);
}

void hsd_pages_keep_no_more(void)
{
    pthread_mutex_lock(&kept.lock);
    HSD_ASSERT(kept.keepers > 0);
    if (--kept.keepers == 0) {
        while (kept.count > 0) {
            const hsd_pages *last = &kept.idle[--kept.count].pages;
            unmap_all(last->data, mapped(last->size));
        }
        kept.bytes = kept.most_bytes = 0;
    }
    pthread_mutex_unlock(&kept.lock);
}

static bool keep_idle(const hsd_pages *pages, size_t touched_bytes)
{
    const idle_pages one = {*pages, touched_bytes};
    if (touched_bytes == 0 && pages->size >= LARGE_BYTES) return false;
    pthread_mutex_lock(&kept.lock);
    const bool has_room = kept.count < MOST_IDLE && touched_of(&one) <= kept.most_bytes - kept.bytes;
    if (has_room) {
        kept.idle[kept.count++] = one;
        kept.bytes += touched_of(&one);
    }
    pthread_mutex_unlock(&kept.lock);
    return has_room;
}

static idle_pages take_at(unsigned i)
{
    const idle_pages one = kept.idle[i];
    kept.bytes -= touched_of(&one);
    kept.idle[i] = kept.idle[--kept.count];
    return one;
}

/* Of the same mapped size, as they were left. */
static bool take_whole(hsd_pages *out, size_t size)
{
    bool is_there = false;
    pthread_mutex_lock(&kept.lock);
    for (unsigned i = kept.count; i-- > 0 && !is_there;) {
        if (kept.idle[i].touched_bytes != 0 || mapped(kept.idle[i].pages.size) != mapped(size)) continue;
        *out = (hsd_pages){take_at(i).pages.data, size};
        is_there = true;
    }
    pthread_mutex_unlock(&kept.lock);
    return is_there;
}

bool hsd_pages_take_used(hsd_pages *pages, size_t size, size_t *touched_bytes)
{
    unsigned best = MOST_IDLE;
    pthread_mutex_lock(&kept.lock);
    for (unsigned i = 0; i < kept.count; i++) {
        const idle_pages *one = &kept.idle[i];
        if (one->touched_bytes == 0 || one->pages.size < size) continue;
        if (best == MOST_IDLE || one->touched_bytes > kept.idle[best].touched_bytes) best = i;
    }
    const bool is_there = best != MOST_IDLE;
    if (is_there) {
        const idle_pages one = take_at(best);
        *pages = one.pages;
        *touched_bytes = one.touched_bytes;
    }
    pthread_mutex_unlock(&kept.lock);
    return is_there;
}

/* ---- taken and given back */

bool hsd_pages_take_sparse(hsd_pages *pages, size_t size)
{
    *pages = (hsd_pages){0};
    if (size == 0 || size > PTRDIFF_MAX - PAGE_BYTES) return false;
    void *data = map(mapped(round_up(size)));
    if (data == NULL) return false;
    *pages = (hsd_pages){data, round_up(size)};
    return true;
}

static bool take_pages(hsd_pages *pages, size_t size, bool is_zeroed)
{
    if (size > 0 && size < LARGE_BYTES && take_whole(pages, round_up(size))) {
        if (is_zeroed) memset(pages->data, 0, pages->size);
        return true;
    }
    if (!hsd_pages_take_sparse(pages, size)) return false;
    if (size >= LARGE_BYTES) hsd_pages_expect_random(pages);
    return true;
}

bool hsd_pages_take(hsd_pages *pages, size_t size) { return take_pages(pages, size, true); }
bool hsd_pages_take_any(hsd_pages *pages, size_t size) { return take_pages(pages, size, false); }

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
    const size_t left = round_up(size), has = mapped(pages->size);
    if (left >= pages->size) return;
    if (left == 0) {
        hsd_pages_give(pages);
        return;
    }
    if (has > mapped(left)) unmap_behind((unsigned char *)pages->data + mapped(left), has - mapped(left));
    pages->size = left;
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

static void give(hsd_pages *pages, size_t touched_bytes)
{
    if (pages->data != NULL && !keep_idle(pages, touched_bytes)) unmap_all(pages->data, mapped(pages->size));
    *pages = (hsd_pages){0};
}

void hsd_pages_give(hsd_pages *pages) { give(pages, 0); }

void hsd_pages_give_used(hsd_pages *pages, size_t touched_bytes)
{
    HSD_ASSERT(touched_bytes <= pages->size);
    if (touched_bytes > 0) {
        give(pages, touched_bytes);
        return;
    }
    if (pages->data != NULL) unmap_all(pages->data, mapped(pages->size));
    *pages = (hsd_pages){0};
}
