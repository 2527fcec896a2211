/*
 * A world with known truth, walked in a child without malloc, as the agent does it, and the capture read back. For one
 * file of tests, which has `setup` and `teardown` as its own.
 */
#ifndef HSD_TESTS_WALK_KIT_H
#define HSD_TESTS_WALK_KIT_H

#include <criterion/criterion.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake_table.h"
#include "native/mmaps.h"
#include "native/walk/walk.h"
#include "support/capture_view.h"
#include "support/random.h"

enum { MIB = 1 << 20, HEAP_BYTES = 96 * MIB, MAX_BLOCKS = 200000 };

/* ---- no malloc ---- */

static bool is_forbidden;

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void __libc_free(void *memory);

static inline void check_allowed(void)
{
    if (is_forbidden) _exit(99);
}

void *malloc(size_t size)
{
    check_allowed();
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    check_allowed();
    return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    check_allowed();
    return __libc_realloc(memory, size);
}

void free(void *memory)
{
    if (memory != NULL) check_allowed();
    __libc_free(memory);
}

/* ---- a world ---- */

static unsigned char *heap; /* all blocks lie in it */
static size_t heap_used;
static hsn_world world;
static hsn_range excluded[2];
static hsn_thread threads[2];
static capture_view view;
static const char *path = NULL;
static char path_text[64];

static inline void setup(void)
{
    heap = mmap(NULL, HEAP_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    cr_assert_neq(heap, MAP_FAILED);
    heap_used = 0;
    fake_open(MAX_BLOCKS);
    world = (hsn_world){.excluded = excluded, .excluded_count = 1, .threads = threads, .pause_ns = 1234};
    excluded[0] = fake_memory();
    static const char template[] = "/tmp/hsdiff-walk-XXXXXX";
    hsa_know_self(&world.self);
    hsa_measure(&world.metrics);
    const int fd = mkstemp(memcpy(path_text, template, sizeof template));
    cr_assert_geq(fd, 0);
    close(fd);
    path = path_text;
}

static inline void teardown(void)
{
    if (view.capture != NULL) view_close(&view);
    unlink(path_text);
    fake_close();
    munmap(heap, HEAP_BYTES);
}

/* Memory of a block behind the last one, and its entry. */
static inline uintptr_t *add(uint64_t size, uint32_t stack)
{
    heap_used = (heap_used + 16 + 15) & ~(size_t)15;
    uintptr_t *block = (uintptr_t *)(void *)(heap + heap_used);
    heap_used += size;
    cr_assert_leq(heap_used, (size_t)HEAP_BYTES);
    fake_add((uintptr_t)block, size, stack);
    return block;
}

/* The exit status of the child that walks; its time. */
static inline int walk_in_child(void)
{
    const pid_t child = fork();
    if (child == 0) {
        const hsa_request request = {.verb = HSA_CAPTURE, .fd = open(path, O_WRONLY | O_TRUNC), .is_push = true};
        is_forbidden = true;
        _exit(hsn_walk(&world, &request) == HSC_OK ? 0 : 1);
    }
    int status;
    cr_assert_eq(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
}

static inline void walk_world(void)
{
    const int status = walk_in_child();
    cr_assert_eq(status, 0, "the child ended with %d", status);
    cr_assert(view_open(&view, path));
}

static inline const view_object *object_of(const void *block)
{
    const hsn_block *b = fake_holder((uintptr_t)block);
    return b == NULL ? NULL : view_find(&view, b->sequence);
}

#endif
