/*
 * Statistics over processes. One process is judged as a series is; a fleet by three questions, all of which must be
 * answered with yes: does it grow in most processes, is that more order than chance gives (the scores of Mann-Kendall
 * of all processes, added), and are the slopes others than those of the version before?
 */
#include "fleet/judge.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/fail.h"
#include "series/chance.h"

#define CHANCE_MOST UINT32_C(1000) /* 0.1 %: a report looks at many places */

/* ---- one process */

/* Pairs that rise, less those that fall, and the variance of that by chance. Past 128 values every k-th is looked at.
 */
static void add_score(hsd_fleet_side *side, const hsd_fleet_points *points)
{
    const size_t step = points->count / 128 + 1, count = (points->count + step - 1) / step;
    double ties = 0;
    if (count < 3) return;
    for (size_t i = 0; i < count; i++) {
        const uint64_t value = points->values[i * step];
        uint64_t equal = 1;
        bool is_first = true;
        for (size_t j = 0; j < count; j++) {
            const uint64_t other = points->values[j * step];
            if (j > i) side->score += (other > value) - (other < value);
            if (j < i && other == value) is_first = false;
            if (j > i && other == value) equal++;
        }
        if (is_first) ties += (double)equal * (double)(equal - 1) * (double)(2 * equal + 5);
    }
    side->variance += ((double)count * (double)(count - 1) * (double)(2 * count + 5) - ties) / 18;
}

hsd_status hsd_fleet_side_add(hsd_fleet_side *side, const hsd_fleet_points *points, uint64_t noise_bytes,
                              hsd_error *err)
{
    if (points->count == 0) return HSD_OK;
    const uint64_t first_ms = points->times_ns[0] / 1000000u;
    if (side->first_ms == 0 || first_ms < side->first_ms) side->first_ms = first_ms;
    if (points->count < 3) return HSD_OK; /* too few to judge */
    const hsd_trend trend = hsd_trend_of(points->values, points->times_ns, points->count, noise_bytes);
    HSD_TRY(HSD_ARRAY_GROW(side->slopes, side->slope_capacity, (uint64_t)side->count + 1, 64, "slopes", err));
    HSD_TRY(HSD_ARRAY_GROW(side->gains, side->gain_capacity, (uint64_t)side->count + 1, 64, "slopes", err));
    side->slopes[side->count] = trend.per_hour;
    side->gains[side->count++] = trend.growth;
    side->growers +=
        trend.per_hour > 0 && (trend.verdict == HSD_VERDICT_EACH_STEP || trend.verdict == HSD_VERDICT_GROWING);
    add_score(side, points);
    return HSD_OK;
}

void hsd_fleet_side_release(hsd_fleet_side *side)
{
    free(side->slopes);
    free(side->gains);
    *side = (hsd_fleet_side){.slopes = NULL};
}

/* ---- all of them */

static int compare_i64(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

/* Slopes of a side, sorted, with 0 for processes that do not have the place; at most HSD_SERIES_MOST of them. */
typedef struct slopes {
    int64_t values[HSD_SERIES_MOST];
    size_t count;
} slopes;

static hsd_status collect_slopes(slopes *out, const hsd_fleet_side *side, uint64_t judged, hsd_error *err)
{
    const size_t all = side->count > judged ? side->count : (size_t)judged;
    int64_t *sorted = calloc(all + 1, sizeof *sorted);
    if (sorted == NULL) return hsd_fail_nomem(err, "slopes");
    if (side->count > 0) memcpy(sorted, side->slopes, side->count * sizeof *sorted);
    qsort(sorted, all, sizeof *sorted, compare_i64);
    out->count = all < HSD_SERIES_MOST ? all : HSD_SERIES_MOST;
    for (size_t i = 0; i < out->count; i++)
        out->values[i] = sorted[(i * 2 + 1) * all / (2 * out->count)];
    free(sorted);
    return HSD_OK;
}

static int64_t quarter(const slopes *s, unsigned quarters)
{
    return s->count == 0 ? 0 : s->values[(s->count - 1) * quarters / 4];
}

/* Mann-Whitney is of order alone: slopes are moved up to where none is negative. */
static uint32_t contrast_of(const slopes *before, const slopes *after)
{
    uint64_t moved[2][HSD_SERIES_MOST];
    const slopes *both[2] = {before, after};
    if (before->count < 2 || after->count < 2) return HSD_CHANCE_MOST_SURE;
    for (unsigned side = 0; side < 2; side++)
        for (size_t i = 0; i < both[side]->count; i++)
            moved[side][i] = ((uint64_t)both[side]->values[i] ^ UINT64_C(1) << 63) / 2;
    return hsd_contrast_of(moved[0], before->count, moved[1], after->count).p_millionths;
}

static uint32_t chance_of(double score, double variance)
{
    const double off = (score < 0 ? -score : score) - 1;
    return variance > 0 && off > 0 ? hsd_chance_normal(off * off / variance) : HSD_CHANCE_MOST_SURE;
}

/* Mann-Whitney says so; or, where it cannot with so few processes, each of them grows faster than all before. */
static bool is_other(const slopes *before, const slopes *after, uint32_t contrast_millionths)
{
    if (before->count < 2 || after->count < 2) return true; /* no witness */
    if (contrast_millionths < HSD_CHANCE_SIGNIFICANT) return true;
    return hsd_chance_least(before->count, after->count) >= HSD_CHANCE_SIGNIFICANT &&
           after->values[0] > before->values[before->count - 1];
}

#define CAPTURES_LEAST 3u
#define CAPTURES_TELL  8u /* of one process alone */

uint32_t hsd_fleet_captures_needed(uint64_t processes, uint64_t captures)
{
    uint32_t needed = CAPTURES_LEAST;
    if (processes == 0) return 0;
    for (; needed < CAPTURES_TELL; needed++) {
        const double n = needed, all = (double)processes;
        if (chance_of(all * n * (n - 1) / 2, all * n * (n - 1) * (2 * n + 5) / 18) < CHANCE_MOST) break;
    }
    return captures / processes >= needed ? 0 : needed;
}

hsd_status hsd_fleet_judge(hsd_fleet_verdict *verdict, hsd_fleet_side *after, uint64_t judged, hsd_fleet_side *before,
                           uint64_t before_judged, hsd_error *err)
{
    static const hsd_fleet_side nothing;
    slopes here, there;
    HSD_TRY(collect_slopes(&here, after, judged, err));
    HSD_TRY(collect_slopes(&there, before != NULL ? before : &nothing, before_judged, err));
    if (after->count > 0) qsort(after->gains, after->count, sizeof *after->gains, compare_i64);
    *verdict = (hsd_fleet_verdict){
        .per_hour = quarter(&here, 2),
        .before_per_hour = quarter(&there, 2),
        .spread_per_hour = ((uint64_t)quarter(&here, 3) - (uint64_t)quarter(&here, 1)) / 2,
        .growth = after->count > 0 ? after->gains[(after->count - 1) / 2] : 0,
        .p_millionths = chance_of((double)after->score, after->variance),
        .contrast_millionths = contrast_of(&there, &here),
    };
    verdict->grows =
        after->growers * 2 > judged && after->score > 0 && verdict->p_millionths < CHANCE_MOST && verdict->per_hour > 0;
    if (before == NULL || before_judged == 0) return HSD_OK;
    verdict->grows = verdict->grows && before->growers * 2 <= before_judged &&
                     is_other(&there, &here, verdict->contrast_millionths) &&
                     verdict->per_hour > verdict->before_per_hour;
    return HSD_OK;
}
