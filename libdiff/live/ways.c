/*
 * The table of ways, in the order in which they are tried: those of one runtime before the one that fits every program.
 */
#include "live/way.h"

static const hsd_way *const ways[] = {
    &hsd_way_mono,          &hsd_way_lua,  &hsd_way_ruby,      &hsd_way_python, &hsd_way_python_inject,
    &hsd_way_python_remote, &hsd_way_node, &hsd_way_inspector, &hsd_way_jvm,    &hsd_way_hprof,
    &hsd_way_dotnet,        &hsd_way_go,   &hsd_way_native,
};

const hsd_way *hsd_way_row(size_t i) { return i < sizeof ways / sizeof ways[0] ? ways[i] : NULL; }

const char *hsd_way_name(size_t i)
{
    const hsd_way *way = hsd_way_row(i);
    return way == NULL ? NULL : way->name;
}

const char *hsd_way_summary(size_t i)
{
    const hsd_way *way = hsd_way_row(i);
    return way == NULL ? NULL : way->summary;
}
