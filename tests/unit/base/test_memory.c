#define _GNU_SOURCE /* nftw */
/* Limits of memory: read from a tree of files that stands for the machine. */
#include <criterion/criterion.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"
#include "base/memory.h"
#include <hsdiff/run.h>

#define MIB(n) (UINT64_C(n) << 20)

static char root[64];

static void make_root(void)
{
    snprintf(root, sizeof root, "/tmp/hsd-memory-XXXXXX");
    cr_assert_not_null(mkdtemp(root));
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info, (void)kind, (void)at;
    return remove(path);
}

static void remove_root(void) { nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS); }

static void put(const char *path, const char *text)
{
    char full[512];
    snprintf(full, sizeof full, "%s%s", root, path);
    for (char *slash = strchr(full + strlen(root) + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(full, 0700);
        *slash = '/';
    }
    FILE *file = fopen(full, "w");
    cr_assert_not_null(file);
    fputs(text, file);
    fclose(file);
}

TestSuite(memory, .init = make_root, .fini = remove_root);

Test(memory, a_machine_that_tells_nothing_has_no_limit)
{
    cr_assert_eq(hsd_memory_limit(root), UINT64_MAX);
    put("/proc/meminfo", "MemFree: 12 kB\n");
    put("/proc/self/cgroup", "rubbish\n0:no second colon\n");
    cr_assert_eq(hsd_memory_limit(root), UINT64_MAX);
}

Test(memory, the_machine_is_a_limit)
{
    put("/proc/meminfo", "MemTotal:       2048 kB\nMemFree: 12 kB\n");
    cr_assert_eq(hsd_memory_limit(root), MIB(2));
}

Test(memory, version_2_groups_are_bound_by_those_around_them)
{
    put("/proc/meminfo", "MemTotal: 8388608 kB\n");
    put("/proc/self/cgroup", "0::/user.slice/app\n");
    put("/sys/fs/cgroup/user.slice/app/memory.max", "max\n");
    cr_assert_eq(hsd_memory_limit(root), MIB(8192));
    put("/sys/fs/cgroup/user.slice/memory.max", "1073741824\n");
    cr_assert_eq(hsd_memory_limit(root), MIB(1024));
    put("/sys/fs/cgroup/user.slice/app/memory.max", "536870912\n");
    cr_assert_eq(hsd_memory_limit(root), MIB(512));
}

Test(memory, version_2_in_the_hybrid_place)
{
    put("/proc/self/cgroup", "1:name=systemd:/x\n0::/x\n");
    put("/sys/fs/cgroup/unified/x/memory.max", "104857600\n");
    cr_assert_eq(hsd_memory_limit(root), MIB(100));
}

Test(memory, version_1_groups_count_too)
{
    put("/proc/self/cgroup", "9:cpu,cpuacct:/a\n7:hugetlb,memory:/a/b\n");
    put("/sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "9223372036854771712\n");
    put("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "67108864\n");
    cr_assert_eq(hsd_memory_limit(root), MIB(64));
}

Test(memory, in_a_container_the_mount_itself_is_the_group)
{
    put("/proc/self/cgroup", "4:memory:/docker/0123456789abcdef\n");
    put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "268435456\n");
    cr_assert_eq(hsd_memory_limit(root), MIB(256));
}

Test(memory, other_controllers_are_not_memory)
{
    put("/proc/self/cgroup", "4:memoryish,xmemory:/a\n5:cpu:/a\n");
    put("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "1048576\n");
    cr_assert_eq(hsd_memory_limit(root), UINT64_MAX);
}

Test(memory, the_default_is_a_quarter_between_two_bounds)
{
    cr_assert_eq(hsd_memory_default(UINT64_MAX), MIB(1024));
    cr_assert_eq(hsd_memory_default(MIB(4096)), MIB(1024));
    cr_assert_eq(hsd_memory_default(MIB(2000)), MIB(500));
    cr_assert_eq(hsd_memory_default(MIB(64)), MIB(32));
    cr_assert_eq(hsd_memory_default(0), MIB(32));
}

Test(memory, this_machine_has_a_default)
{
    const uint64_t bytes = hsd_run_default_memory();
    cr_assert(bytes >= MIB(32) && bytes <= MIB(1024));
    cr_assert_eq(hsd_memory_default(hsd_run_system_memory()), bytes);
}

/* ---- of another process ---- */

static void expect_bound(uint64_t used, uint64_t limit, bool is_group)
{
    const hsd_memory_bound bound = hsd_memory_bound_of(root, 77);
    cr_assert_eq(bound.used_bytes, used);
    cr_assert_eq(bound.limit_bytes, limit);
    cr_assert_eq(bound.is_group, is_group);
}

Test(memory, where_nothing_is_told_there_is_no_bound)
{
    expect_bound(0, UINT64_MAX, false);
    const hsd_memory_bound none = hsd_memory_bound_of(root, 77);
    cr_assert_eq(hsd_memory_room(&none), UINT64_MAX);
    put("/proc/meminfo", "MemTotal: 4096 kB\n");
    put("/proc/77/cgroup", "0::/a\n12:memory\n");
    put("/sys/fs/cgroup/a/memory.max", "max\n");
    expect_bound(0, UINT64_MAX, false);
}

Test(memory, the_bound_with_the_least_room_counts)
{
    put("/proc/meminfo", "MemTotal:  4096 kB\nMemAvailable:  1024 kB\n");
    expect_bound(MIB(3), MIB(4), false);
    put("/proc/77/cgroup", "3:cpu:/x\n0::/shop.slice/shop.service\n");
    put("/sys/fs/cgroup/shop.slice/shop.service/memory.max", "10485760\n");
    put("/sys/fs/cgroup/shop.slice/shop.service/memory.current", "1048576\n");
    expect_bound(MIB(3), MIB(4), false);
    put("/sys/fs/cgroup/shop.slice/memory.max", "2097152\n");
    put("/sys/fs/cgroup/shop.slice/memory.current", "1572864\n");
    expect_bound(MIB(3) / 2, MIB(2), true);
}

Test(memory, cached_files_are_not_in_the_way)
{
    put("/proc/77/cgroup", "4:memory:/docker/b:c\n");
    put("/sys/fs/cgroup/memory/docker/b:c/memory.limit_in_bytes", "4194304\n");
    put("/sys/fs/cgroup/memory/docker/b:c/memory.usage_in_bytes", "4194304\n");
    put("/sys/fs/cgroup/memory/docker/b:c/memory.stat",
        "cache 3145728\ninactive_file 1\ntotal_inactive_file 3145728\n");
    put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    put("/sys/fs/cgroup/memory/memory.usage_in_bytes", "9999999999\n");
    expect_bound(MIB(1), MIB(4), true);
}

Test(memory, what_is_over_its_limit_has_no_room)
{
    put("/proc/77/cgroup", "0::/a\n");
    put("/sys/fs/cgroup/a/memory.max", "1048576\n");
    put("/sys/fs/cgroup/a/memory.current", "2097152\n");
    const hsd_memory_bound bound = hsd_memory_bound_of(root, 77);
    cr_assert_eq(hsd_memory_room(&bound), 0);
}

Test(memory, a_process_has_the_least_limit_of_its_groups)
{
    put("/proc/meminfo", "MemTotal:       2097152 kB\n");
    put("/proc/7/cgroup", "0::/pod/web\n");
    put("/sys/fs/cgroup/pod/web/memory.max", "max\n");
    cr_expect_eq(hsd_memory_group_limit(root, 7), UINT64_MAX, "the machine's memory is no group's");
    put("/sys/fs/cgroup/pod/memory.max", "536870912\n");
    cr_expect_eq(hsd_memory_group_limit(root, 7), MIB(512));
    put("/sys/fs/cgroup/pod/web/memory.max", "104857600\n");
    cr_expect_eq(hsd_memory_group_limit(root, 7), MIB(100));
    put("/proc/8/cgroup", "4:memory:/old\n0::/\n");
    put("/sys/fs/cgroup/memory/old/memory.limit_in_bytes", "9223372036854771712\n");
    cr_expect_eq(hsd_memory_group_limit(root, 8), UINT64_MAX, "version 1 has a number for no limit");
    put("/sys/fs/cgroup/memory/old/memory.limit_in_bytes", "67108864\n");
    cr_expect_eq(hsd_memory_group_limit(root, 8), MIB(64));
    cr_expect_eq(hsd_memory_group_limit(root, 9), UINT64_MAX, "a process that is gone");
}

/* ulimit -v and -d, as batch systems have them. A sanitizer's own memory is more: nothing is allocated below it. */
Test(memory, what_the_process_may_map_is_a_limit)
{
    struct rlimit limit, was;
    cr_assert_eq(getrlimit(RLIMIT_DATA, &was), 0);
    limit = was;
    limit.rlim_cur = (rlim_t)hsd_min_u64(MIB(400), (uint64_t)was.rlim_cur);
    cr_assert_eq(setrlimit(RLIMIT_DATA, &limit), 0);
    const uint64_t told = hsd_memory_process_limit();
    cr_assert_eq(setrlimit(RLIMIT_DATA, &was), 0);
    cr_assert_leq(told, MIB(400));
}
