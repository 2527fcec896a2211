/*
 * Runtimes that write their heaps themselves, by the names of their executables. See dumped.h.
 */
#include "live/dumped.h"

#include <string.h>

#include "base/check.h"
#include "live/procfs.h"

static const hsd_dumped known[] = {
    {"php", false, "PHP", "have it write dumps, by meminfo_dump() of the extension php-meminfo", "USE_ZEND_ALLOC=0"},
    {"bun", true, "Bun", "have it write snapshots, by writeHeapSnapshot() of node:v8", NULL},
    {"deno", true, "Deno", "capture it by its inspector, which is open for that moment: --open-inspector", NULL},
};

static bool is_called_as(const char *name, size_t size, const hsd_dumped *one)
{
    const size_t length = strlen(one->program);
    if (size < length || memcmp(name, one->program, length) != 0) return false;
    return !one->is_whole || size == length || name[length] == '.';
}

const hsd_dumped *hsd_dumped_of(const hsd_process_facts *facts)
{
    size_t size = 0;
    const char *name = hsd_procfs_last_part(facts->executable, &size);
    for (size_t i = 0; i < HSD_ARRAY_LEN(known); i++)
        if (is_called_as(name, size, &known[i])) return &known[i];
    return NULL;
}
