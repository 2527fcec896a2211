/*
 * Each function in three steps: all put what they have on the table, all take what is theirs, the table is free.
 */
#include "thread_ranks.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct table {
    pthread_barrier_t barrier;
    unsigned count;
    struct {
        const char *what; /* the function that it is in */
        const void *data;
        const uint64_t *sizes;
    } seats[THREAD_RANKS_MOST];
} table;

typedef struct seat {
    table *table;
    hsd_ranks ranks;
    thread_rank_fn run;
    void *context;
} seat;

static void sit(seat *s, const char *what, const void *data, const uint64_t *sizes)
{
    table *t = s->table;
    t->seats[s->ranks.rank].what = what;
    t->seats[s->ranks.rank].data = data;
    t->seats[s->ranks.rank].sizes = sizes;
    pthread_barrier_wait(&t->barrier);
    for (unsigned i = 0; i < t->count; i++) {
        if (strcmp(t->seats[i].what, what) == 0) continue;
        fprintf(stderr, "rank %u is in %s, rank %u in %s\n", s->ranks.rank, what, i, t->seats[i].what);
        abort();
    }
}

static void rise(seat *s) { pthread_barrier_wait(&s->table->barrier); }

static hsd_status all_to_all(void *context, const uint64_t *send, uint64_t *receive, uint32_t words, hsd_error *err)
{
    seat *s = context;
    (void)err;
    sit(s, "all_to_all", send, NULL);
    for (unsigned i = 0; i < s->table->count; i++) {
        const uint64_t *from = s->table->seats[i].data;
        memcpy(receive + (size_t)i * words, from + (size_t)s->ranks.rank * words, words * sizeof *receive);
    }
    rise(s);
    return HSD_OK;
}

static hsd_status all_to_all_bytes(void *context, const void *send, const uint64_t *send_bytes, void *receive,
                                   const uint64_t *receive_bytes, hsd_error *err)
{
    seat *s = context;
    uint8_t *to = receive;
    (void)err;
    sit(s, "all_to_all_bytes", send, send_bytes);
    for (unsigned i = 0; i < s->table->count; i++) {
        const uint8_t *from = s->table->seats[i].data;
        for (unsigned before = 0; before < s->ranks.rank; before++)
            from += s->table->seats[i].sizes[before];
        if (s->table->seats[i].sizes[s->ranks.rank] != receive_bytes[i]) abort();
        if (receive_bytes[i] > 0) memcpy(to, from, receive_bytes[i]);
        to += receive_bytes[i];
    }
    rise(s);
    return HSD_OK;
}

static hsd_status add_up(void *context, uint64_t *values, uint64_t count, hsd_error *err)
{
    seat *s = context;
    (void)err;
    sit(s, "add_up", values, NULL);
    for (unsigned i = 1; i < s->table->count && s->ranks.rank == 0; i++) {
        const uint64_t *from = s->table->seats[i].data;
        for (uint64_t at = 0; at < count; at++)
            values[at] += from[at];
    }
    rise(s);
    return HSD_OK;
}

static hsd_status unite(void *context, uint8_t *bits, uint64_t bytes, hsd_error *err)
{
    seat *s = context;
    (void)err;
    sit(s, "unite", bits, NULL);
    for (unsigned i = 1; i < s->table->count && s->ranks.rank == 0; i++) {
        const uint8_t *from = s->table->seats[i].data;
        for (uint64_t at = 0; at < bytes; at++)
            bits[at] |= from[at];
    }
    rise(s);
    return HSD_OK;
}

static hsd_status broadcast(void *context, unsigned from, void *data, uint64_t bytes, hsd_error *err)
{
    seat *s = context;
    (void)err;
    sit(s, "broadcast", data, NULL);
    if (from != s->ranks.rank && bytes > 0) memcpy(data, s->table->seats[from].data, bytes);
    rise(s);
    return HSD_OK;
}

static void *run_seat(void *context)
{
    seat *s = context;
    s->run(s->context, &s->ranks);
    return NULL;
}

void thread_ranks_run(unsigned count, thread_rank_fn run, void *context)
{
    table t = {.count = count};
    seat seats[THREAD_RANKS_MOST];
    pthread_t threads[THREAD_RANKS_MOST];
    if (pthread_barrier_init(&t.barrier, NULL, count) != 0) abort();
    for (unsigned i = 0; i < count; i++) {
        seats[i] = (seat){.table = &t, .run = run, .context = context};
        seats[i].ranks =
            (hsd_ranks){&seats[i], i, count, all_to_all, all_to_all_bytes, add_up, unite, broadcast, count};
        if (pthread_create(&threads[i], NULL, run_seat, &seats[i]) != 0) abort();
    }
    for (unsigned i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&t.barrier);
}
