/*
 * The built-in rules. Two captures: the heap as a whole, since single rows of two captures breathe too much to judge.
 * A series: nothing may grow in every round. The holder says where; types are warnings beside it, since many small
 * holders may leak one type. The whole heap, which breathes with what is compiled, stands in where captures know no
 * holders.
 */
#include "check/built_in.h"

#include <string.h>

#include "base/check.h"

#define TEXT(text)                                                                                                     \
    {                                                                                                                  \
        text, sizeof(text) - 1                                                                                         \
    }

/*
 * Lost memory is judged by its growth from capture to capture: what a program lost while it started stays the same.
 * Nothing more may be lost but for noise. A conservative scan misses a block for a moment where its only address is
 * packed into other bits, in the kernel (epoll, io_uring) or in a library that masks it: some blocks of some hundred
 * bytes, and in large heaps some in a million more. So up to 64 KiB, and up to a ten-thousandth of the live heap, is
 * none.
 */
#define LOST_LEAST (UINT64_C(64) << 10)
#define LOST_SHARE 10000u
#define LOST_RULE                                                                                                      \
    {                                                                                                                  \
        .name = TEXT("nothing is lost"), .measure = HSD_MEASURE_LOST_BYTES,                                            \
        .limits = {{HSD_LIMIT_AMOUNT, LOST_LEAST}}, .limit_count = 1                                                   \
    }

/*
 * What waits for a collector that the program has switched off waits until it calls the collector itself, if ever: it
 * is judged as the whole heap is, for it is no part of that. Where a collector runs, it says nothing.
 */
#define UNCOLLECTED_NAME TEXT("what waits for a collector that is off does not grow")

static const hsd_rule two_rules[] = {
    {.name = TEXT("whole heap"),
     .measure = HSD_MEASURE_BYTES,
     .limits = {{HSD_LIMIT_PERCENT, 100000}},
     .limit_count = 1},
    {.name = UNCOLLECTED_NAME,
     .measure = HSD_MEASURE_UNREACHED_BYTES,
     .limits = {{HSD_LIMIT_PERCENT, 100000}},
     .limit_count = 1},
    LOST_RULE,
};

static const hsd_rule series_rules[] = {
    {.name = TEXT("whole heap does not grow in every round"),
     .measure = HSD_MEASURE_BYTES,
     .limits = {{HSD_LIMIT_PERCENT_PER_ROUND, 10000}},
     .limit_count = 1},
    {.name = TEXT("no holder grows in every round"),
     .subject = HSD_SUBJECT_HOLDER,
     .pattern = TEXT("*"),
     .is_each = true,
     .measure = HSD_MEASURE_BYTES,
     .limits = {{HSD_LIMIT_AUTO, 0}},
     .limit_count = 1},
    {.name = TEXT("no type grows in every round"),
     .subject = HSD_SUBJECT_TYPE,
     .pattern = TEXT("*"),
     .is_each = true,
     .measure = HSD_MEASURE_BYTES,
     .limits = {{HSD_LIMIT_AUTO, 0}},
     .limit_count = 1,
     .level = HSD_LEVEL_WARN},
    {.name = UNCOLLECTED_NAME,
     .measure = HSD_MEASURE_UNREACHED_BYTES,
     .limits = {{HSD_LIMIT_PERCENT_PER_ROUND, 10000}},
     .limit_count = 1},
    LOST_RULE,
};

const hsd_rule *hsd_built_in_rules(bool is_series, size_t *count)
{
    *count = is_series ? HSD_ARRAY_LEN(series_rules) : HSD_ARRAY_LEN(two_rules);
    return is_series ? series_rules : two_rules;
}

bool hsd_built_in_asks(const hsd_rule *rule, const hsd_facts *facts)
{
    if (hsd_measure_is_lost(rule->measure)) return hsd_facts_tell_lost(facts);
    return !hsd_measure_is_unreached(rule->measure) || hsd_facts_collector_is_off(facts);
}

uint64_t hsd_built_in_min(bool is_series) { return is_series ? 0 : UINT64_C(1) << 20; }

uint64_t hsd_built_in_lost_min(uint64_t heap_bytes) { return hsd_max_u64(LOST_LEAST, heap_bytes / LOST_SHARE); }

hsd_status hsd_built_in_fill(hsd_check_config *config, bool is_series, hsd_error *err)
{
    void *rules;
    const hsd_rule *table = hsd_built_in_rules(is_series, &config->rule_count);
    HSD_TRY(hsd_check_take(config->store, config->rule_count, sizeof *config->rules, &rules, err));
    memcpy(rules, table, config->rule_count * sizeof *config->rules);
    config->rules = rules;
    config->is_built_in = true;
    config->min_bytes = hsd_built_in_min(is_series);
    config->has_min = config->min_bytes > 0;
    return HSD_OK;
}
