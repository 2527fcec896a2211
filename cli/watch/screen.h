/*
 * What a terminal shows between two captures of hsdiff watch: a few lines at the bottom that are drawn over, while
 * everything else that is told stands above them as usual. Where nobody looks (a log, -q, --no-progress, in the
 * background) nothing is drawn.
 */
#ifndef CLI_WATCH_SCREEN_H
#define CLI_WATCH_SCREEN_H

#include "cli.h"
#include <hsdiff/series.h>

typedef struct cli_watch_screen {
    const cli_app *cli;
    bool is_wanted;
    unsigned drawn; /* lines that stand there now */
    char *report;   /* of the series so far; NULL = none */
    size_t report_bytes, report_room;
} cli_watch_screen;

/* Takes the place of the progress line. */
void cli_watch_screen_begin(cli_watch_screen *screen, cli_app *cli);
void cli_watch_screen_end(cli_watch_screen *screen);

/* What grew up to now, to be drawn with the next lines; without memory for it there is none. */
void cli_watch_screen_take(cli_watch_screen *screen, const hsd_series *series);

/* The lines of `head` (each ends with \n), and below them the report, as far as the terminal has room. */
void cli_watch_screen_draw(cli_watch_screen *screen, const char *head);

/* Takes the lines away, so that something else can be told. */
void cli_watch_screen_clear(cli_watch_screen *screen);

#endif
