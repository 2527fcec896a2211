/*
 * One rule of a configuration: what it looks at, what it measures there, and how much that may grow.
 */
#include <string.h>

#include "base/buffer.h"
#include "base/check.h"
#include "check/amount.h"
#include "check/config.h"
#include "check/metric.h"

enum { NAME, TYPE, ROOT, HOLDER, SITE, EACH, METRIC, MAX_GROWTH, LEVEL, KEY_COUNT };
static const char *const rule_keys[KEY_COUNT] = {"name", "type",   "root",       "holder", "site",
                                                 "each", "metric", "max_growth", "level"};
static const char *const levels[] = {"error", "warn", "off"}; /* as hsd_check_level */

/* ---- the metric ---- */

static hsd_status refuse_metric(hsd_config_reader *r, hsd_text text, uint32_t line)
{
    const char *names[HSD_METRIC_COUNT + 1];
    char list[320];
    for (size_t i = 0; i < HSD_METRIC_COUNT; i++)
        names[i] = hsd_metrics[i].name;
    names[HSD_METRIC_COUNT] = "metric:NAME";
    hsd_config_list(list, sizeof list, names, HSD_METRIC_COUNT + 1);
    const char *nearest = hsd_config_nearest(text, names, HSD_METRIC_COUNT);
    hsd_fail(r->err, HSD_E_CORRUPT, "has an unknown metric '%.*s' in line %u", hsd_check_shown(text), text.data, line);
    if (nearest != NULL)
        hsd_error_set_hint(r->err, "Did you mean %s? Known ones: %s.", nearest, list);
    else
        hsd_error_set_hint(r->err, "Known ones: %s.", list);
    return HSD_E_CORRUPT;
}

static const char *subject_word(hsd_subject subject)
{
    static const char *const words[] = {"the whole heap", "a type", "a root", "a holder", "a site"};
    return words[subject];
}

static hsd_status refuse_pair(hsd_config_reader *r, const hsd_metric_row *metric, hsd_subject subject, uint32_t line)
{
    const char *names[HSD_METRIC_COUNT];
    size_t count = 0;
    char list[320];
    for (size_t i = 0; i < HSD_METRIC_COUNT; i++)
        if (hsd_metrics[i].subjects & (1u << subject)) names[count++] = hsd_metrics[i].name;
    hsd_config_list(list, sizeof list, names, count);
    hsd_fail(r->err, HSD_E_CORRUPT, "has the metric %s of %s in line %u, which there is not", metric->name,
             subject_word(subject), line);
    hsd_error_set_hint(r->err, "Of %s: %s.", subject_word(subject), list);
    return HSD_E_CORRUPT;
}

static hsd_status read_metric(hsd_config_reader *r, const hsd_yaml_node *node, hsd_rule *rule)
{
    hsd_text text;
    if (node == NULL && rule->subject == HSD_SUBJECT_SITE) rule->measure = HSD_MEASURE_LOST_BYTES;
    if (node == NULL) return HSD_OK; /* bytes */
    HSD_TRY(hsd_config_text(r, node, "metric", &text));
    const hsd_metric_row *metric = hsd_metric_find(text, &rule->capture_metric);
    if (metric == NULL) return refuse_metric(r, text, node->line);
    if (!(metric->subjects & (1u << rule->subject))) return refuse_pair(r, metric, rule->subject, node->line);
    rule->measure = metric->measure;
    return HSD_OK;
}

/* ---- the limits ---- */

static const char *limit_hint(hsd_amount_fault fault, bool is_bytes)
{
    switch (fault) {
    case HSD_AMOUNT_NEGATIVE: return "Limits begin at 0: nothing may be added.";
    case HSD_AMOUNT_DECIMALS:
        return "At most 6 decimals of a size, 4 of a percentage, none of a count: 1.5 MiB, 0.05 %.";
    case HSD_AMOUNT_TOO_LARGE: return "To ask for nothing, leave the rule out or set level: off.";
    case HSD_AMOUNT_OK:
    case HSD_AMOUNT_NO_NUMBER:
    case HSD_AMOUNT_UNIT:
    case HSD_AMOUNT_REST: break;
    }
    return is_bytes ? "Write a size (16 MiB), a percentage (5 %), either with `per round` behind it (64 KiB per "
                      "round), auto, or a list of these."
                    : "Write a count (500), a percentage (5 %), either with `per round` behind it (20 per round), "
                      "auto, or a list of these.";
}

static hsd_status refuse_limit(hsd_config_reader *r, const hsd_yaml_node *node, hsd_amount_fault fault, bool is_bytes)
{
    hsd_fail(r->err, HSD_E_CORRUPT, "has '%.*s' where 'max_growth' needs a limit, in line %u",
             hsd_check_shown(node->text), node->text.data, node->line);
    hsd_error_set_hint(r->err, "%s", limit_hint(fault, is_bytes));
    return HSD_E_CORRUPT;
}

static hsd_status read_limit(hsd_config_reader *r, const hsd_yaml_node *node, hsd_rule *rule)
{
    hsd_text text;
    bool has_unit;
    HSD_TRY(hsd_config_text(r, node, "max_growth", &text));
    const bool is_bytes = hsd_measure_is_bytes(rule->measure) || rule->measure == HSD_MEASURE_CAPTURE;
    const hsd_amount_fault fault = hsd_amount_read_limit(text, &rule->limits[rule->limit_count], &has_unit);
    if (fault != HSD_AMOUNT_OK) return refuse_limit(r, node, fault, is_bytes);
    if (has_unit && !is_bytes) return refuse_limit(r, node, HSD_AMOUNT_UNIT, false);
    rule->limit_count++;
    return HSD_OK;
}

