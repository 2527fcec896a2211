/*
 * Two snapshots of one Chrome process, where they are at hand: ../shared/samples beside the project. A fresh clone has
 * none and skips this.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <hsdiff/capture.h>
#include <hsdiff/import.h>

typedef struct node_ids { /* ascending; owned */
    uint64_t *ids;
    size_t count, references; /* told inline */
} node_ids;

static int ascending(const void *a, const void *b)
{
    const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

static node_ids ids_of(hsd_capture *capture, hsd_error *err)
{
    const hsd_capture_info *info = hsd_capture_get_info(capture);
    node_ids nodes = {.ids = malloc(info->objects * sizeof(uint64_t)), .references = info->references};
    hsd_object_reader *reader;
    hsd_object object;
    cr_assert_not_null(nodes.ids);
    cr_assert(hsd_object_reader_open(&reader, capture, HSD_WANT_IDS, err) == HSD_OK, "%s", err->text);
    while (nodes.count < info->objects && hsd_object_reader_next(reader, &object, err) == HSD_OK)
        if (!object.is_continuation) nodes.ids[nodes.count++] = object.id;
    hsd_object_reader_close(reader);
    qsort(nodes.ids, nodes.count, sizeof *nodes.ids, ascending);
    return nodes;
}

static bool import_sample(const char *name, node_ids *nodes)
{
    char path[1024];
    const char *project = getenv("HSD_SOURCE_DIR");
    const hsd_import_options options = {.compression = 1};
    const hsd_run run = {.memory_bytes = UINT64_C(16) << 20};
    hsd_import_result result;
    hsd_capture *capture;
    hsd_error err;
    int out = -1;
    snprintf(path, sizeof path, "%s/../shared/samples/%s", project == NULL ? "." : project, name);
    if (access(path, R_OK) != 0) {
        fprintf(stderr, "skipped: no sample %s\n", name);
        return false;
    }
    hsd_error_init(&err);
    cr_assert(hsd_import_temp(path, &options, &run, &out, &result, &err) == HSD_OK, "%s", err.text);
    cr_assert(result.is_complete);
    cr_assert(hsd_capture_open_fd(&capture, out, name, HSD_DAMAGE_REFUSE, NULL, &err) == HSD_OK, "%s", err.text);
    *nodes = ids_of(capture, &err);
    hsd_capture_close(capture);
    return true;
}

static size_t in_common(const node_ids *a, const node_ids *b)
{
    size_t common = 0;
    for (size_t i = 0, k = 0; i < a->count && k < b->count;) {
        if (a->ids[i] == b->ids[k]) common++;
        if (a->ids[i] <= b->ids[k])
            i++;
        else
            k++;
    }
    return common;
}

/* Nodes as the snapshots count them, ids as they name them. */
Test(v8_samples, have_the_nodes_and_ids_they_are_known_for)
{
    node_ids before, after;
    if (!import_sample("heap-1.heapsnapshot", &before)) return;
    cr_assert(import_sample("heap-2.heapsnapshot", &after));
    cr_expect(before.count == 14113 && before.references == 49096 && after.count == 14130, "%zu %zu %zu", before.count,
              before.references, after.count);
    cr_expect(in_common(&before, &after) == 10545, "%zu", in_common(&before, &after));
    free(before.ids);
    free(after.ids);
}
