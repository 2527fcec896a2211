/*
 * Warnings of what sets two captures apart. A warning says what is so and, behind a colon, what that does to the
 * answer.
 */
#include "diff/warn.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include <hscapture/hscapture.h>

/* ---- warnings of two captures: what one has and the other has not ---- */

static bool has_fact(const hsd_side *side, uint32_t fact) { return (side->info.facts & fact) != 0; }

static void warn_of_collection(hsd_diff_store *store, const hsd_diff *diff)
{
    const bool is_before = has_fact(&diff->before, HSC_FACT_COLLECTED);
    const char *word = is_before ? "before" : "after", *other = is_before ? "after" : "before";
    if (is_before == has_fact(&diff->after, HSC_FACT_COLLECTED)) return;
    if ((is_before ? &diff->after : &diff->before)->has_roots) {
        hsd_store_warn(store,
                       "only the capture %s was taken right after a collection: the other may hold garbage, "
                       "which counts as unreached",
                       word);
    } else {
        hsd_store_warn(store, "only the capture %s was taken right after a collection: garbage in the one %s %s", word,
                       other, is_before ? "counts as growth" : "hides growth");
    }
}

/* A sample or a loss leaves out what is there: in one capture alone it looks as if it came or went. */
static const char *looks(const hsd_diff *diff, bool is_before)
{
    if (is_before) return hsd_new_is_known(diff) ? "looks new" : "counts as growth";
    return hsd_freed_is_known(diff) ? "looks freed" : "hides growth";
}

static void warn_of_samples(hsd_diff_store *store, const hsd_diff *diff)
{
    const bool is_before = has_fact(&diff->before, HSC_FACT_SAMPLED);
    if (is_before != has_fact(&diff->after, HSC_FACT_SAMPLED)) {
        hsd_store_warn(store,
                       "only the capture %s was sampled: growth is the difference of a count and an estimate, "
                       "and what the sample left out %s",
                       is_before ? "before" : "after", looks(diff, is_before));
    } else if (is_before && diff->identity_is_known) {
        hsd_store_warn(store, "both captures were sampled: an object that is in one sample alone looks new or freed");
    }
}

static void warn_of_estimates(hsd_diff_store *store, const hsd_diff *diff)
{
    const bool is_before = has_fact(&diff->before, HSC_FACT_BLURRED);
    if (is_before != has_fact(&diff->after, HSC_FACT_BLURRED)) {
        hsd_store_warn(store, "only the capture %s has blurred sizes: sizes do not compare",
                       is_before ? "before" : "after");
    } else if (is_before) {
        hsd_store_warn(store, "sizes were blurred: amounts are up to a fifth too small, counts of objects are exact");
    } else if (has_fact(&diff->before, HSC_FACT_ESTIMATED) || has_fact(&diff->after, HSC_FACT_ESTIMATED))
        hsd_store_warn(store, "sizes are estimates, as the runtime does not tell them: counts of objects are exact");
}

static void warn_of_losses(hsd_diff_store *store, const hsd_diff *diff)
{
    const bool is_before = diff->before.info.lost > 0;
    if (is_before == (diff->after.info.lost > 0)) return;
    hsd_store_warn(store, "only the capture %s has losses: an object that was lost there %s",
                   is_before ? "before" : "after", looks(diff, is_before));
}

/* Both are known, and they are not the same. */
static bool differ(const char *before, const char *after)
{
    return before != NULL && after != NULL && before[0] != 0 && after[0] != 0 && strcmp(before, after) != 0;
}

/* "hs" for what was captured as such. */
static const char *format_of(const hsd_capture_info *info)
{
    return info->source_format != NULL && info->source_format[0] != 0 ? info->source_format : "hs";
}

/* Versions of one format, "hprof 1.0.1" and "hprof 1.0.2", say the same of an object. */
static bool formats_differ(const char *before, const char *after)
{
    const size_t size = strcspn(before, " ");
    return size != strcspn(after, " ") || memcmp(before, after, size) != 0;
}

static void warn_of_origins(hsd_diff_store *store, const hsd_capture_info *before, const hsd_capture_info *after)
{
    if (formats_differ(format_of(before), format_of(after))) {
        hsd_store_warn(store,
                       "the formats differ (%.60s, %.60s): each has names and sizes of its own for the same "
                       "object, and such a difference counts as growth",
                       format_of(before), format_of(after));
    } else if (differ(before->producer, after->producer)) {
        hsd_store_warn(store,
                       "different producers wrote the captures (%.100s, %.100s): what one names or measures in "
                       "another way counts as growth",
                       before->producer, after->producer);
    }
    if (differ(before->runtime, after->runtime)) {
        hsd_store_warn(store,
                       "the runtimes differ (%.100s, %.100s): what one lays out or names in another way counts "
                       "as growth",
                       before->runtime, after->runtime);
    }
    if (before->pointer_bytes != after->pointer_bytes && before->pointer_bytes > 0 && after->pointer_bytes > 0) {
        hsd_store_warn(store,
                       "pointers have %u bytes before and %u after: objects with references differ in size for "
                       "that alone",
                       before->pointer_bytes, after->pointer_bytes);
    }
}

