/*
 * What owns a result. Texts are copied once, when a row is kept. A warning says what is so and, behind a colon, what
 * that does to the answer.
 */
#include "walk/store.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"
#include <hscapture/hscapture.h>

void hsd_store_free(hsd_diff_store *store)
{
    if (store == NULL) return;
    hsd_arena_release(&store->arena);
    free(store);
}

hsd_status hsd_store_text(hsd_diff_store *store, hsd_bytes name, hsd_text *out, hsd_error *err)
{
    HSD_ASSERT(name.size == 0 || name.data != NULL);
    out->data = hsd_arena_copy(&store->arena, name.data, name.size);
    out->size = name.size;
    return out->data == NULL ? hsd_fail_nomem(err, "the result") : HSD_OK;
}

static hsd_status copy_string(hsd_diff_store *store, const char **string, hsd_error *err)
{
    if (*string == NULL) return HSD_OK;
    *string = hsd_arena_copy(&store->arena, *string, strlen(*string));
    return *string == NULL ? hsd_fail_nomem(err, "the result") : HSD_OK;
}

hsd_status hsd_store_info(hsd_diff_store *store, const hsd_capture_info *info, hsd_capture_info *out, hsd_error *err)
{
    *out = *info;
    HSD_TRY(copy_string(store, &out->path, err));
    HSD_TRY(copy_string(store, &out->producer, err));
    HSD_TRY(copy_string(store, &out->runtime, err));
    HSD_TRY(copy_string(store, &out->process_name, err));
    HSD_TRY(copy_string(store, &out->source_format, err));
    HSD_TRY(copy_string(store, &out->why_no_places, err));
    return copy_string(store, &out->incomplete_reason, err);
}

void hsd_store_side(hsd_side *out, const hsd_side_walk *walk, hsd_amount live, hsd_amount unreached)
{
    out->live = live;
    out->unreached = unreached;
    out->has_roots = hsd_side_has_graph(walk);
    out->has_references = walk->has_references;
    out->dangling = walk->dangling;
    out->soft = walk->soft;
}

int hsd_store_compare(hsd_text a, hsd_text b)
{
    const int order = memcmp(a.data, b.data, a.size < b.size ? a.size : b.size);
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

/* ---- warnings ---- */

void hsd_store_warn(hsd_diff_store *store, const char *format, ...)
{
    HSD_ASSERT(store->warning_count <= HSD_MAX_WARNINGS);
    char text[512];
    va_list arguments;
    if (store->warning_count == HSD_MAX_WARNINGS) return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const char *copy = hsd_arena_copy(&store->arena, text, strlen(text));
    if (copy != NULL) store->warnings[store->warning_count++] = (hsd_text){copy, strlen(copy)};
}

void hsd_store_warn_of_capture(hsd_diff_store *store, const hsd_capture_info *info)
{
    if (!info->is_complete) {
        hsd_store_warn(store, "%s is incomplete (%s): numbers are lower bounds", info->path,
                       info->incomplete_reason[0] != 0 ? info->incomplete_reason : "no end record");
    }
    if (info->lost > 0) {
        hsd_store_warn(store, "%s: the producer could not capture %" PRIu64 " thing%s; hsdiff info lists %s",
                       info->path, info->lost, info->lost == 1 ? "" : "s", info->lost == 1 ? "it" : "them");
    }
    if (info->facts & HSC_FACT_SAMPLED) hsd_store_warn(store, "%s was sampled: counts are estimates", info->path);
}

/* An array of HotSpot's archive of classes refers to strings of the JDK that nobody uses, and dumps leave out: 926 of
 * JDK 17, more than one reference in a hundred of a small heap. */
static uint64_t missing_by_nature(const hsd_capture_info *info)
{
    static const char hotspot[] = "HotSpot";
    const bool is_hotspot = info->runtime != NULL && strncmp(info->runtime, hotspot, sizeof hotspot - 1) == 0;
    return is_hotspot && info->is_complete ? 2000 : 0;
}

void hsd_store_warn_of_references(hsd_diff_store *store, const hsd_side *side)
{
    if (side->info.is_baseline && side->info.objects > 0) return; /* those that it holds were live */
    if (!side->has_references) {
        hsd_store_warn(store, "%s carries no references: every object counts as live", side->info.path);
    } else if (!side->has_roots) {
        hsd_store_warn(store, "%s %s: every object counts as live", side->info.path,
                       side->info.is_complete ? "carries no roots" : "is incomplete, and no root is left in it");
    } else if (side->dangling > side->info.references / 100 + missing_by_nature(&side->info)) {
        hsd_store_warn(store, "%s: %" PRIu64 " %s to objects that are not in the capture", side->info.path,
                       side->dangling, side->dangling == 1 ? "reference leads" : "references lead");
    }
}
