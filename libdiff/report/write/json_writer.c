/*
 * The writer of JSON.
 */
#include "report/write/json_writer.h"

#include <string.h>

#include <hsdiff/status.h>

#include "base/check.h"

#define KEY_MOST    64u /* of ours */
#define DIGITS_MOST 20u

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
    if (!is_first || level->layout != HSD_JSON_HANGING)
        break_line(json, json->indent + (level->layout == HSD_JSON_DEEP));
}

/* `"key": ` in one piece: a report has millions of them. */
static void begin_member(hsd_json_writer *json, const char *key)
{
    char piece[KEY_MOST + 4];
    put_separator(json);
    if (!key) return;
    const size_t size = strnlen(key, KEY_MOST);
    piece[0] = '"';
    memcpy(piece + 1, key, size);
    memcpy(piece + 1 + size, "\": ", 3);
    hsd_out_bytes(json->out, piece, size + 4);
}

/* Digits at the end of the room; returns where they begin. */
static char *write_digits(char room[DIGITS_MOST], uint64_t value)
{
    char *at = room + DIGITS_MOST;
    do {
        *--at = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    return at;
}

static void put_digits(hsd_json_writer *json, uint64_t value)
{
    char room[DIGITS_MOST];
    const char *digits = write_digits(room, value);
    hsd_out_bytes(json->out, digits, (size_t)(room + DIGITS_MOST - digits));
}

static void put_number(hsd_json_writer *json, int64_t value)
{
    if (value < 0) hsd_out_text(json->out, "-");
    put_digits(json, value < 0 ? (uint64_t)0 - (uint64_t)value : (uint64_t)value);
}

/* ---- brackets ---- */

static void open_level(hsd_json_writer *json, const char *key, hsd_json_layout layout, bool is_list)
{
    begin_member(json, key);
    if (json->depth == HSD_JSON_DEPTH_MOST) {
        if (json->out->status == HSD_OK)
            json->out->status = hsd_fail(json->out->err, HSD_E_MISUSE, "a report in JSON is nested too deeply");
        return;
    }
    json->levels[json->depth++] = (hsd_json_level){.layout = layout, .is_list = is_list};
    json->indent += layout != HSD_JSON_INLINE;
    hsd_out_text(json->out, is_list ? "[" : "{");
}

void hsd_json_open_object(hsd_json_writer *json, const char *key, hsd_json_layout layout)
{
    open_level(json, key, layout, false);
}
void hsd_json_open_list(hsd_json_writer *json, const char *key, hsd_json_layout layout)
{
    open_level(json, key, layout, true);
}

void hsd_json_close(hsd_json_writer *json)
{
    if (json->depth == 0) return;
    const hsd_json_level *level = &json->levels[--json->depth];
    json->indent -= level->layout != HSD_JSON_INLINE;
    if ((level->layout == HSD_JSON_LINES || level->layout == HSD_JSON_DEEP) && level->has_any)
        break_line(json, json->indent);
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
    put_digits(json, value);
}

void hsd_json_put_signed(hsd_json_writer *json, const char *key, int64_t value)
{
    begin_member(json, key);
    put_number(json, value);
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
    hsd_out_text(json->out, "{\"objects\": ");
    put_digits(json, amount.objects);
    hsd_out_text(json->out, ", \"bytes\": ");
    put_digits(json, amount.bytes);
    hsd_out_text(json->out, "}");
}

void hsd_json_put_net(hsd_json_writer *json, const char *key, int64_t objects, int64_t bytes)
{
    begin_member(json, key);
    hsd_out_text(json->out, "{\"objects\": ");
    put_number(json, objects);
    hsd_out_text(json->out, ", \"bytes\": ");
    put_number(json, bytes);
    hsd_out_text(json->out, "}");
}

void hsd_json_put_count_of(hsd_json_writer *json, hsd_text key, uint64_t value)
{
    put_separator(json);
    put_quoted(json, key);
    hsd_out_text(json->out, ": ");
    put_digits(json, value);
}
