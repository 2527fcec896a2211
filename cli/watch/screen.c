/*
 * Lines at the bottom of a terminal. They are drawn with line wrap off, so that each takes one row however wide the
 * terminal is by now.
 */
#include "watch/screen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "progress.h"
#include "term.h"

enum { ROWS_OF_TABLES = 5, ROWS_LEFT = 2 };

void cli_watch_screen_begin(cli_watch_screen *screen, cli_app *cli)
{
    *screen = (cli_watch_screen){.cli = cli};
    screen->is_wanted = !cli->options.no_progress && !cli->options.quiet && cli_term_is_terminal(STDERR_FILENO);
    if (!screen->is_wanted) return;
    cli->options.no_progress = true;
    cli_progress_begin(cli);
}

void cli_watch_screen_end(cli_watch_screen *screen)
{
    cli_watch_screen_clear(screen);
    free(screen->report);
    screen->report = NULL;
}

/* ---- the report ---- */

static hsd_status add_watch_screen(void *context, const void *data, size_t size, hsd_error *err)
{
    cli_watch_screen *screen = context;
    if (screen->report_bytes + size + 1 > screen->report_room) {
        const size_t room = 2 * (screen->report_bytes + size) + 1024;
        char *more = realloc(screen->report, room);
        if (more == NULL) return hsd_fail(err, HSD_E_NOMEM, "out of memory");
        screen->report = more;
        screen->report_room = room;
    }
    memcpy(screen->report + screen->report_bytes, data, size);
    screen->report_bytes += size;
    screen->report[screen->report_bytes] = '\0';
    return HSD_OK;
}

void cli_watch_screen_take(cli_watch_screen *screen, const hsd_series *series)
{
    const cli_options *options = &screen->cli->options;
    const hsd_report_options wanted = {.top = ROWS_OF_TABLES,
                                       .width = cli_term_width(STDERR_FILENO),
                                       .use_color = cli_term_has_color(screen->cli, STDERR_FILENO),
                                       .use_utf8 = cli_term_has_utf8(),
                                       .exact_bytes = options->exact_bytes,
                                       .noise_bytes = options->noise_bytes};
    screen->report_bytes = 0;
    if (!screen->is_wanted ||
        hsd_report_format_find("text")->write_series(series, &wanted, add_watch_screen, screen, NULL) == HSD_OK)
        return;
    screen->report_bytes = 0;
}

/* ---- drawing ---- */

void cli_watch_screen_clear(cli_watch_screen *screen)
{
    if (screen->drawn > 0) {
        fprintf(stderr, "\x1b[%uA\r\x1b[J", screen->drawn);
        fflush(stderr);
    }
    screen->drawn = 0;
}

/* At most `most` whole lines of a text. How many. */
static unsigned put_lines(const char *text, unsigned most)
{
    unsigned lines = 0;
    while (*text != '\0' && lines < most) {
        const size_t size = strcspn(text, "\n");
        fprintf(stderr, "%.*s\n", (int)size, text);
        text += size + (text[size] == '\n');
        lines++;
    }
    return lines;
}

void cli_watch_screen_draw(cli_watch_screen *screen, const char *head)
{
    const unsigned rows = cli_term_height(STDERR_FILENO), most = rows > ROWS_LEFT ? rows - ROWS_LEFT : 1;
    if (!screen->is_wanted || !cli_term_is_foreground(STDERR_FILENO)) return;
    cli_watch_screen_clear(screen);
    fputs("\x1b[?7l", stderr);
    unsigned lines = put_lines(head, most);
    if (screen->report_bytes > 0) lines += put_lines("\n", most - lines);
    if (screen->report_bytes > 0) lines += put_lines(screen->report, most - lines);
    fputs("\x1b[0m\x1b[?7h", stderr);
    fflush(stderr);
    screen->drawn = lines;
}
