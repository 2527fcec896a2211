/*
 * A hash by start, open addressing, that grows by making a larger one and then pointing to it: whoever was stopped
 * meanwhile has left a whole one. Removed ranges stay as marks until then.
 */
#include "ranges.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "lazily.h"

typedef struct range_table {
    size_t capacity, used; /* used: with removed ones */
    size_t bytes;
    root_range rows[];
} range_table;

enum { REMOVED = 2, FIRST_ROWS = 1024 };

static pthread_mutex_t ranges_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(range_table *) ranges_table;
static uint64_t lost;

static range_table *make_table(size_t rows)
{
    const size_t bytes = sizeof(range_table) + rows * sizeof(root_range);
    range_table *table = map_lazily(bytes);
    if (table == NULL) return NULL;
    table->capacity = rows;
    table->bytes = bytes;
    return table;
}

/* Neighbours in memory are neighbours in the table, as far as they can: few pages for many ranges. */
static size_t home_of(const range_table *table, uintptr_t start)
{
    return (size_t)(start >> 4) & (table->capacity - 1);
}

static void put_mono_range(range_table *table, const root_range *range)
{
    size_t i = home_of(table, range->start);
    while (table->rows[i].is_live != 0)
        i = (i + 1) & (table->capacity - 1);
    root_range *row = &table->rows[i];
    row->start = range->start;
    row->size = range->size;
    row->key = range->key;
    row->source = range->source;
    __atomic_store_n(&row->is_live, 1, __ATOMIC_RELEASE);
    table->used++;
}

static range_table *grown(range_table *old)
{
    size_t live = 0;
    for (size_t i = 0; old != NULL && i < old->capacity; i++)
        live += old->rows[i].is_live == 1;
    size_t rows = FIRST_ROWS;
    while (rows < live * 4)
        rows *= 2;
    range_table *table = make_table(rows);
    for (size_t i = 0; table != NULL && old != NULL && i < old->capacity; i++)
        if (old->rows[i].is_live == 1) put_mono_range(table, &old->rows[i]);
    return table;
}

void ranges_add(uintptr_t start, uintptr_t size, uint32_t source, const void *key)
{
    if (size == 0) return;
    pthread_mutex_lock(&ranges_lock);
    range_table *table = atomic_load(&ranges_table);
    if (table == NULL || table->used >= table->capacity / 2) {
        range_table *old = table;
        table = grown(old);
        if (table != NULL) {
            atomic_store(&ranges_table, table);
            if (old != NULL) munmap(old, old->bytes);
        }
    }
    if (table != NULL)
        put_mono_range(table, &(root_range){start, size, key, source, 1});
    else
        lost++;
    pthread_mutex_unlock(&ranges_lock);
}

void ranges_remove(uintptr_t start)
{
    pthread_mutex_lock(&ranges_lock);
    range_table *table = atomic_load(&ranges_table);
    for (size_t i = table == NULL ? 0 : home_of(table, start); table != NULL && table->rows[i].is_live != 0;
         i = (i + 1) & (table->capacity - 1))
        if (table->rows[i].is_live == 1 && table->rows[i].start == start) {
            __atomic_store_n(&table->rows[i].is_live, REMOVED, __ATOMIC_RELEASE);
            break;
        }
    pthread_mutex_unlock(&ranges_lock);
}

uint64_t ranges_lost(void) { return lost; }

/* ---- in order ---- */

static root_range *sorted;
static size_t sorted_rows;

static void sift(root_range *rows, size_t at, size_t count)
{
    const root_range row = rows[at];
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && rows[child + 1].start > rows[child].start) child++;
        if (rows[child].start <= row.start) break;
        rows[at] = rows[child];
    }
    rows[at] = row;
}

/* qsort may allocate. */
static void sort_mono_range(root_range *rows, size_t count)
{
    for (size_t i = count / 2; i-- > 0;)
        sift(rows, i, count);
    for (size_t last = count; last-- > 1;) {
        const root_range row = rows[last];
        rows[last] = rows[0];
        rows[0] = row;
        sift(rows, 0, last);
    }
}

const root_range *ranges_sorted(size_t *count)
{
    const range_table *table = atomic_load(&ranges_table);
    *count = 0;
    if (table == NULL) return NULL;
    if (table->capacity > sorted_rows) {
        if (sorted != NULL) munmap(sorted, sorted_rows * sizeof(root_range));
        sorted = map_lazily(table->capacity * sizeof(root_range));
        sorted_rows = sorted == NULL ? 0 : table->capacity;
        if (sorted == NULL) return NULL;
    }
    for (size_t i = 0; i < table->capacity; i++)
        if (__atomic_load_n(&table->rows[i].is_live, __ATOMIC_ACQUIRE) == 1) sorted[(*count)++] = table->rows[i];
    sort_mono_range(sorted, *count);
    return sorted;
}

const root_range *range_of(const root_range *ranges, size_t count, uintptr_t address)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (ranges[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && address - ranges[low - 1].start < ranges[low - 1].size ? &ranges[low - 1] : NULL;
}

/* ---- threads ---- */

typedef struct known_thread {
    uintptr_t thread; /* 0 = free */
    uint64_t number;  /* in the order in which they began */
    char name[THREAD_NAME_BYTES];
} known_thread;

enum { THREADS_MOST = 65536 };

static pthread_mutex_t threads_lock = PTHREAD_MUTEX_INITIALIZER;
static known_thread *threads;
static size_t thread_rows;
static uint64_t thread_count;

/* The row of the thread, or with `make` a new one; NULL = none. Under the lock. */
static known_thread *row_of(uintptr_t thread, bool make)
{
    known_thread *room = NULL;
    for (size_t i = 0; i < thread_rows; i++) {
        if (threads[i].thread == thread) return &threads[i];
        if (threads[i].thread == 0 && room == NULL) room = &threads[i];
    }
    if (!make) return NULL;
    if (threads == NULL) threads = map_lazily(THREADS_MOST * sizeof(known_thread));
    if (room == NULL && threads != NULL && thread_rows < THREADS_MOST) room = &threads[thread_rows++];
    if (room != NULL) *room = (known_thread){.thread = thread, .number = ++thread_count};
    return room;
}

void threads_begin(uintptr_t thread)
{
    pthread_mutex_lock(&threads_lock);
    row_of(thread, true);
    pthread_mutex_unlock(&threads_lock);
}

void threads_name(uintptr_t thread, const char *name)
{
    pthread_mutex_lock(&threads_lock);
    known_thread *row = row_of(thread, true);
    if (row != NULL && name != NULL) snprintf(row->name, sizeof row->name, "%s", name);
    pthread_mutex_unlock(&threads_lock);
}

void threads_end(uintptr_t thread)
{
    pthread_mutex_lock(&threads_lock);
    known_thread *row = row_of(thread, false);
    if (row != NULL) row->thread = 0;
    pthread_mutex_unlock(&threads_lock);
}

void threads_tell(uintptr_t thread, bool is_label, char *out, size_t size)
{
    pthread_mutex_lock(&threads_lock);
    const known_thread *row = row_of(thread, false);
    if (row == NULL)
        snprintf(out, size, "%s", is_label ? "thread" : "");
    else if (row->name[0] == '\0')
        snprintf(out, size, "%s%llu", is_label ? "thread " : "", (unsigned long long)row->number);
    else
        snprintf(out, size, is_label ? "thread \"%s\"" : "%s", row->name);
    pthread_mutex_unlock(&threads_lock);
}
