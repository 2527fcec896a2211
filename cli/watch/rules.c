/* The rules of hsdiff watch. */
#include "watch/rules.h"

enum { CHANCE_MILLIONTHS = 50000 };

uint64_t cli_watch_interval(uint64_t asked_ns, uint64_t cost_ns, unsigned budget_permille)
{
    const uint64_t needed = cost_ns > UINT64_MAX / 1000 ? UINT64_MAX : cost_ns * 1000 / budget_permille;
    return needed > asked_ns ? needed : asked_ns;
}

bool cli_watch_is_proven(const hsd_trend *trend, uint64_t least_bytes)
{
    const bool grows = trend->verdict == HSD_VERDICT_EACH_STEP || trend->verdict == HSD_VERDICT_GROWING;
    return grows && trend->p_millionths < CHANCE_MILLIONTHS && trend->growth > 0 &&
           (uint64_t)trend->growth >= least_bytes;
}

size_t cli_watch_thin(const uint64_t *times, const bool *stays, size_t count)
{
    size_t found = count;
    uint64_t least = 0;
    for (size_t i = 0; i + 1 < count; i++) {
        if (stays[i]) continue;
        const uint64_t gap = times[i + 1] - times[i == 0 ? 0 : i - 1];
        if (found < count && gap >= least) continue;
        found = i;
        least = gap;
    }
    return found;
}
