/*
 * Single values of a configuration, and the sentences about those that cannot be taken.
 */
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "check/amount.h"
#include "check/config.h"
#include "check/pattern.h"

static bool is_word(hsd_text text, const char *word)
{
    return strlen(word) == text.size && memcmp(word, text.data, text.size) == 0;
}

/* ---- words that were meant ---- */

#define WORD_MOST 32u

/* Levenshtein, and a swap of neighbours costs 1. */
static size_t config_value_distance(const char *a, size_t a_size, const char *b, size_t b_size)
{
    size_t rows[3][WORD_MOST + 1];
    for (size_t j = 0; j <= b_size; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_size; i++) {
        size_t *now = rows[i % 3], *above = rows[(i + 2) % 3], *higher = rows[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= b_size; j++) {
            size_t cost = above[j - 1] + (a[i - 1] != b[j - 1]);
            if (above[j] + 1 < cost) cost = above[j] + 1;
            if (now[j - 1] + 1 < cost) cost = now[j - 1] + 1;
            const bool is_swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (is_swap && higher[j - 2] + 1 < cost) cost = higher[j - 2] + 1;
            now[j] = cost;
        }
    }
    return rows[a_size % 3][b_size];
}

const char *hsd_config_nearest(hsd_text word, const char *const *names, size_t count)
{
    const char *nearest = NULL;
    size_t least = SIZE_MAX;
    if (word.size > WORD_MOST) return NULL;
    for (size_t i = 0; i < count; i++) {
        const size_t size = strlen(names[i]), steps = config_value_distance(word.data, word.size, names[i], size);
        if (steps >= least || steps > (size < 6 ? 1 : size / 3)) continue;
        least = steps;
        nearest = names[i];
    }
    return nearest;
}

void hsd_config_list(char *out, size_t capacity, const char *const *names, size_t count)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < count && used < capacity; i++)
        used += (size_t)snprintf(out + used, capacity - used, "%s%s", i > 0 ? ", " : "", names[i]);
}

static hsd_status suggest(hsd_config_reader *r, hsd_text word, const char *known, const char *const *names,
                          size_t count)
{
    char list[320];
    const char *nearest = hsd_config_nearest(word, names, count);
    hsd_config_list(list, sizeof list, names, count);
    if (nearest != NULL)
        hsd_error_set_hint(r->err, "Did you mean %s? %s: %s.", nearest, known, list);
    else
        hsd_error_set_hint(r->err, "%s: %s.", known, list);
    return HSD_E_CORRUPT;
}

/* ---- keys ---- */

static hsd_status refuse_key(hsd_config_reader *r, const hsd_yaml_node *key, const char *what, const char *const *names,
                             size_t count)
{
    hsd_fail(r->err, HSD_E_CORRUPT, "has an unknown key '%.*s' in line %u", hsd_check_shown(key->text), key->text.data,
             key->line);
    char known[64];
    snprintf(known, sizeof known, "Known keys of %s", what);
    return suggest(r, key->text, known, names, count);
}

static bool is_nothing(const hsd_yaml_node *value)
{
    return value == NULL || (value->kind == HSD_YAML_TEXT && value->text.size == 0 && !value->is_quoted);
}

static hsd_status refuse_nothing(hsd_config_reader *r, const hsd_yaml_node *key)
{
    hsd_fail(r->err, HSD_E_CORRUPT, "has no value behind '%.*s' in line %u", hsd_check_shown(key->text), key->text.data,
             key->line);
    hsd_error_set_hint(r->err, "Write one, or leave the key out.");
    return HSD_E_CORRUPT;
}

hsd_status hsd_config_keys(hsd_config_reader *r, const hsd_yaml_node *map, const char *what, const char *const *names,
                           size_t count, const hsd_yaml_node **values)
{
    for (size_t i = 0; i < count; i++)
        values[i] = NULL;
    if (map->kind != HSD_YAML_MAP) {
        char list[320];
        hsd_fail(r->err, HSD_E_CORRUPT, "has %s where the keys of %s are expected, in line %u",
                 map->kind == HSD_YAML_LIST ? "a list" : "a text", what, map->line);
        hsd_config_list(list, sizeof list, names, count);
        hsd_error_set_hint(r->err, "Write `key: value` lines; known keys: %s.", list);
        return HSD_E_CORRUPT;
    }
    for (const hsd_yaml_node *key = map->first; key != NULL; key = key->next) {
        size_t i = 0;
        while (i < count && !is_word(key->text, names[i]))
            i++;
        if (i == count) return refuse_key(r, key, what, names, count);
        if (is_nothing(key->value)) return refuse_nothing(r, key);
        values[i] = key->value;
    }
    return HSD_OK;
}

/* ---- texts ---- */

hsd_status hsd_config_text(hsd_config_reader *r, const hsd_yaml_node *node, const char *key, hsd_text *out)
{
    if (node->kind != HSD_YAML_TEXT || node->text.size == 0) {
        hsd_fail(r->err, HSD_E_CORRUPT, "has %s where '%s' needs a text, in line %u",
                 node->kind == HSD_YAML_LIST  ? "a list"
                 : node->kind == HSD_YAML_MAP ? "keys"
                                              : "an empty text",
                 key, node->line);
        hsd_error_set_hint(r->err, "Write one text; quote it if it begins with * ? [ { & ! or holds ': ' or ' #'.");
        return HSD_E_CORRUPT;
    }
    *out = node->text;
    return HSD_OK;
}

