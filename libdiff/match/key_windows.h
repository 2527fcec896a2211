/*
 * The passes of match/keys.h in windows of targets (match/around.h): where these lie anywhere, and what is asked of
 * them does not fit in memory.
 *
 *      first      shapes of targets, and their only referrers
 *      second     structures of targets
 *      referrers  types and positions of those that are the only ones
 */
#ifndef HSD_MATCH_KEY_WINDOWS_H
#define HSD_MATCH_KEY_WINDOWS_H

#include "match/keys.h"

typedef struct hsd_key_windows hsd_key_windows;

typedef struct hsd_key_windows_config {
    const hsd_keys_config *keys;
    hsd_sequence *sequence; /* for positions */
    uint64_t window_bytes;  /* what a window may take; a little is taken in any case */
    uint64_t tape_bytes;
    uint64_t (*of_target)(uint64_t value); /* what a target's shape or structure adds to a sum */
} hsd_key_windows_config;

/* What who has this hash is called as a referrer: HSD_REFERRER_FIRST or more. */
static inline uint32_t hsd_key_class(uint32_t hash)
{
    return hash < HSD_REFERRER_FIRST ? hash + HSD_REFERRER_FIRST : hash;
}

/* HSD_E_NOMEM. */
hsd_status hsd_key_windows_new(hsd_key_windows **out, const hsd_key_windows_config *config, hsd_error *err);
void hsd_key_windows_free(hsd_key_windows *windows); /* NULL is accepted */

/* A reference; sources ascend. Failures stick: hsd_key_windows_first. */
void hsd_key_windows_put(hsd_key_windows *windows, hsd_node source, hsd_node target);

/* No more of them. Tells by node HSD_REFERRER_NONE, HSD_REFERRER_MANY or HSD_REFERRER_FIRST + the only referrer. Then
 * sums may be asked for. HSD_E_IO, HSD_E_NOMEM, HSD_E_CANCELLED. */
hsd_status hsd_key_windows_first(hsd_key_windows *windows, const char *name, hsd_paged *referrers, hsd_error *err);

/* Likewise; once. Then sums may be asked for. */
hsd_status hsd_key_windows_second(hsd_key_windows *windows, const char *name, hsd_paged *structures, hsd_error *err);

/* Looks at what was told by the first. Then hsd_key_windows_referrer may be asked. The same failures. */
hsd_status hsd_key_windows_look(hsd_key_windows *windows, const char *name, hsd_paged *referrers, hsd_error *err);

typedef struct hsd_key_referrer {
    uint32_t name;  /* as in hsd_element.referrer */
    hsd_node owner; /* as in hsd_sequence.owners */
} hsd_key_referrer;

/* Of an object whose `referrer` is told so; objects ascend. Failures stick: hsd_key_windows_check. */
hsd_key_referrer hsd_key_windows_referrer(hsd_key_windows *windows, hsd_node object, hsd_node referrer);

/* Over the targets of a node; nodes ascend. Failures stick: hsd_key_windows_check. */
uint64_t hsd_key_windows_sum(hsd_key_windows *windows, hsd_node node);

hsd_status hsd_key_windows_check(const hsd_key_windows *windows, hsd_error *err);

#endif
