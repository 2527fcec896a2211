/*
 * Pieces of JSON: strings escaped, numbers exact, null for what is not known.
 */
#include "report/json_pieces.h"

#include <string.h>

void hsd_json_string(hsd_out *out, const char *key, hsd_text text)
{
    hsd_out_format(out, "%s\"", key);
    hsd_out_escaped(out, HSD_ESCAPE_JSON, text);
    hsd_out_text(out, "\"");
}

void hsd_json_text(hsd_out *out, const char *key, const char *text)
{
    hsd_json_string(out, key, (hsd_text){text ? text : "", text ? strlen(text) : 0});
}

void hsd_json_count(hsd_out *out, const char *key, uint64_t value)
{
    hsd_out_format(out, "%s%llu", key, (unsigned long long)value);
}

void hsd_json_signed(hsd_out *out, const char *key, int64_t value)
{
    hsd_out_format(out, "%s%lld", key, (long long)value);
}

void hsd_json_bool(hsd_out *out, const char *key, bool value)
{
    hsd_out_format(out, "%s%s", key, value ? "true" : "false");
}

void hsd_json_id(hsd_out *out, const char *key, uint64_t id)
{
    hsd_out_format(out, "%s\"0x%llx\"", key, (unsigned long long)id);
}

void hsd_json_amount(hsd_out *out, const char *key, hsd_amount amount)
{
    hsd_out_format(out, "%s{\"objects\": %llu, \"bytes\": %llu}", key,
                   (unsigned long long)amount.objects, (unsigned long long)amount.bytes);
}

void hsd_json_known(hsd_out *out, bool is_known, const char *key, hsd_amount amount)
{
    if (is_known)
        hsd_json_amount(out, key, amount);
    else
        hsd_out_format(out, "%snull", key);
}

void hsd_json_external(hsd_out *out, uint64_t before, uint64_t after)
{
    if (before == 0 && after == 0) return;
    hsd_json_count(out, ", \"external\": {\"before\": ", before);
    hsd_json_count(out, ", \"after\": ", after);
    hsd_out_text(out, "}");
}

void hsd_json_texts(hsd_out *out, const char *key, const hsd_text *texts, size_t count)
{
    hsd_out_format(out, "%s[", key);
    for (size_t i = 0; i < count; i++)
        hsd_json_string(out, i > 0 ? ", " : "", texts[i]);
    hsd_out_text(out, "]");
}

/* ---- paths and roots ---- */

static const char *root_kind_word(uint32_t kind)
{
    static const char *const words[] = {"unknown",   "global",  "static",  "stack",
                                        "thread",    "handle",  "class",   "interned",
                                        "finalizer", "monitor", "runtime", "register"};
    return words[kind < sizeof words / sizeof words[0] ? kind : 0];
}

void hsd_json_root_kind(hsd_out *out, const char *key, uint32_t kind)
{
    hsd_json_text(out, key, root_kind_word(kind));
}

void hsd_json_steps(hsd_out *out, const char *key, const hsd_step *steps, size_t count)
{
    hsd_out_format(out, "%s[", key);
    for (size_t i = 0; i < count; i++) {
        hsd_json_string(out, i > 0 ? ", {\"edge\": " : "{\"edge\": ", steps[i].edge);
        hsd_json_string(out, ", \"type\": ", steps[i].type);
        if (steps[i].name.size > 0) hsd_json_string(out, ", \"name\": ", steps[i].name);
        if (steps[i].repeat > 1) hsd_json_count(out, ", \"repeat\": ", steps[i].repeat);
        hsd_out_text(out, "}");
    }
    hsd_out_text(out, "]");
}

/* ---- captures ---- */

static const char *identity_word(hsd_identity identity)
{
    switch (identity) {
    case HSD_IDENTITY_EXACT: return "exact";
    case HSD_IDENTITY_ADDRESS: return "address";
    case HSD_IDENTITY_MOVING: return "moving";
    case HSD_IDENTITY_NONE: break;
    }
    return "none";
}

static bool is_known(const uint8_t id[16])
{
    for (size_t i = 0; i < 16; i++)
        if (id[i] != 0) return true;
    return false;
}

/* What a capture does not know is left out. */
static void put_process(hsd_out *out, const hsd_capture_info *info)
{
    char time[HSD_NUMBER_CHARS], domain[HSD_HEX_CHARS];
    if (info->process_name && info->process_name[0])
        hsd_json_text(out, ", \"process\": ", info->process_name);
    if (info->pid > 0) hsd_json_count(out, ", \"pid\": ", info->pid);
    if (info->started_unix_ns > 0)
        hsd_json_text(out, ", \"started\": ", hsd_format_time(time, info->started_unix_ns));
    if (info->taken_unix_ns > 0)
        hsd_json_text(out, ", \"taken\": ", hsd_format_time(time, info->taken_unix_ns));
    if (is_known(info->domain)) hsd_json_text(out, ", \"domain\": ", hsd_format_hex(domain, info->domain));
}

static void put_digest(hsd_out *out, const hsd_capture_info *info)
{
    char digits[HSD_HEX_CHARS];
    if (info->has_digest)
        hsd_json_text(out, ", \"digest\": ", hsd_format_hex(digits, info->digest));
    else
        hsd_out_text(out, ", \"digest\": null");
}

/* {"process.rss": 64172032}: by name, in the unit that FORMAT.md gives it. */
static void put_metrics(hsd_out *out, const hsd_side *side)
{
    for (size_t i = 0; i < side->metric_count; i++) {
        hsd_json_string(out, i == 0 ? ", \"metrics\": {" : ", ", side->metrics[i].name);
        hsd_json_count(out, ": ", side->metrics[i].value);
    }
    if (side->metric_count > 0) hsd_out_text(out, "}");
}

void hsd_json_side_fields(hsd_out *out, const char *key, const hsd_side *side, bool has_soft)
{
    const hsd_capture_info *info = &side->info;
    const bool is_foreign = info->source_format && info->source_format[0];
    hsd_json_text(out, key, info->path);
    hsd_json_text(out, ", \"runtime\": ", info->runtime);
    hsd_json_text(out, ", \"format\": ", is_foreign ? info->source_format : "hs");
    put_digest(out, info);
    hsd_json_bool(out, ", \"complete\": ", info->is_complete);
    if (!info->is_complete)
        hsd_json_text(out, ", \"incomplete_reason\": ", info->incomplete_reason);
    hsd_json_text(out, ", \"identity\": ", identity_word(info->identity));
    put_process(out, info);
    hsd_json_count(out, ", \"objects\": ", side->live.objects);
    hsd_json_count(out, ", \"bytes\": ", side->live.bytes);
    hsd_json_amount(out, ", \"unreached\": ", side->unreached);
    hsd_json_known(out, has_soft, ", \"soft\": ", side->soft);
    hsd_json_bool(out, ", \"has_roots\": ", side->has_roots);
    hsd_json_bool(out, ", \"has_references\": ", side->has_references);
    hsd_json_count(out, ", \"dangling_references\": ", side->dangling);
    hsd_json_count(out, ", \"lost\": ", info->lost);
    hsd_json_count(out, ", \"damaged_blocks\": ", info->damaged_blocks);
    put_metrics(out, side);
}

void hsd_json_side(hsd_out *out, const hsd_side *side, bool has_soft)
{
    hsd_json_side_fields(out, "    {\"path\": ", side, has_soft);
    hsd_out_text(out, "}");
}
