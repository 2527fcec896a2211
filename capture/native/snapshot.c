/*
 * A capture (snapshot.h).
 *
 *      this thread                                   the child
 *      ───────────                                   ─────────
 *      measure the process
 *      stop all threads      ┐
 *      clone ────────────────┼─────────────────────► who am I, last to live, first to die
 *      release all threads   ┘ the pause             blocks that were being moved ──► table
 *      wait                                          stacks of the threads
 *        ◄──────────── ends ───────────────────────  "ok", the walk
 */
#include "native/snapshot.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "native/hooks.h"
#include "native/local.h"
#include "native/proc.h"
#include "native/registers.h"
#include "native/reserve.h"
#include "native/room.h"
#include "native/settings.h"
#include "native/stacks.h"
#include "native/start.h"
#include "native/stop.h"
#include "native/table.h"
#include "native/threads.h"
#include "native/world.h"

enum { NICENESS = 5, CPU_SECONDS = 1800, MOVING = 256, WAIT_NS = 1000 * 1000, LEAST_ROOM = 16 << 20 };

static atomic_bool is_taken;

/* ---- the child ---- */

static void leave_native_snapshot(int status)
{
    for (;;)
        syscall(SYS_exit_group, status);
}

/* The parent must outlive this process and not the other way round, and the kernel must see that too. False: it is gone
 * already. */
static bool settle_down(pid_t parent)
{
    const struct rlimit no_core = {0, 0}, time = {CPU_SECONDS, CPU_SECONDS};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) return false;
    hsn_proc_put("/proc/self/oom_score_adj", "1000");
    setrlimit(RLIMIT_CORE, &no_core);
    setrlimit(RLIMIT_CPU, &time);
    setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + NICENESS);
    return true;
}

/* The program may have taken all of an address space that is limited. This process needs some of its own. */
static bool make_room(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return true;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_AS, &limit);
    hsn_threads_drop_trails();
    hsn_table_drop_unused();
    void *probe = mmap(NULL, LEAST_ROOM, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return probe != MAP_FAILED && munmap(probe, LEAST_ROOM) == 0;
}

/* Whoever waits for the end of a pipe of the program's must not wait for this process. */
static void close_others_of_native_snapshot(int kept)
{
    if (kept > 0) syscall(SYS_close_range, 0u, (unsigned)kept - 1, 0u);
    syscall(SYS_close_range, (unsigned)kept + 1, ~0u, 0u);
}

static bool is_over(const hsn_block *a, const hsn_block *b)
{
    return a->address < b->address + b->size && b->address < a->address + a->size;
}

/* What was inside realloc, put back; but not where another block has that memory by now. */
static void put_back_moving(void)
{
    hsn_block moving[MOVING], block;
    size_t count = 0, rows = 0;
    const hsn_entry *row;
    while ((row = hsn_thread_next(&rows)) != NULL && count < MOVING)
        if (row->moving.address != 0) moving[count++] = row->moving;
    uint64_t cursor = 0;
    while (count > 0 && hsn_table_next_roughly(&cursor, &block))
        for (size_t i = 0; i < count; i++)
            if (is_over(&block, &moving[i]) && hsn_table_find(block.address, &block) && is_over(&block, &moving[i]))
                moving[i].address = 0;
    for (size_t i = 0; i < count; i++)
        if (moving[i].address != 0 && !hsn_table_find(moving[i].address, &block)) hsn_table_add(&moving[i]);
}

/* Bounds that nobody has said: the mapping in which the stack pointer is. */
static void find_stack(hsn_thread *t)
{
    const uintptr_t known = t->stack.high != 0 ? t->stack.high - 1 : t->stack_pointer;
    if (t->stack.low != 0 || known == 0) return;
    const hsn_range mapping = hsn_proc_mapping(known);
    t->stack = (hsn_range){mapping.low, t->stack.high != 0 ? t->stack.high : mapping.high};
}

static void find_frames(hsn_thread *t)
{
    if (!t->is_stopped) return;
    hsn_place place = {
        .pc = hsn_registers_pc(t), .sp = t->stack_pointer, .bp = hsn_registers_bp(t), .is_interrupted = true};
    const bool is_own = place.sp >= t->stack.low && place.sp < t->stack.high;
    place.high = is_own ? t->stack.high : hsn_proc_mapping(place.sp).high;
    t->frame_count = hsn_unwind(HSN_UNWIND_CFI, place, t->frames, t->frame_tops, HSN_THREAD_FRAMES);
}

