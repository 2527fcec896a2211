/*
 * The part of YAML that a configuration needs: maps, lists and texts, as a small tree that knows its lines.
 *
 * libyaml reads it, event by event. libcyaml, which stands on libyaml, was considered and left: its schemas cannot say
 * "one value or a list of them" (max_growth), its faults are lines of a log without a fix, and it would decide what a
 * number is, where a size, a percentage and a date are texts to read here.
 *
 * What YAML has beyond that is refused with its line, not guessed at: anchors and aliases (a few bytes become millions
 * of nodes), tags, a second document, keys given twice, keys that are no text. Bounds: 16 levels, 100,000 nodes, 1,000
 * keys of one map, HSD_CHECK_CONFIG_MOST bytes.
 */
#ifndef HSD_CHECK_YAML_H
#define HSD_CHECK_YAML_H

#include "check/store.h"

typedef enum hsd_yaml_kind { HSD_YAML_TEXT, HSD_YAML_LIST, HSD_YAML_MAP } hsd_yaml_kind;

typedef struct hsd_yaml_node hsd_yaml_node;
struct hsd_yaml_node {
    hsd_yaml_kind kind;
    uint32_t line;              /* from 1 */
    hsd_text text;              /* NUL-terminated behind its size */
    bool is_quoted;             /* else an empty text means that nothing was written */
    const hsd_yaml_node *first; /* of a list its items, of a map its keys (texts) */
    const hsd_yaml_node *next;  /* item or key */
    const hsd_yaml_node *value; /* of a key */
    size_t count;               /* items or keys */
};

/* Nothing but comments: *out is NULL. HSD_E_CORRUPT names line and fix; HSD_E_UNSUPPORTED: built without libyaml. */
hsd_status hsd_yaml_read(const hsd_yaml_node **out, hsd_check_store *store, const void *text, size_t size,
                         hsd_error *err);

#endif
