/*
 * The writer of JSON.
 */
#include "report/write/json_writer.h"

#include <string.h>

#include <hsdiff/status.h>

#include "base/check.h"

void hsd_json_begin(hsd_json_writer *json, hsd_out *out) { *json = (hsd_json_writer){.out = out}; }

static void break_line(hsd_json_writer *json, size_t indent)
{
    hsd_out_text(json->out, "\n");
    hsd_out_repeat(json->out, ' ', 2 * indent);
}

/* What parts a member from what stands before it in the innermost bracket. */
static void put_separator(hsd_json_writer *json)
{
    if (json->depth == 0) return;
    hsd_json_level *level = &json->levels[json->depth - 1];
    const bool is_first = !level->has_any;
    level->has_any = true;
    const bool stays = level->layout == HSD_JSON_INLINE || level->line == HSD_JSON_STAYS;
    if (level->line == HSD_JSON_BREAKS_ONCE) level->line = HSD_JSON_STAYS;
    if (stays) {
        if (!is_first) hsd_out_text(json->out, ", ");
        return;
    }
    if (!is_first) hsd_out_text(json->out, ",");
    if (!is_first || level->layout != HSD_JSON_HANGING) break_line(json, json->indent + (level->layout == HSD_JSON_DEEP));
}

static void begin_member(hsd_json_writer *json, const char *key)
{
    put_separator(json);
    if (!key) return;
    hsd_out_text(json->out, "\"");
    hsd_out_text(json->out, key);
    hsd_out_text(json->out, "\": ");
}

/* ---- brackets ---- */

static void open_level(hsd_json_writer *json, const char *key, hsd_json_layout layout, bool is_list)
{
    begin_member(json, key);
    if (json->depth == HSD_JSON_DEPTH_MOST) {
        if (json->out->status == HSD_OK) json->out->status = hsd_fail(json->out->err, HSD_E_MISUSE, "a report in JSON is nested too deeply");
        return;
    }
    json->levels[json->depth++] = (hsd_json_level){.layout = layout, .is_list = is_list};
    json->indent += layout != HSD_JSON_INLINE;
    hsd_out_text(json->out, is_list ? "[" : "{");
}

void hsd_json_open_object(hsd_json_writer *json, const char *key, hsd_json_layout layout) { open_level(json, key, layout, false); }
void hsd_json_open_list(hsd_json_writer *json, const char *key, hsd_json_layout layout) { open_level(json, key, layout, true); }

void hsd_json_close(hsd_json_writer *json)
{
    if (json->depth == 0) return;
    const hsd_json_level *level = &json->levels[--json->depth];
    json->indent -= level->layout != HSD_JSON_INLINE;
    if ((level->layout == HSD_JSON_LINES || level->layout == HSD_JSON_DEEP) && level->has_any) break_line(json, json->indent);
    hsd_out_text(json->out, level->is_list ? "]" : "}");
}

void hsd_json_one_line(hsd_json_writer *json)
{
    if (json->depth > 0) json->levels[json->depth - 1].line = HSD_JSON_BREAKS_ONCE;
}

void hsd_json_own_lines(hsd_json_writer *json)
{
    if (json->depth > 0) json->levels[json->depth - 1].line = HSD_JSON_BREAKS;
}

/* ---- values ---- */

static void put_quoted(hsd_json_writer *json, hsd_text text)
{
    hsd_out_text(json->out, "\"");
    hsd_out_escaped(json->out, HSD_ESCAPE_JSON, text);
    hsd_out_text(json->out, "\"");
}

void hsd_json_put_text(hsd_json_writer *json, const char *key, hsd_text text)
{
    begin_member(json, key);
    put_quoted(json, text);
}

void hsd_json_put_string(hsd_json_writer *json, const char *key, const char *text)
{
    hsd_json_put_text(json, key, (hsd_text){text ? text : "", text ? strlen(text) : 0});
}

void hsd_json_put_count(hsd_json_writer *json, const char *key, uint64_t value)
{
    begin_member(json, key);
    hsd_out_format(json->out, "%llu", (unsigned long long)value);
}

void hsd_json_put_signed(hsd_json_writer *json, const char *key, int64_t value)
{
    begin_member(json, key);
    hsd_out_format(json->out, "%lld", (long long)value);
}

void hsd_json_put_flag(hsd_json_writer *json, const char *key, bool value)
{
    begin_member(json, key);
    hsd_out_text(json->out, value ? "true" : "false");
}

void hsd_json_put_id(hsd_json_writer *json, const char *key, uint64_t id)
{
    begin_member(json, key);
    hsd_out_format(json->out, "\"0x%llx\"", (unsigned long long)id);
}

void hsd_json_put_millionths(hsd_json_writer *json, const char *key, uint32_t value)
{
    begin_member(json, key);
    hsd_out_format(json->out, "%lu.%06lu", (unsigned long)(value / 1000000), (unsigned long)(value % 1000000));
}

void hsd_json_put_null(hsd_json_writer *json, const char *key)
{
    begin_member(json, key);
    hsd_out_text(json->out, "null");
}

void hsd_json_put_amount(hsd_json_writer *json, const char *key, hsd_amount amount)
{
    begin_member(json, key);
    hsd_out_format(json->out, "{\"objects\": %llu, \"bytes\": %llu}", (unsigned long long)amount.objects, (unsigned long long)amount.bytes);
}

void hsd_json_put_net(hsd_json_writer *json, const char *key, int64_t objects, int64_t bytes)
{
    begin_member(json, key);
    hsd_out_format(json->out, "{\"objects\": %lld, \"bytes\": %lld}", (long long)objects, (long long)bytes);
}

void hsd_json_put_count_of(hsd_json_writer *json, hsd_text key, uint64_t value)
{
    put_separator(json);
    put_quoted(json, key);
    hsd_out_format(json->out, ": %llu", (unsigned long long)value);
}
