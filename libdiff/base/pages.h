/*
 * Large memory straight from the system: whole pages, zeroed, resident only once they are touched, and
 * given back the moment they are released, whatever allocator the program uses. For the few big blocks
 * of a stage (records to be sorted); everything small comes from malloc or an arena.
 */
#ifndef HSD_BASE_PAGES_H
#define HSD_BASE_PAGES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct hsd_pages { /* a zeroed one is empty and valid */
    void *data;
    size_t size;
} hsd_pages;

/* True and `size` bytes at data (aligned to 4096), or false: the system has none. */
bool hsd_pages_take(hsd_pages *pages, size_t size);

/* The same, but what is in them is anything: nobody reads what was not written before. */
bool hsd_pages_take_any(hsd_pages *pages, size_t size);

/* As hsd_pages_take, of which most may never be touched: no large pages, whose first byte would make 2 MiB resident. */
bool hsd_pages_take_sparse(hsd_pages *pages, size_t size);

/* A hint: all of it will be touched soon, here and there. Large pages then, where the system has them: less time is
 * lost finding them. */
void hsd_pages_expect_random(const hsd_pages *pages);

/* A hint, before anything is touched: two threads will, near each other. Small pages then: of a large one that both
 * come to first, both clear one, and one is thrown away. */
void hsd_pages_expect_two(const hsd_pages *pages);

/* Gives back what lies behind the first `size` bytes (rounded up to whole pages). */
void hsd_pages_shrink(hsd_pages *pages, size_t size);

/* What lies in these bytes, part of what was taken, is not needed any more: whole pages of it go back, and are zeros if
 * they are touched again. */
void hsd_pages_forget(void *data, size_t size);

/*
 * What is in a file from its beginning on takes the place of untouched pages, without being copied: the system has it
 * in memory anyhow, where it was just written. What is written to these pages is nobody else's. Of `size` bytes as many
 * as the system puts there by whole pages, all of them read already; 0 = none, and all is as it was. Nobody may make
 * the file shorter until the pages are given back.
 */
size_t hsd_pages_put_file(void *data, size_t size, int fd);

void hsd_pages_give(hsd_pages *pages);

/*
 * Pages that go round between operations, such as the walks of many small captures: from here on what is given back
 * stays for who takes as much next, at most so many bytes of all (the most that any keeper allows), until the last
 * keeper keeps no more. Taken pages are zeroed all the same.
 */
void hsd_pages_keep(size_t most_bytes);
void hsd_pages_keep_no_more(void);

/* Of pages of which only the front was written, and that nobody wants zeroed (base/page_pool.h): at least `size` bytes
 * that somebody gave back so, those with most in front that was touched; false: none are kept. */
bool hsd_pages_take_used(hsd_pages *pages, size_t size, size_t *touched_bytes);
void hsd_pages_give_used(hsd_pages *pages, size_t touched_bytes);

#endif