static void work(hsn_world *world, hsn_stopped *stopped, const hsa_request *request, pid_t parent)
{
    world->pause_ns = hsa_now_ns() - stopped->began_ns;
    hsn_silence();
    if (!settle_down(parent)) leave_native_snapshot(1);
    close_others_of_native_snapshot(request->fd);
    world->must_end = hsn_room_watch();
    world->held_locks = hsn_table_adopt();
    hsn_stacks_adopt();
    put_back_moving();
    if (!make_room()) {
        hsa_refuse(request, "the address space of the program is limited (ulimit -v) and all in use: raise the limit, "
                            "which a capture needs 16 MiB of");
        leave_native_snapshot(1);
    }
    for (size_t i = 0; i < stopped->count; i++) {
        find_stack(&stopped->threads[i]);
        find_frames(&stopped->threads[i]);
    }
    world->threads = stopped->threads;
    world->thread_count = stopped->count;
    leave_native_snapshot(hsa_accept(request) && hsn_walk(world, request) == HSC_OK ? 0 : 1);
}

/* ---- the parent ---- */

/* Asked anew each time: a plugin may have brought GLib. */
static void find_glib(hsn_world *world)
{
    enum { USUAL_BYTES = 2048 };
    Dl_info info;
    const ElfW(Sym) *symbol = NULL;
    hsn_silence(); /* where it is not there that is noted in memory of malloc */
    void *create = dlsym(RTLD_DEFAULT, "g_type_create_instance"), *name = dlsym(RTLD_DEFAULT, "g_type_name");
    if (create != NULL && name != NULL) {
        const bool is_known = dladdr1(create, &info, (void **)&symbol, RTLD_DL_SYMENT) != 0 && symbol != NULL;
        const size_t size = is_known && symbol->st_size > 0 ? symbol->st_size : USUAL_BYTES;
        world->gobject_code = (hsn_range){(uintptr_t)create, (uintptr_t)create + size};
        memcpy(&world->gobject_name, &name, sizeof name);
    }
    hsn_speak();
}

static void describe_native_snapshot(hsn_world *world)
{
    find_glib(world);
    hsa_know_self(&world->self);
    hsa_measure(&world->metrics);
    world->tls_part_count = hsn_thread_tls_parts(world->tls_parts, HSN_TLS_PARTS);
    world->excluded = hsn_reserved(&world->excluded_count);
    world->tells_mapped = true;
    world->sample_bytes = hsn_set.sample_bytes;
    world->foreign_blocks = hsn_foreign();
    world->lost_blocks = hsn_table_lost();
}

static const char *why_no_child(int error)
{
    if (error == ENOMEM)
        return "the program cannot be forked: the system grants no memory for a copy (vm.overcommit_memory=2, or a "
               "limit of its container); "
               "free memory, or allow overcommitment";
    if (error == EAGAIN)
        return "the program cannot be forked: its user has as many processes as it may (ulimit -u, pids.max)";
    return "the program cannot be forked: the system refuses it";
}

/* A child that says nothing when it ends. An emulator (qemu-user) knows none but those of fork, and says so by EINVAL,
 * which the kernel does not. */
static pid_t clone_self(void)
{
    const long child = syscall(SYS_clone, 0UL, NULL, NULL, NULL, 0UL);
    return (pid_t)(child < 0 && errno == EINVAL ? syscall(SYS_clone, (unsigned long)SIGCHLD, NULL, NULL, NULL, 0UL)
                                                : child);
}

/* Stops, forks, releases. The child's pid, or -1 with the reason in `taken`. Only the parent returns. */
static pid_t split(hsn_world *world, const hsa_request *request, const ucontext_t *context, hsn_taken *taken)
{
    hsn_stopped stopped;
    const pid_t self = getpid();
    taken->error = hsn_stop_all(hsn_agent_tid(), context, &stopped);
    if (taken->error != NULL) return -1;
    world->missed_threads = stopped.missed;
    world->signalled_threads = stopped.signalled;
    const pid_t child = clone_self();
    if (child == 0) work(world, &stopped, request, self);
    if (child < 0) taken->error = why_no_child(errno);
    hsn_stop_release();
    taken->pause_ns = hsa_now_ns() - stopped.began_ns;
    return child;
}

static bool wait_for(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, __WALL) < 0)
        if (errno != EINTR) return false;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void take_turn(void)
{
    while (atomic_exchange(&is_taken, true))
        nanosleep(&(struct timespec){.tv_nsec = WAIT_NS}, NULL);
}

hsn_taken hsn_snapshot(const hsa_request *request, const ucontext_t *context)
{
    hsn_taken taken = {0};
    hsn_world world = {0};
    sigset_t all, before;
    if (!hsn_is_on())
        return (hsn_taken){
            .error = "the agent does not record in this process: it had no memory for its table, or was told not to"};
    take_turn();
    hsn_silence();
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    describe_native_snapshot(&world);
    const pid_t child = split(&world, request, context, &taken);
    if (child > 0) taken.is_whole = wait_for(child);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    hsn_speak();
    atomic_store(&is_taken, false);
    return taken;
}

void hsn_snapshot_adopt(void) { atomic_store(&is_taken, false); }