hsd_status hsd_config_word(hsd_config_reader *r, const hsd_yaml_node *node, const char *key, const char *const *words,
                           size_t count, size_t *out)
{
    hsd_text text;
    HSD_TRY(hsd_config_text(r, node, key, &text));
    for (*out = 0; *out < count; ++*out)
        if (is_word(text, words[*out])) return HSD_OK;
    hsd_fail(r->err, HSD_E_CORRUPT, "has an unknown %s '%.*s' in line %u", key, hsd_check_shown(text), text.data,
             node->line);
    return suggest(r, text, "Known ones", words, count);
}

hsd_status hsd_config_bool(hsd_config_reader *r, const hsd_yaml_node *node, const char *key, bool *out)
{
    static const char *const words[] = {"true", "false", "yes", "no"};
    size_t word;
    HSD_TRY(hsd_config_word(r, node, key, words, HSD_ARRAY_LEN(words), &word));
    *out = word % 2 == 0;
    return HSD_OK;
}

/* ---- amounts ---- */

static const char *size_hint(hsd_amount_fault fault)
{
    switch (fault) {
    case HSD_AMOUNT_TOO_LARGE: return "The largest size is 8 EiB less one byte.";
    case HSD_AMOUNT_NEGATIVE: return "Sizes begin at 0.";
    case HSD_AMOUNT_DECIMALS: return "At most 6 decimals, and none without a unit or of B: 1.5 MiB.";
    case HSD_AMOUNT_OK:
    case HSD_AMOUNT_NO_NUMBER:
    case HSD_AMOUNT_UNIT:
    case HSD_AMOUNT_REST: break;
    }
    return "Write a number and B, KiB, MiB, GiB or TiB (powers of 1,024), or KB, MB, GB or TB (of 1,000): 16 MiB.";
}

hsd_status hsd_config_size(hsd_config_reader *r, const hsd_yaml_node *node, const char *key, uint64_t *out)
{
    hsd_text text;
    HSD_TRY(hsd_config_text(r, node, key, &text));
    const hsd_amount_fault fault = hsd_amount_read_size(text, out);
    if (fault == HSD_AMOUNT_OK) return HSD_OK;
    hsd_fail(r->err, HSD_E_CORRUPT, "has '%.*s' where '%s' needs a size, in line %u", hsd_check_shown(text), text.data,
             key, node->line);
    hsd_error_set_hint(r->err, "%s", size_hint(fault));
    return HSD_E_CORRUPT;
}

/* ---- patterns and subjects ---- */

hsd_status hsd_config_pattern(hsd_config_reader *r, const hsd_yaml_node *node, const char *key, bool is_old_form,
                              hsd_text *out)
{
    hsd_pattern pattern;
    hsd_error fault;
    hsd_error_init(&fault);
    HSD_TRY(hsd_config_text(r, node, key, out));
    const hsd_status status = hsd_pattern_make(&pattern, *out, is_old_form, &fault);
    if (status == HSD_OK) {
        hsd_pattern_release(&pattern);
    } else if (status == HSD_E_CORRUPT) {
        hsd_fail(r->err, status, "has a pattern '%.*s' behind '%s' that %s, in line %u", hsd_check_shown(*out),
                 out->data, key, fault.text, node->line);
        hsd_error_set_hint(r->err, "%s", fault.hint);
    } else {
        hsd_fail(r->err, status, "%s", fault.text);
    }
    return status;
}

static hsd_status refuse_subjects(hsd_config_reader *r, uint32_t line, bool is_needed)
{
    hsd_fail(r->err, HSD_E_CORRUPT, "has %s line %u",
             is_needed ? "nothing that says of what, in" : "two of type, root, holder and site in", line);
    hsd_error_set_hint(r->err, "%s",
                       is_needed
                           ? "Write one of type:, root:, holder: and site: with a name or a pattern: type: 'CacheEntry'"
                           : "One rule looks at one of them: make two rules.");
    return HSD_E_CORRUPT;
}

hsd_status hsd_config_subject(hsd_config_reader *r, uint32_t line, const hsd_yaml_node *const values[4], bool is_needed,
                              hsd_subject *subject, hsd_text *pattern)
{
    static const char *const keys[4] = {"type", "root", "holder", "site"};
    *subject = HSD_SUBJECT_HEAP;
    for (size_t i = 0; i < 4; i++) {
        if (values[i] == NULL) continue;
        if (*subject != HSD_SUBJECT_HEAP) return refuse_subjects(r, values[i]->line, false);
        HSD_TRY(hsd_config_pattern(r, values[i], keys[i], false, pattern));
        *subject = (hsd_subject)(HSD_SUBJECT_TYPE + i);
    }
    return *subject == HSD_SUBJECT_HEAP && is_needed ? refuse_subjects(r, line, true) : HSD_OK;
}
