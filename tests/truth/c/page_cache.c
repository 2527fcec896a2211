/* A pager with a table of pages: pages are pinned to be read and never unpinned, so that none can be evicted. */
#include "program.h"

enum { PAGE = 512, SLOTS = 1024 };

struct page {
    struct page *in_slot, *newer, *older;
    unsigned number, pins;
    unsigned char *data;
};
struct page_cache {
    struct page *slots[SLOTS];
    struct page *newest, *oldest;
    unsigned count, limit;
};
struct pager {
    const char *file;
    struct page_cache *cache;
};

static struct pager *main_pager;

static void setup(void)
{
    main_pager = calloc(1, sizeof *main_pager);
    main_pager->cache = calloc(1, sizeof *main_pager->cache);
    main_pager->cache->limit = 100;
}

static __attribute__((noinline)) struct page *cache_fetch(struct page_cache *c, unsigned number)
{
    struct page *p = calloc(1, sizeof *p); /* truth: page */
    p->number = number;
    p->data = calloc(1, PAGE); /* truth: data */
    p->in_slot = c->slots[number % SLOTS];
    c->slots[number % SLOTS] = p;
    p->older = c->newest;
    if (c->newest != NULL)
        c->newest->newer = p;
    else
        c->oldest = p;
    c->newest = p;
    c->count++;
    return p;
}

static void evict(struct page_cache *c)
{
    if (c->count > c->limit && c->oldest->pins == 0) c->oldest = c->oldest->newer;
}

static void plant(long number)
{
    cache_fetch(main_pager->cache, (unsigned)number)->pins++;
    evict(main_pager->cache);
}
