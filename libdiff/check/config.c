/*
 * A configuration as a whole: `check:`, `rules:` and `allow:`.
 */
#include "check/config.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "check/amount.h"
#include "check/built_in.h"

/* ---- lists ---- */

static hsd_status expect_list(hsd_config_reader *r, const hsd_yaml_node *node, const char *key, const char *example)
{
    if (node->kind == HSD_YAML_LIST && node->count <= HSD_CONFIG_RULES_MOST) return HSD_OK;
    if (node->kind == HSD_YAML_LIST) {
        hsd_fail(r->err, HSD_E_CORRUPT, "has %zu items behind '%s' in line %u, more than 1,000", node->count, key,
                 node->line);
        hsd_error_set_hint(r->err, "A pattern covers many names: type: 'com.x.*Cache'");
    } else {
        hsd_fail(r->err, HSD_E_CORRUPT, "has no list behind '%s' in line %u", key, node->line);
        hsd_error_set_hint(r->err, "Begin each item with `- `: %s", example);
    }
    return HSD_E_CORRUPT;
}

/* ---- check: ---- */

enum { IGNORE, MIN, WARMUP, ONE_OFF, CHECK_KEY_COUNT };
static const char *const check_keys[CHECK_KEY_COUNT] = {"ignore", "min", "warmup", "one_off"};

static hsd_status read_ignore(hsd_config_reader *r, const hsd_yaml_node *node)
{
    hsd_check_config *config = r->config;
    void *items;
    if (node->kind != HSD_YAML_TEXT) HSD_TRY(expect_list(r, node, "ignore", "- 'luv.timer*'"));
    const hsd_yaml_node *item = node->kind == HSD_YAML_TEXT ? node : node->first;
    HSD_TRY(hsd_check_take(r->store, node->kind == HSD_YAML_TEXT ? 1 : node->count, sizeof *config->ignore, &items,
                           r->err));
    config->ignore = items;
    for (; item != NULL; item = item->next) {
        HSD_TRY(hsd_config_pattern(r, item, "ignore", true, &config->ignore[config->ignore_count]));
        config->ignore_count++;
        if (item == node) break; /* `next` of a lone value is that of another list */
    }
    return HSD_OK;
}

static hsd_status read_warmup(hsd_config_reader *r, const hsd_yaml_node *node)
{
    hsd_text text;
    HSD_TRY(hsd_config_text(r, node, "warmup", &text));
    r->config->has_warmup = hsd_amount_read_count(text, &r->config->warmup) == HSD_AMOUNT_OK;
    if (r->config->has_warmup) return HSD_OK;
    hsd_fail(r->err, HSD_E_CORRUPT, "has '%.*s' where 'warmup' needs a count, in line %u", hsd_check_shown(text),
             text.data, node->line);
    hsd_error_set_hint(r->err, "Write how many captures at the start are left out, 0 to 999,999: warmup: 1");
    return HSD_E_CORRUPT;
}

static hsd_status read_check(hsd_config_reader *r, const hsd_yaml_node *node)
{
    const hsd_yaml_node *values[CHECK_KEY_COUNT];
    HSD_TRY(hsd_config_keys(r, node, "check", check_keys, CHECK_KEY_COUNT, values));
    if (values[IGNORE] != NULL) HSD_TRY(read_ignore(r, values[IGNORE]));
    if (values[MIN] != NULL) HSD_TRY(hsd_config_size(r, values[MIN], "min", &r->config->min_bytes));
    r->config->has_min = values[MIN] != NULL;
    if (values[WARMUP] != NULL) HSD_TRY(read_warmup(r, values[WARMUP]));
    return values[ONE_OFF] != NULL ? hsd_config_size(r, values[ONE_OFF], "one_off", &r->config->one_off_bytes) : HSD_OK;
}

/* ---- allow: ---- */

enum { TYPE, ROOT, HOLDER, SITE, REASON, UP_TO, UNTIL, ALLOW_KEY_COUNT };
static const char *const allow_keys[ALLOW_KEY_COUNT] = {"type", "root", "holder", "site", "reason", "up_to", "until"};

