/*
 * The foot of the text report: what the tables do not count, how sure the matching is (match.c), and commands
 * to go on with, ready to be copied.
 */
#include <string.h>

#include <hscapture/hscapture.h>

#include "report/model/lost_rows.h"
#include "report/model/rank.h"
#include "report/text/table.h"
#include "report/text/text.h"

static void add_amount(hsd_amount *to, hsd_amount amount)
{
    to->objects += amount.objects;
    to->bytes += amount.bytes;
}

/* True if there was something to say. */
static bool print_unreached(hsd_screen *screen)
{
    const hsd_amount before = screen->diff->unreached_before, after = screen->diff->unreached_after;
    char a[HSD_NUMBER_CHARS], b[HSD_NUMBER_CHARS], c[HSD_NUMBER_CHARS], d[HSD_NUMBER_CHARS];
    if ((before.objects == 0 && after.objects == 0) || hsd_lost_matters(screen->diff, screen->noise_bytes))
        return false;
    if (hsd_uncollected_matters(screen->diff, screen->noise_bytes)) return false;
    hsd_out_begin_paragraph(&screen->out);
    hsd_out_format(&screen->out, "%s, not counted: %s -> %s (%s -> %s objects).",
                   screen->diff->lost.is_known ? "Lost" : "Unreached", hsd_screen_size(screen, a, before.bytes),
                   hsd_screen_size(screen, b, after.bytes), hsd_format_count(c, before.objects),
                   hsd_format_count(d, after.objects));
    hsd_out_end_paragraph(&screen->out, 0);
    return true;
}

static bool print_soft(hsd_screen *screen)
{
    const hsd_amount before = screen->diff->before.soft, after = screen->diff->after.soft;
    char a[HSD_NUMBER_CHARS], b[HSD_NUMBER_CHARS], c[HSD_NUMBER_CHARS], d[HSD_NUMBER_CHARS];
    if (before.objects == 0 && after.objects == 0) return false;
    hsd_out_begin_paragraph(&screen->out);
    hsd_out_format(&screen->out, "Softly held, counted: %s -> %s (%s -> %s objects), ",
                   hsd_screen_size(screen, a, before.bytes), hsd_screen_size(screen, b, after.bytes),
                   hsd_format_count(c, before.objects), hsd_format_count(d, after.objects));
    hsd_out_text(&screen->out, "which the runtime lets go when memory runs short.");
    hsd_out_end_paragraph(&screen->out, 0);
    return true;
}

/* What nothing but a finalizer keeps: it would be gone, and comes back to life for it. */
static bool print_finalized(hsd_screen *screen)
{
    hsd_amount before = {0, 0}, after = {0, 0};
    char a[HSD_NUMBER_CHARS], b[HSD_NUMBER_CHARS], c[HSD_NUMBER_CHARS], d[HSD_NUMBER_CHARS];
    for (size_t i = 0; i < screen->diff->root_count; i++) {
        const hsd_root_row *root = &screen->diff->roots[i];
        if (root->kind != HSC_ROOT_FINALIZER) continue;
        add_amount(&before, root->live.before);
        add_amount(&after, root->live.after);
    }
    if (before.objects == 0 && after.objects == 0) return false;
    hsd_out_begin_paragraph(&screen->out);
    hsd_out_format(&screen->out, "Kept for finalizers alone, counted: %s -> %s (%s -> %s objects).",
                   hsd_screen_size(screen, a, before.bytes), hsd_screen_size(screen, b, after.bytes),
                   hsd_format_count(c, before.objects), hsd_format_count(d, after.objects));
    hsd_out_end_paragraph(&screen->out, 0);
    return true;
}

/* ---- what to type next ---- */

#define SUGGESTIONS_MAX 5
#define LINE_COLUMNS    80
#define SHORT_NAMES     24 /* of both inputs together: room for a command and its reason on one line */

#define SHORT_TYPE 28 /* of the input after and a type */

typedef struct suggestions {
    hsd_screen *screen;
    hsd_table table; /* "Next:", the command, what it is good for */
    hsd_buffer line;
    bool is_stacked; /* commands that are too long for one line have it above them */
} suggestions;

static void add_text(suggestions *next, const char *text)
{
    hsd_out *out = &next->screen->out;
    if (out->status == HSD_OK) out->status = hsd_buffer_append(&next->line, text, strlen(text), out->err);
}

/* A blank and a word, quoted for the shell. */
static void add_quoted(suggestions *next, hsd_text word)
{
    hsd_out *out = &next->screen->out;
    add_text(next, " ");
    if (out->status == HSD_OK)
        out->status = hsd_escape_append(&next->line, HSD_ESCAPE_SHELL, word.data, word.size, out->err);
}

static void add_word(suggestions *next, const char *word) { add_quoted(next, (hsd_text){word, strlen(word)}); }

static void put_cell(suggestions *next, size_t column, const char *text, size_t size)
{
    hsd_out *out = &next->screen->out;
    if (out->status == HSD_OK) out->status = hsd_table_put(&next->table, column, text, size, HSD_PAINT_NONE, out->err);
}

