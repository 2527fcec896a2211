/*
 * A process that is looked at for hours: a capture now and then, within a budget, and what they add up to.
 *
 *      hsd_live_capture ─► capture ─ hsd_baseline_write ─► sums ─┬─ hsd_series_run: is it growing, and is that proven?
 *             ▲               └──── at most --keep of them ◄─────┘
 *             └─ when due; at once where memory runs out
 *
 * A capture is due --every, or later: what it costs, the longer of the time that the program stood still and the
 * processor time that hsdiff took, may be
 * --budget of the time until the next.
 */
#ifndef CLI_WATCH_WATCH_H
#define CLI_WATCH_WATCH_H

#include "watch/screen.h"
#include "watch/shelf.h"

typedef enum cli_watch_end {
    CLI_WATCH_GOES_ON,
    CLI_WATCH_PROVEN,  /* growth over --until-growth */
    CLI_WATCH_ENDED,   /* the program did */
    CLI_WATCH_COUNTED, /* --count */
    CLI_WATCH_STOPPED, /* a signal */
    CLI_WATCH_FAILED   /* captures fail, and were told */
} cli_watch_end;

typedef struct cli_watch {
    cli_app *cli;
    hsd_process process;
    cli_shelf shelf;
    cli_watch_screen screen;
    hsd_series *series; /* of all sums; NULL before the second */
    uint64_t began_ns, due_ns;
    uint64_t every_ns;      /* at least so long between two captures; as the budget has it by now */
    hsd_live_memory memory; /* at the last look */
    bool is_near;           /* of its bound: the last capture was taken for that */
    unsigned failures;      /* one after the other */
    int result;             /* of the failure that ended it */
} cli_watch;

/* Takes captures until it ends, and says why. `watch` has cli, process and an open shelf. */
cli_watch_end cli_watch_run(cli_watch *watch);
void cli_watch_release(cli_watch *watch);

#endif