static hsd_status read_limits(hsd_config_reader *r, const hsd_yaml_node *node, uint32_t line, hsd_rule *rule)
{
    if (node == NULL || (node->kind == HSD_YAML_LIST && node->count == 0)) {
        hsd_fail(r->err, HSD_E_CORRUPT, "has a rule without a limit in line %u", line);
        hsd_error_set_hint(r->err,
                           "Say how much may be added: max_growth: 16 MiB, or 5 %%, or 64 KiB per round, or 0.");
        return HSD_E_CORRUPT;
    }
    if (node->kind != HSD_YAML_LIST) return read_limit(r, node, rule);
    if (node->count > HSD_LIMITS_MOST) {
        hsd_fail(r->err, HSD_E_CORRUPT, "has %zu limits in line %u, more than %u", node->count, node->line,
                 HSD_LIMITS_MOST);
        hsd_error_set_hint(r->err, "Each of a list must hold: keep the strictest of each kind.");
        return HSD_E_CORRUPT;
    }
    for (const hsd_yaml_node *item = node->first; item != NULL; item = item->next)
        HSD_TRY(read_limit(r, item, rule));
    return HSD_OK;
}

/* ---- the rest ---- */

static hsd_status read_each(hsd_config_reader *r, const hsd_yaml_node *node, hsd_rule *rule)
{
    rule->is_each = rule->subject == HSD_SUBJECT_HOLDER;
    if (node == NULL) return HSD_OK;
    HSD_TRY(hsd_config_bool(r, node, "each", &rule->is_each));
    const bool is_of_heap = rule->subject == HSD_SUBJECT_HEAP && rule->is_each;
    if (!is_of_heap && (rule->subject != HSD_SUBJECT_HOLDER || rule->is_each)) return HSD_OK;
    hsd_fail(r->err, HSD_E_CORRUPT, "has 'each%s' in line %u in a rule about %s", is_of_heap ? "" : ": false",
             node->line, is_of_heap ? "the whole heap" : "holders");
    hsd_error_set_hint(r->err, "%s",
                       is_of_heap ? "Add what each is of: type:, root: or holder:."
                                  : "Each holder has the limit for itself; for a sum make the rule about a root.");
    return HSD_E_CORRUPT;
}

/* What the rule says, for one without a name: "Session objects", "total.bytes". */
static hsd_status append_name(const hsd_rule *rule, hsd_buffer *name, hsd_error *err)
{
    static const char *const subjects[] = {"", "", "root ", "holder ", "site "};
    const hsd_metric_row *metric = hsd_metric_of(rule->measure);
    const bool is_heap = rule->subject == HSD_SUBJECT_HEAP, is_own = rule->measure == HSD_MEASURE_CAPTURE;
    const char *before = !is_heap ? subjects[rule->subject] : is_own ? "metric:" : metric->name;
    const hsd_text middle = is_heap ? rule->capture_metric : rule->pattern;
    if (rule->is_each && rule->subject != HSD_SUBJECT_HOLDER) HSD_TRY(hsd_buffer_append(name, "each ", 5, err));
    HSD_TRY(hsd_buffer_append(name, before, strlen(before), err));
    HSD_TRY(hsd_buffer_append(name, middle.data, middle.size, err));
    if (is_heap) return HSD_OK;
    HSD_TRY(hsd_buffer_append(name, " ", 1, err));
    return hsd_buffer_append(name, metric->of_rows, strlen(metric->of_rows), err);
}

static hsd_status name_rule(hsd_config_reader *r, hsd_rule *rule)
{
    hsd_buffer name = {0};
    hsd_status status = append_name(rule, &name, r->err);
    const hsd_text text = {(const char *)name.data, name.size};
    if (status == HSD_OK) status = hsd_check_copy(r->store, text, &rule->name, r->err);
    hsd_buffer_release(&name);
    return status;
}

static hsd_status read_name(hsd_config_reader *r, const hsd_yaml_node *node, hsd_rule *rule)
{
    if (node == NULL) return name_rule(r, rule);
    HSD_TRY(hsd_config_text(r, node, "name", &rule->name));
    if (rule->name.size <= HSD_METRIC_NAME_MOST) return HSD_OK;
    hsd_fail(r->err, HSD_E_CORRUPT, "has a name of %zu bytes in line %u", rule->name.size, node->line);
    hsd_error_set_hint(r->err, "Keep names below %u bytes; comments say the rest.", HSD_METRIC_NAME_MOST);
    return HSD_E_CORRUPT;
}

static hsd_status read_level(hsd_config_reader *r, const hsd_yaml_node *node, hsd_rule *rule)
{
    size_t level = HSD_LEVEL_ERROR;
    if (node != NULL) HSD_TRY(hsd_config_word(r, node, "level", levels, HSD_ARRAY_LEN(levels), &level));
    rule->level = (hsd_check_level)level;
    return HSD_OK;
}

hsd_status hsd_config_read_rule(hsd_config_reader *r, const hsd_yaml_node *node, hsd_rule *rule)
{
    const hsd_yaml_node *values[KEY_COUNT];
    HSD_TRY(hsd_config_keys(r, node, "a rule", rule_keys, KEY_COUNT, values));
    rule->line = node->line;
    HSD_TRY(hsd_config_subject(r, node->line, &values[TYPE], false, &rule->subject, &rule->pattern));
    HSD_TRY(read_each(r, values[EACH], rule));
    HSD_TRY(read_metric(r, values[METRIC], rule));
    HSD_TRY(read_limits(r, values[MAX_GROWTH], node->line, rule));
    HSD_TRY(read_level(r, values[LEVEL], rule));
    return read_name(r, values[NAME], rule);
}