static void end_line(suggestions *next, const char *why)
{
    const char *const lead = next->table.rows == 0 ? "Next:" : "";
    const char *command = (const char *)next->line.data;
    hsd_table_add_row(&next->table);
    put_cell(next, 0, lead, strlen(lead));
    if (next->is_stacked) {
        put_cell(next, 1, why, strlen(why));
        hsd_table_add_row(&next->table);
        put_cell(next, 1, command, next->line.size);
    } else {
        put_cell(next, 1, command, next->line.size);
        put_cell(next, 2, why, strlen(why));
    }
    hsd_buffer_clear(&next->line);
}

static void suggest_again(suggestions *next, const char *options, const char *why)
{
    add_text(next, "hsdiff");
    add_word(next, next->screen->options->before_command);
    add_word(next, next->screen->options->after_command);
    if (options[0]) add_text(next, " ");
    add_text(next, options);
    end_line(next, why);
}

static bool suggest_import(suggestions *next, bool is_foreign, const char *input, const char *output)
{
    if (!is_foreign || strcmp(input, "-") == 0) return false;
    add_text(next, "hsdiff import");
    add_word(next, input);
    add_text(next, " -o ");
    add_text(next, output);
    end_line(next, "to read the dump only once");
    return true;
}

/*
 * The type of which the place that holds most got most, where that is worth a row; none where its name could be taken
 * for an option.
 */
static const hsd_type_growth *type_to_follow(const hsd_screen *screen)
{
    const hsd_diff *diff = screen->diff;
    if (!diff->has_holders || diff->holder_count == 0 || diff->holders[0].is_code || diff->holders[0].type_count == 0 ||
        diff->holders[0].growth_bytes < (int64_t)screen->noise_bytes ||
        strcmp(screen->options->after_command, "-") == 0)
        return NULL;
    const hsd_type_growth *type = &diff->holders[0].types[0];
    const bool is_word = type->type.size > 0 && type->type.data[0] != '-';
    return type->net_bytes > 0 && is_word ? type : NULL;
}

static void suggest_paths(suggestions *next)
{
    const hsd_type_growth *type = type_to_follow(next->screen);
    if (!type) return;
    add_text(next, "hsdiff paths");
    add_word(next, next->screen->options->after_command);
    add_quoted(next, type->type);
    end_line(next, "how these are reached");
}

static void suggest(suggestions *next, bool folded)
{
    const hsd_report_options *options = next->screen->options;
    const hsd_diff *diff = next->screen->diff;
    if (diff->is_summary && !diff->is_of_totals) {
        suggest_again(next, "", "which roots hold it");
        return;
    }
    if (!options->html_path) suggest_again(next, "--html growth.html", "to look closer or share");
    suggest_paths(next);
    if (folded) suggest_again(next, "--top all", "every type and root");
    if (diff->identity_is_known && !diff->is_partial)
        suggest_again(next, "--objects changed.csv", "each object that came or went");
    if (!suggest_import(next, options->before_is_foreign, options->before_command, "before.hs"))
        suggest_import(next, options->after_is_foreign, options->after_command, "after.hs");
}

/* Objects are known one by one, and none of them changed: there is nothing to look closer at. */
static bool is_settled(const hsd_diff *diff)
{
    return diff->identity_is_known && !diff->is_partial && !diff->is_summary && hsd_change_is_none(&diff->total);
}

static void print_next(hsd_screen *screen, bool folded)
{
    suggestions next = {.screen = screen};
    if (!screen->options->before_command || !screen->options->after_command || is_settled(screen->diff)) return;
    if (screen->out.status == HSD_OK)
        screen->out.status = hsd_table_init(&next.table, 3, 2 * SUGGESTIONS_MAX, screen->out.err);
    if (screen->out.status != HSD_OK) return;
    next.table.left_columns = 3;
    const hsd_type_growth *type = type_to_follow(screen);
    const size_t after_size = strlen(screen->options->after_command);
    next.is_stacked = hsd_out_columns(&screen->out) < LINE_COLUMNS ||
                      strlen(screen->options->before_command) + after_size > SHORT_NAMES ||
                      (type && after_size + type->type.size > SHORT_TYPE);
    suggest(&next, folded);
    if (screen->out.status == HSD_OK) hsd_table_print(&next.table, &screen->out, false);
    hsd_table_release(&next.table);
    hsd_buffer_release(&next.line);
}

void hsd_screen_foot(hsd_screen *screen, bool folded)
{
    const bool has_unreached = print_unreached(screen), has_soft = print_soft(screen),
               has_final = print_finalized(screen), has_match = hsd_screen_match(screen);
    if ((has_unreached || has_soft || has_final || has_match) && screen->options->before_command &&
        !is_settled(screen->diff))
        hsd_out_text(&screen->out, "\n");
    print_next(screen, folded);
}
