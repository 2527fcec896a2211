/*
 * The head of the text report: one line for each capture, and one that says how the two
 * belong together and are compared, in words no stronger than what the captures prove.
 */
#include <string.h>

#include "report/text/table.h"
#include "report/text/text.h"

/* ---- the two captures ---- */

static const char *name_of_input(const hsd_side *side)
{
    const char *path = side->info.path ? side->info.path : "";
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

static void put_cell(hsd_screen *screen, hsd_table *table, size_t column, const char *text)
{
    if (screen->out.status == HSD_OK)
        screen->out.status = hsd_table_put(table, column, text, strlen(text), HSD_PAINT_NONE, screen->out.err);
}

static void put_path(hsd_screen *screen, hsd_table *table, size_t column, const char *path)
{
    char text[2048];
    hsd_escape(screen->form, path, strlen(path), text, sizeof text);
    put_cell(screen, table, column, text);
}

static void capture_row(hsd_screen *screen, hsd_table *table, const char *word, const hsd_side *side)
{
    char number[HSD_NUMBER_CHARS], objects[HSD_NUMBER_CHARS + 16] = "";
    hsd_table_add_row(table);
    put_cell(screen, table, 0, word);
    put_path(screen, table, 1, name_of_input(side));
    if (side->info.taken_unix_ns > 0) put_cell(screen, table, 2, hsd_format_time(number, side->info.taken_unix_ns));
    put_cell(screen, table, 3, hsd_screen_size(screen, number, side->live.bytes));
    hsd_format_count(objects, side->live.objects);
    memcpy(objects + strlen(objects), " objects", sizeof " objects");
    put_cell(screen, table, 4, objects);
}

/* The same on lines of their own: the name, and what there is below it. */
static void capture_lines(hsd_screen *screen, const char *word, const hsd_side *side)
{
    char number[HSD_NUMBER_CHARS];
    const char *path = name_of_input(side);
    hsd_out *out = &screen->out;
    hsd_out_format(out, "%-8s", word);
    hsd_out_escaped(out, screen->form, (hsd_text){path, strlen(path)});
    hsd_out_text(out, "\n");
    hsd_out_begin_paragraph(out);
    hsd_out_repeat(out, ' ', 8);
    if (side->info.taken_unix_ns > 0) hsd_out_format(out, "%s, ", hsd_format_time(number, side->info.taken_unix_ns));
    hsd_out_format(out, "%s, ", hsd_screen_size(screen, number, side->live.bytes));
    hsd_out_format(out, "%s objects", hsd_format_count(number, side->live.objects));
    hsd_out_end_paragraph(out, 8);
}

/* ---- how they belong together ---- */

static const char *process_words(const hsd_capture_info *before, const hsd_capture_info *after)
{
    const hsd_processes processes = hsd_capture_processes(before, after);
    if (processes == HSD_PROCESSES_ONE) return "same process";
    if (processes == HSD_PROCESSES_TWO) return "different processes";
    return before->pid > 0 && before->pid == after->pid ? "same process number" : NULL;
}

static bool same_text(const char *a, const char *b) { return a && b && a[0] && strcmp(a, b) == 0; }

static void print_fact(hsd_screen *screen, const char *separator, const char *text)
{
    hsd_out_text(&screen->out, separator);
    hsd_out_escaped(&screen->out, screen->form, (hsd_text){text, strlen(text)});
}

/* " (checkout-api, pid 4121)": what both captures say alike; the runtime where they do not say more. */
static void print_common_facts(hsd_screen *screen, const hsd_capture_info *before, const hsd_capture_info *after)
{
    const bool has_name = same_text(before->process_name, after->process_name);
    const bool has_pid = after->pid > 0 && before->pid == after->pid;
    if (has_name) print_fact(screen, " (", after->process_name);
    if (has_pid) hsd_out_format(&screen->out, "%spid %llu", has_name ? ", " : " (", (unsigned long long)after->pid);
    if (!has_name && same_text(before->runtime, after->runtime)) {
        print_fact(screen, has_pid ? ", " : " (", after->runtime);
        hsd_out_text(&screen->out, ")");
    } else if (has_name || has_pid) {
        hsd_out_text(&screen->out, ")");
    }
}

static void print_time_apart(hsd_screen *screen, uint64_t before_ns, uint64_t after_ns)
{
    char number[HSD_NUMBER_CHARS];
    if (before_ns == 0 || after_ns == 0) return;
    if (after_ns / 1000000000u == before_ns / 1000000000u)
        hsd_out_text(&screen->out, "in the same second, ");
    else if (after_ns >= before_ns)
        hsd_out_format(&screen->out, "%s apart, ", hsd_format_duration(number, after_ns - before_ns));
    else
        hsd_out_format(&screen->out, "in reverse order, %s apart, ", hsd_format_duration(number, before_ns - after_ns));
}

static void print_incomplete(hsd_screen *screen, const char *word, const hsd_capture_info *info)
{
    if (info->is_complete) return;
    hsd_out_format(&screen->out, "%s incomplete", word);
    if (info->incomplete_reason && info->incomplete_reason[0]) {
        hsd_out_text(&screen->out, " (");
        hsd_out_escaped(&screen->out, screen->form,
                        (hsd_text){info->incomplete_reason, strlen(info->incomplete_reason)});
        hsd_out_text(&screen->out, ")");
    }
}

void hsd_screen_relation(hsd_screen *screen)
{
    const hsd_capture_info *before = &screen->diff->before.info, *after = &screen->diff->after.info;
    const char *process = process_words(before, after);
    hsd_out_begin_paragraph(&screen->out);
    hsd_out_repeat(&screen->out, ' ', 8);
    hsd_out_text(&screen->out, process ? process : "not known if the same process");
    print_common_facts(screen, before, after);
    hsd_out_text(&screen->out, ", ");
    print_time_apart(screen, before->taken_unix_ns, after->taken_unix_ns);
    if (before->is_complete && after->is_complete) hsd_out_text(&screen->out, "both complete");
    print_incomplete(screen, "before", before);
    if (!before->is_complete && !after->is_complete) hsd_out_text(&screen->out, ", ");
    print_incomplete(screen, "after", after);
    hsd_out_end_paragraph(&screen->out, 8);
}

/* Ids that serve need no word: the foot names them. */
static void print_basis(hsd_screen *screen)
{
    const hsd_diff *diff = screen->diff;
    if (!diff->is_by_structure) return;
    hsd_out_begin_paragraph(&screen->out);
    hsd_out_repeat(&screen->out, ' ', 8);
    hsd_out_text(&screen->out, diff->match.exact > 0 ? "compared by identity hashes, structure and names"
                                                     : "compared by structure and names");
    if (diff->match_reason.size > 0) {
        hsd_out_text(&screen->out, ": ");
        hsd_out_escaped(&screen->out, screen->form, diff->match_reason);
    }
    hsd_out_end_paragraph(&screen->out, 8);
}

void hsd_screen_captures(hsd_screen *screen)
{
    hsd_table table;
    if (screen->out.status == HSD_OK) screen->out.status = hsd_table_init(&table, 5, 2, screen->out.err);
    if (screen->out.status != HSD_OK) return;
    table.left_columns = 3;
    capture_row(screen, &table, "before", &screen->diff->before);
    capture_row(screen, &table, "after", &screen->diff->after);
    const size_t width = screen->options->width;
    if (width > 0 && hsd_table_least_width(&table, SIZE_MAX) > width) {
        capture_lines(screen, "before", &screen->diff->before);
        capture_lines(screen, "after", &screen->diff->after);
    } else {
        hsd_table_print(&table, &screen->out, false);
    }
    hsd_table_release(&table);
    hsd_screen_relation(screen);
    print_basis(screen);
    hsd_out_text(&screen->out, "\n");
}
