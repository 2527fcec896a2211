/*
 * The second stage of a report: what series says of one process (Theil-Sen, Mann-Kendall), and of all processes of a
 * version together, against those of the version before (Mann-Whitney).
 */
#ifndef HSD_FLEET_JUDGE_H
#define HSD_FLEET_JUDGE_H

#include <stdbool.h>

#include <hsdiff/fleet.h>
#include <hsdiff/series.h>

/* A place or type over all processes of one side. */
typedef struct hsd_fleet_side {
    int64_t *slopes, *gains; /* a process each: bytes an hour; last less first */
    uint32_t count, slope_capacity, gain_capacity;
    uint64_t growers, first_ms; /* first_ms: of all values; UINT64_MAX = none */
    int64_t score;              /* Mann-Kendall of all processes: pairs that rise, less those that fall */
    double variance;
} hsd_fleet_side;

typedef struct hsd_fleet_points { /* of one process, by time */
    uint64_t values[HSD_SERIES_MOST], times_ns[HSD_SERIES_MOST];
    size_t count;
} hsd_fleet_points;

/* Adds what one process says. HSD_E_NOMEM. */
hsd_status hsd_fleet_side_add(hsd_fleet_side *side, const hsd_fleet_points *points, uint64_t noise_bytes,
                              hsd_error *err);

typedef struct hsd_fleet_verdict {
    bool grows;
    int64_t per_hour, before_per_hour, growth;
    uint64_t spread_per_hour;
    uint32_t p_millionths, contrast_millionths;
} hsd_fleet_verdict;

/*
 * Judges a version (`judged` processes of it bear witness) against the one before; `before` NULL = there is none.
 * Processes without the place count as slopes of 0. HSD_E_NOMEM.
 */
hsd_status hsd_fleet_judge(hsd_fleet_verdict *verdict, hsd_fleet_side *after, uint64_t judged, hsd_fleet_side *before,
                           uint64_t before_judged, hsd_error *err);

/*
 * How many captures of each process it takes to tell growth from chance: 0 if `captures` of `processes` are enough. So
 * few that even growth in every step of all of them is likely by chance say nothing: "nothing grows" least of all.
 */
uint32_t hsd_fleet_captures_needed(uint64_t processes, uint64_t captures);

/* Empties it. */
void hsd_fleet_side_release(hsd_fleet_side *side);

#endif
