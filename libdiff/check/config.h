/*
 * From the tree of a file to rules. One table for each kind of map says which keys it knows; a reader takes the values
 * in the order in which they explain each other (the metric before its limits), whatever their order in the file.
 *
 *      yaml.c ──nodes──► config.c: top level, check:, allow:, rules: ──► config_rule.c: one rule
 *                            └─ config_values.c: keys, texts, amounts, patterns, and what is said of bad ones
 *
 * Every fault is HSD_E_CORRUPT; err->text follows the name of the file ("has an unknown key 'max_grow' in line 7"),
 * and the hint is the fix.
 */
#ifndef HSD_CHECK_CONFIG_H
#define HSD_CHECK_CONFIG_H

#include "check/yaml.h"

typedef struct hsd_config_reader {
    hsd_check_config *config;
    hsd_check_store *store;
    hsd_error *err;
} hsd_config_reader;

#define HSD_CONFIG_RULES_MOST 1000u /* of rules, allowances and ignored types each */

/* One rule; `node` is the item of `rules:`. */
hsd_status hsd_config_read_rule(hsd_config_reader *r, const hsd_yaml_node *node, hsd_rule *rule);

/* ---- values ---- */

/*
 * The values of a map by key: values[i] is that of names[i], NULL if it is not there. `what` names the map ("a rule").
 * Unknown keys are refused with the nearest known one, and so are keys without a value.
 */
hsd_status hsd_config_keys(hsd_config_reader *r, const hsd_yaml_node *map, const char *what, const char *const *names,
                           size_t count, const hsd_yaml_node **values);

/* A text that is not empty. */
hsd_status hsd_config_text(hsd_config_reader *r, const hsd_yaml_node *node, const char *key, hsd_text *out);

hsd_status hsd_config_bool(hsd_config_reader *r, const hsd_yaml_node *node, const char *key, bool *out);

/* A text that is one of `words`: its number. */
hsd_status hsd_config_word(hsd_config_reader *r, const hsd_yaml_node *node, const char *key, const char *const *words,
                           size_t count, size_t *out);

hsd_status hsd_config_size(hsd_config_reader *r, const hsd_yaml_node *node, const char *key, uint64_t *out);

/* A pattern that compiles; the text is kept as written. */
hsd_status hsd_config_pattern(hsd_config_reader *r, const hsd_yaml_node *node, const char *key, bool is_old_form,
                              hsd_text *out);

/*
 * The subject from the values of `type`, `root`, `holder` and `site`, of which one may be there (`is_needed`: must be).
 * HEAP: none.
 */
hsd_status hsd_config_subject(hsd_config_reader *r, uint32_t line, const hsd_yaml_node *const values[4], bool is_needed,
                              hsd_subject *subject, hsd_text *pattern);

/* " (did you mean max_growth?)" and the like: the nearest of `names`, or NULL when none is near. */
const char *hsd_config_nearest(hsd_text word, const char *const *names, size_t count);

/* "type, root, holder". */
void hsd_config_list(char *out, size_t capacity, const char *const *names, size_t count);

#endif