static hsd_status read_until(hsd_config_reader *r, const hsd_yaml_node *node, int32_t *day)
{
    hsd_text text;
    HSD_TRY(hsd_config_text(r, node, "until", &text));
    if (hsd_amount_read_day(text, day)) return HSD_OK;
    hsd_fail(r->err, HSD_E_CORRUPT, "has '%.*s' where 'until' needs a day, in line %u", hsd_check_shown(text),
             text.data, node->line);
    hsd_error_set_hint(r->err, "Write year, month and day of one that exists: until: 2027-03-31");
    return HSD_E_CORRUPT;
}

static hsd_status read_allowance(hsd_config_reader *r, const hsd_yaml_node *node, hsd_allowance *allowance)
{
    const hsd_yaml_node *values[ALLOW_KEY_COUNT];
    HSD_TRY(hsd_config_keys(r, node, "an allowance", allow_keys, ALLOW_KEY_COUNT, values));
    *allowance = (hsd_allowance){.up_to_bytes = UINT64_MAX, .until_day = INT32_MAX, .line = node->line};
    HSD_TRY(hsd_config_subject(r, node->line, values, true, &allowance->subject, &allowance->pattern));
    if (values[REASON] == NULL) {
        hsd_fail(r->err, HSD_E_CORRUPT, "has growth that is allowed without a reason, in line %u", node->line);
        hsd_error_set_hint(r->err,
                           "Say why, for those who read it later: reason: filled on the first request, never evicted");
        return HSD_E_CORRUPT;
    }
    HSD_TRY(hsd_config_text(r, values[REASON], "reason", &allowance->reason));
    if (values[UP_TO] != NULL) HSD_TRY(hsd_config_size(r, values[UP_TO], "up_to", &allowance->up_to_bytes));
    return values[UNTIL] != NULL ? read_until(r, values[UNTIL], &allowance->until_day) : HSD_OK;
}

static hsd_status read_allow(hsd_config_reader *r, const hsd_yaml_node *node)
{
    void *items;
    HSD_TRY(expect_list(r, node, "allow", "- type: CacheEntry"));
    HSD_TRY(hsd_check_take(r->store, node->count, sizeof *r->config->allow, &items, r->err));
    r->config->allow = items;
    for (const hsd_yaml_node *item = node->first; item != NULL; item = item->next)
        HSD_TRY(read_allowance(r, item, &r->config->allow[r->config->allow_count++]));
    return HSD_OK;
}

/* ---- rules: ---- */

static hsd_status check_name(hsd_config_reader *r, const hsd_rule *rule)
{
    for (const hsd_rule *other = r->config->rules; other < rule; other++) {
        if (!hsd_check_is_same(other->name, rule->name)) continue;
        hsd_fail(r->err, HSD_E_CORRUPT, "has two rules called '%.*s', in lines %u and %u", hsd_check_shown(rule->name),
                 rule->name.data, other->line, rule->line);
        hsd_error_set_hint(r->err, "Build servers tell rules apart by name: give one of them another, name: ….");
        return HSD_E_CORRUPT;
    }
    return HSD_OK;
}

static hsd_status read_rules(hsd_config_reader *r, const hsd_yaml_node *node)
{
    void *items;
    HSD_TRY(expect_list(r, node, "rules", "- name: whole heap"));
    if (node->count == 0) {
        hsd_fail(r->err, HSD_E_CORRUPT, "has no rule behind 'rules' in line %u", node->line);
        hsd_error_set_hint(r->err, "Add one (hsdiff check --init writes a first file), or leave `rules:` out: then the "
                                   "built-in ones hold.");
        return HSD_E_CORRUPT;
    }
    HSD_TRY(hsd_check_take(r->store, node->count, sizeof *r->config->rules, &items, r->err));
    r->config->rules = items;
    for (const hsd_yaml_node *item = node->first; item != NULL; item = item->next) {
        hsd_rule *rule = &r->config->rules[r->config->rule_count];
        HSD_TRY(hsd_config_read_rule(r, item, rule));
        HSD_TRY(check_name(r, rule));
        r->config->rule_count++;
    }
    return HSD_OK;
}