static void warn_of_redaction(hsd_diff_store *store, const hsd_diff *diff)
{
    const bool is_before = has_fact(&diff->before, HSC_FACT_REDACTED);
    if (is_before == has_fact(&diff->after, HSC_FACT_REDACTED)) return;
    hsd_store_warn(store, "only the capture %s was redacted: its names are pseudonyms, and names do not compare",
                   is_before ? "before" : "after");
}

void hsd_store_warn_of_pair(hsd_diff_store *store, const hsd_diff *diff)
{
    warn_of_collection(store, diff);
    warn_of_samples(store, diff);
    warn_of_losses(store, diff);
    warn_of_estimates(store, diff);
    warn_of_origins(store, &diff->before.info, &diff->after.info);
    warn_of_redaction(store, diff);
}

/* ---- warnings of how objects were recognised ---- */

#define PATH(side) ((side)->info.path != NULL ? (side)->info.path : "")

static void warn_of_order(hsd_diff_store *store, const hsd_diff *diff)
{
    if (diff->order == HSD_ORDER_REVERSED)
        hsd_store_warn(store,
                       "by the ids of its objects %.200s was taken before %.200s: the captures stand in reverse order, "
                       "and what went is called new",
                       PATH(&diff->after), PATH(&diff->before));
    else if (diff->order == HSD_ORDER_CONTRADICTORY)
        hsd_store_warn(store,
                       "the ids of the captures contradict each other, as those of two processes, or of one whose "
                       "inspector was closed in between: sums are right, but what is new and freed is not; recognise "
                       "objects without ids by --match structure");
}

#define FEW_OBJECTS 1000u /* below this hardly any in common may be chance */

static void warn_of_few_matches(hsd_diff_store *store, const hsd_diff *diff)
{
    const uint64_t matched = diff->match.exact + diff->match.address + diff->match.structure;
    const char *plural = matched == 1 ? "" : "s";
    if (diff->total.before.objects <= FEW_OBJECTS || diff->total.after.objects <= FEW_OBJECTS ||
        matched >= diff->total.before.objects / 20) {
        return;
    }
    if (diff->is_by_structure) {
        hsd_store_warn(store,
                       "only %" PRIu64 " object%s could be recognised by structure: all that changed its shape "
                       "looks new and freed",
                       matched, plural);
    } else if (!hsd_capture_same_process(&diff->before.info, &diff->after.info)) { /* one that replaced the rest */
        hsd_store_warn(store, "the captures share only %" PRIu64 " object%s: they look like two different processes",
                       matched, plural);
    }
}

/* What makes the next captures better. */
static const char *way_to_ids(const hsd_diff *diff)
{
    const char *runtime = diff->after.info.runtime;
    const bool is_node = runtime != NULL && (strncmp(runtime, "V8", 2) == 0 || strcmp(runtime, "Node") == 0);
    return is_node ? "start the program by hsdiff capture -- node app.js, and its objects keep their ids"
                   : "take the captures with an agent or in a format that gives objects ids";
}

static void warn_of_weak_matches(hsd_diff_store *store, const hsd_diff *diff)
{
    const uint64_t weak = diff->match.weak.bytes, live = diff->total.after.bytes;
    uint64_t hundredfold;
    if (weak <= live / 100 * HSD_MATCH_WEAK_PERCENT + live % 100 * HSD_MATCH_WEAK_PERCENT / 100 || live == 0) return;
    const uint64_t percent = hsd_mul_u64(weak, 100, &hundredfold) ? hundredfold / live : weak / (live / 100);
    hsd_store_warn(
        store,
        "%" PRIu64 "%% of the bytes after were recognised by weak signs alone: sums are right, but "
        "which of these objects are new or freed is uncertain; %s, or name a field that tells them apart with "
        "--key Type:field",
        percent, way_to_ids(diff));
}

void hsd_store_warn_of_match(hsd_diff_store *store, const hsd_diff *diff)
{
    if (!diff->identity_is_known) return;
    warn_of_order(store, diff);
    if (diff->order == HSD_ORDER_CONTRADICTORY) return;
    warn_of_few_matches(store, diff);
    warn_of_weak_matches(store, diff);
}
