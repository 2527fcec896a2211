/*
 * The five functions of hsd_ranks as collective calls of MPI. A rank that waits for the others sleeps: MPI's own calls
 * keep a processor busy, and one rank may walk for an hour while another has nothing to do.
 */
#include "ranks.h"

#include <stdlib.h>
#include <time.h>

#include <mpi.h>

#define SPINS      200 /* tests before it sleeps at all: what is on its way comes within microseconds */
#define FIRST_NS   20000L
#define LONGEST_NS 1000000L

typedef struct mpi_state {
    int *sizes; /* four for each rank: bytes and places of what goes and what comes */
    int count, rank;
} mpi_state;

static mpi_state state;

static void wait_for(MPI_Request *request)
{
    long pause_ns = FIRST_NS;
    for (int tests = 0;; tests++) {
        int is_done;
        MPI_Test(request, &is_done, MPI_STATUS_IGNORE);
        if (is_done) return;
        if (tests < SPINS) continue;
        nanosleep(&(struct timespec){.tv_nsec = pause_ns}, NULL);
        pause_ns = pause_ns * 2 > LONGEST_NS ? LONGEST_NS : pause_ns * 2;
    }
}

static hsd_status all_to_all(void *context, const uint64_t *send, uint64_t *receive, uint32_t words, hsd_error *err)
{
    MPI_Request request;
    (void)context;
    (void)err;
    MPI_Ialltoall(send, (int)words, MPI_UINT64_T, receive, (int)words, MPI_UINT64_T, MPI_COMM_WORLD, &request);
    wait_for(&request);
    return HSD_OK;
}

/* Sizes as MPI wants them, and where each begins. */
static void place(const uint64_t *bytes, int *sizes, int *places)
{
    int at = 0;
    for (int i = 0; i < state.count; i++) {
        sizes[i] = (int)bytes[i];
        places[i] = at;
        at += sizes[i];
    }
}

static hsd_status all_to_all_bytes(void *context, const void *send, const uint64_t *send_bytes, void *receive,
                                   const uint64_t *receive_bytes, hsd_error *err)
{
    MPI_Request request;
    int *sizes = state.sizes;
    const int count = state.count;
    (void)context;
    (void)err;
    place(send_bytes, sizes, sizes + count);
    place(receive_bytes, sizes + 2 * count, sizes + 3 * count);
    MPI_Ialltoallv(send, sizes, sizes + count, MPI_BYTE, receive, sizes + 2 * count, sizes + 3 * count, MPI_BYTE,
                   MPI_COMM_WORLD, &request);
    wait_for(&request);
    return HSD_OK;
}

static void reduce(void *values, int count, MPI_Datatype type, MPI_Op op)
{
    MPI_Request request;
    const bool is_first = state.rank == 0;
    MPI_Ireduce(is_first ? MPI_IN_PLACE : values, is_first ? values : NULL, count, type, op, 0, MPI_COMM_WORLD,
                &request);
    wait_for(&request);
}

static hsd_status add_up(void *context, uint64_t *values, uint64_t count, hsd_error *err)
{
    (void)context;
    (void)err;
    reduce(values, (int)count, MPI_UINT64_T, MPI_SUM);
    return HSD_OK;
}

static hsd_status unite(void *context, uint8_t *bits, uint64_t bytes, hsd_error *err)
{
    (void)context;
    (void)err;
    reduce(bits, (int)bytes, MPI_UINT8_T, MPI_BOR);
    return HSD_OK;
}

static hsd_status broadcast(void *context, unsigned from, void *data, uint64_t bytes, hsd_error *err)
{
    MPI_Request request;
    (void)context;
    (void)err;
    MPI_Ibcast(data, (int)bytes, MPI_BYTE, (int)from, MPI_COMM_WORLD, &request);
    wait_for(&request);
    return HSD_OK;
}

/* Ranks that share the memory of this machine. */
static unsigned count_neighbours(void)
{
    MPI_Comm machine;
    int count = 1;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, state.rank, MPI_INFO_NULL, &machine);
    MPI_Comm_size(machine, &count);
    MPI_Comm_free(&machine);
    return (unsigned)count;
}

void cli_ranks_begin(hsd_ranks *ranks, int *argc, char ***argv)
{
    int level;
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &level); /* threads of the engine never talk to other ranks */
    MPI_Comm_rank(MPI_COMM_WORLD, &state.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &state.count);
    state.sizes = calloc((size_t)state.count * 4, sizeof *state.sizes);
    if (state.sizes == NULL) cli_ranks_abort(4);
    *ranks = (hsd_ranks){.rank = (unsigned)state.rank,
                         .count = (unsigned)state.count,
                         .all_to_all = all_to_all,
                         .all_to_all_bytes = all_to_all_bytes,
                         .add_up = add_up,
                         .unite = unite,
                         .broadcast = broadcast,
                         .neighbours = count_neighbours()};
}

void cli_ranks_end(void)
{
    free(state.sizes);
    MPI_Finalize();
}

void cli_ranks_abort(int status)
{
    MPI_Abort(MPI_COMM_WORLD, status);
    exit(status);
}
