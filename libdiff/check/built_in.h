/*
 * The rules where there is no file: one table, to be tuned against measured noise (bench/gate).
 */
#ifndef HSD_CHECK_BUILT_IN_H
#define HSD_CHECK_BUILT_IN_H

#include "check/facts.h"
#include "check/store.h"

/* The rules for two captures or for a series; static. Their line is 0. */
const hsd_rule *hsd_built_in_rules(bool is_series, size_t *count);

/*
 * True if such a rule is asked of these captures: about what is lost where they tell it (most captures cannot lose
 * anything), about what waits for a collector where that is off.
 */
bool hsd_built_in_asks(const hsd_rule *rule, const hsd_facts *facts);

/* What is no growth by them, for configurations that do not say: 0 = as without. */
uint64_t hsd_built_in_min(bool is_series);

/* The same of what is lost, of a live heap of so many bytes. */
uint64_t hsd_built_in_lost_min(uint64_t heap_bytes);

/* Makes a configuration of them. */
hsd_status hsd_built_in_fill(hsd_check_config *config, bool is_series, hsd_error *err);

#endif
