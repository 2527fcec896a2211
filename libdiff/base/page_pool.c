/*
 * A short list of idle regions. Whoever asks gets the one with most pages of those that are large enough; regions are
 * made larger than what was asked for, so that the next who asks can have them: what nobody writes costs nothing.
 */
#include "base/page_pool.h"

#include "base/assert.h"

#if defined(__SANITIZE_ADDRESS__)
#define ROOM_BYTES ((size_t)1) /* what lies behind a region stays forbidden */
#else
#define ROOM_BYTES ((size_t)32 << 20)
#endif

void hsd_page_pool_init(hsd_page_pool *pool, size_t most_bytes)
{
    *pool = (hsd_page_pool){.lock = PTHREAD_MUTEX_INITIALIZER, .most_bytes = most_bytes};
}

void hsd_page_pool_release(hsd_page_pool *pool)
{
    while (pool->idle_count > 0) {
        hsd_lent_pages *region = &pool->idle[--pool->idle_count];
        pool->held_bytes -= region->touched_bytes;
        hsd_pages_give_used(&region->pages, region->touched_bytes);
    }
    pool->most_bytes = 0;
}

static bool take_idle(hsd_page_pool *pool, hsd_lent_pages *out, size_t size)
{
    unsigned best = HSD_PAGE_POOL_REGIONS;
    for (unsigned i = 0; i < pool->idle_count; i++) {
        const hsd_lent_pages *region = &pool->idle[i];
        if (region->pages.size < size) continue;
        if (best == HSD_PAGE_POOL_REGIONS || region->touched_bytes > pool->idle[best].touched_bytes) best = i;
    }
    if (best == HSD_PAGE_POOL_REGIONS) return false;
    *out = pool->idle[best];
    pool->idle[best] = pool->idle[--pool->idle_count];
    return true;
}

/* What another operation left; the pool answers for it from here on. */
static bool take_used(hsd_page_pool *pool, hsd_lent_pages *out, size_t size)
{
    if (!hsd_pages_take_used(&out->pages, size, &out->touched_bytes)) return false;
    if (pool == NULL) return true;
    pthread_mutex_lock(&pool->lock);
    pool->held_bytes += out->touched_bytes;
    pthread_mutex_unlock(&pool->lock);
    return true;
}

bool hsd_page_pool_take(hsd_page_pool *pool, hsd_lent_pages *out, size_t size)
{
    *out = (hsd_lent_pages){0};
    if (pool == NULL) return take_used(NULL, out, size) || hsd_pages_take_sparse(&out->pages, size);
    pthread_mutex_lock(&pool->lock);
    const bool is_idle = take_idle(pool, out, size);
    pthread_mutex_unlock(&pool->lock);
    if (is_idle || take_used(pool, out, size)) return true;
    return (size < ROOM_BYTES && hsd_pages_take_sparse(&out->pages, ROOM_BYTES)) ||
           hsd_pages_take_sparse(&out->pages, size);
}

static bool put_idle(hsd_page_pool *pool, const hsd_lent_pages *region, size_t touched_bytes)
{
    pool->held_bytes -= region->touched_bytes;
    if (pool->idle_count == HSD_PAGE_POOL_REGIONS) return false;
    if (pool->most_bytes < pool->held_bytes || touched_bytes > pool->most_bytes - pool->held_bytes) return false;
    pool->idle[pool->idle_count++] = (hsd_lent_pages){region->pages, touched_bytes};
    pool->held_bytes += touched_bytes;
    return true;
}

void hsd_page_pool_give(hsd_page_pool *pool, hsd_lent_pages *region, size_t touched_bytes)
{
    bool is_kept = false;
    HSD_ASSERT(touched_bytes <= region->pages.size);
    const size_t all = touched_bytes > region->touched_bytes ? touched_bytes : region->touched_bytes;
    const size_t resident = all < region->pages.size ? all : region->pages.size; /* it may have been shrunk */
    if (pool != NULL && region->pages.data != NULL) {
        pthread_mutex_lock(&pool->lock);
        is_kept = put_idle(pool, region, resident);
        pthread_mutex_unlock(&pool->lock);
    }
    if (!is_kept) hsd_pages_give_used(&region->pages, resident);
    *region = (hsd_lent_pages){0};
}