/* ---- the whole ---- */

enum { CHECK, RULES, ALLOW, TOP_KEY_COUNT };
static const char *const top_keys[TOP_KEY_COUNT] = {"check", "rules", "allow"};

static hsd_status read_top(hsd_config_reader *r, const hsd_yaml_node *node)
{
    const hsd_yaml_node *values[TOP_KEY_COUNT];
    if (node == NULL || (node->kind == HSD_YAML_TEXT && node->text.size == 0 && !node->is_quoted)) return HSD_OK;
    HSD_TRY(hsd_config_keys(r, node, "a configuration", top_keys, TOP_KEY_COUNT, values));
    if (values[CHECK] != NULL) HSD_TRY(read_check(r, values[CHECK]));
    if (values[RULES] != NULL) HSD_TRY(read_rules(r, values[RULES]));
    return values[ALLOW] != NULL ? read_allow(r, values[ALLOW]) : HSD_OK;
}

static hsd_status new_config(hsd_config_reader *r, const char *name)
{
    void *config;
    HSD_TRY(hsd_check_take(r->store, 1, sizeof *r->config, &config, r->err));
    r->config = config;
    r->config->store = r->store;
    r->config->one_off_bytes = UINT64_MAX;
    return hsd_check_copy(r->store, (hsd_text){name, strlen(name)}, &r->config->name, r->err);
}

static hsd_status read_whole_check_config(hsd_config_reader *r, const void *text, size_t size, const char *name)
{
    const hsd_yaml_node *root;
    HSD_TRY(new_config(r, name));
    if (size > HSD_CHECK_CONFIG_MOST) {
        hsd_fail(r->err, HSD_E_CORRUPT, "is larger than 1 MiB");
        hsd_error_set_hint(r->err, "Is it a configuration? hsdiff check --init writes a first one.");
        return HSD_E_CORRUPT;
    }
    HSD_TRY(hsd_yaml_read(&root, r->store, text, size, r->err));
    return read_top(r, root);
}

hsd_status hsd_check_config_read(hsd_check_config **out, const void *text, size_t size, const char *name,
                                 hsd_error *err)
{
    hsd_config_reader r = {.err = err};
    *out = NULL;
    HSD_TRY(hsd_check_store_new(&r.store, err));
    const hsd_status status = read_whole_check_config(&r, text, size, name);
    if (status != HSD_OK) {
        hsd_check_store_free(r.store);
        hsd_error_set_file(err, name);
        return status;
    }
    *out = r.config;
    return HSD_OK;
}

hsd_status hsd_check_config_default(hsd_check_config **out, bool is_series, hsd_error *err)
{
    hsd_config_reader r = {.err = err};
    *out = NULL;
    HSD_TRY(hsd_check_store_new(&r.store, err));
    hsd_status status = new_config(&r, "built-in rules");
    if (status == HSD_OK) status = hsd_built_in_fill(r.config, is_series, err);
    if (status != HSD_OK) {
        hsd_check_store_free(r.store);
        return status;
    }
    *out = r.config;
    return HSD_OK;
}

void hsd_check_config_free(hsd_check_config *config)
{
    if (config != NULL) hsd_check_store_free(config->store);
}

hsd_status hsd_check_warmup(const hsd_check_config *config, size_t count, uint32_t *out, hsd_error *err)
{
    *out = config->has_warmup ? config->warmup : count >= 4;
    if (count >= 2 && *out <= count - 2) return HSD_OK;
    hsd_fail(err, HSD_E_CORRUPT, "has a warmup of %u captures, and there %s %zu: two at least must be left", *out,
             count == 1 ? "is" : "are", count);
    hsd_error_set_hint(err, "Take more captures, or set warmup: to less.");
    if (err != NULL) hsd_error_set_file(err, config->name.data);
    return HSD_E_CORRUPT;
}
