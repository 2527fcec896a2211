/*
 * The viewer: a web server for one person on this machine. It serves one page (its script and style are inside) and, to
 * that page alone, what is asked of the captures.
 *
 *      GET /                        the page; nothing of the captures is in it
 *      GET /api/…                   answers as JSON; doc/view.md lists them. Need the token
 *
 * Only its user gets an answer (SECURITY.md): it listens on 127.0.0.1 (or ::1) alone, on a port that the system
 * chooses; a random token of 128 bits stands in the fragment of the address, which browsers send to nobody, and comes
 * back as the header X-Hsdiff-Token; a client of another user (root apart), another Host, another Origin, another
 * method than GET are refused; no file is ever opened by name. It ends when nobody has asked for `idle_seconds`.
 */
#ifndef HSDIFF_VIEW_H
#define HSDIFF_VIEW_H

#include <hsdiff/browse.h>
#include <hsdiff/report.h>
#include <hsdiff/series.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hsd_view hsd_view;

typedef struct hsd_view_options {
    size_t struct_bytes;              /* HSD_OPTIONS_INIT */
    uint16_t port;                    /* 0 = any that is free */
    bool use_ipv6;                    /* ::1 and not 127.0.0.1 */
    unsigned idle_seconds;            /* 0 = never ends by itself */
    const hsd_report_options *report; /* of the report that it shows; NULL = all 0. Its texts outlive the view */
} hsd_view_options;

/*
 * True if this build can show pages. False in a build without libmicrohttpd: hsd_view_start is HSD_E_UNSUPPORTED then.
 */
HSD_API bool hsd_view_is_known(void);

/*
 * Listens, and answers on a thread of its own.
 *
 *   out      stopped by the caller with hsd_view_stop; NULL on failure
 *   options  copied; its texts must live until hsd_view_stop
 *
 * Returns HSD_OK; HSD_E_IO when the port is taken or the server cannot be started; HSD_E_UNSUPPORTED in a build
 * without libmicrohttpd; HSD_E_NOMEM.
 */
HSD_API hsd_status hsd_view_start(hsd_view **out, const hsd_view_options *options, hsd_error *err);

/*
 * The address, "http://127.0.0.1:PORT/#TOKEN", borrowed until hsd_view_stop. Whoever has it, and is this user, sees
 * what is shown.
 */
HSD_API const char *hsd_view_address(const hsd_view *view);

/* ---- what is shown; each may be called from the thread that does the work, while requests are answered ---- */

/*
 * Shows how far the work is: a hsd_progress_fn whose context is the hsd_view. False once the viewer was stopped: the
 * work is then given up.
 */
HSD_API bool hsd_view_progress(void *view, const char *stage, uint64_t done, uint64_t total);

/*
 * Sets the names of the captures, before anything else is set. `count` texts, which are copied. Returns HSD_OK or
 * HSD_E_NOMEM.
 */
HSD_API hsd_status hsd_view_set_captures(hsd_view *view, const char *const *names, size_t count, hsd_error *err);

/*
 * Shows the report of a diff or of a series; the other one is NULL. It is written at once and kept packed (some MiB):
 * nothing is borrowed. A single capture has no report: its first page is what it browses. Returns HSD_OK; HSD_E_MISUSE
 * when there is a report already; HSD_E_NOMEM; else as the format html fails (hsdiff/report.h).
 */
HSD_API hsd_status hsd_view_set_report(hsd_view *view, const hsd_diff *diff, const hsd_series *series, hsd_error *err);

/*
 * Says that the work is done. The index, `browse`, is borrowed until hsd_view_stop; its questions are asked by the
 * answering thread alone. NULL = there is no index, and `why` is a clause that the page shows.
 */
HSD_API void hsd_view_set_browse(hsd_view *view, hsd_browse *browse, const char *why);

/* Says that the work failed: the page shows `error`, which is copied. */
HSD_API void hsd_view_set_error(hsd_view *view, const hsd_error *error);

/*
 * True when work failed before there was a report, and no page has asked for anything so far: nobody has seen the
 * viewer, and it has nothing to show.
 */
HSD_API bool hsd_view_failed_unseen(hsd_view *view);

/* True ends hsd_view_wait. */
typedef bool (*hsd_view_stop_fn)(void *context);

/*
 * Waits until the work is done and nobody has asked for idle_seconds, or until `stop` says true.
 *
 *   stop  asked some ten times a second, with `context`; NULL = nobody stops it
 *
 * Returns true if nobody asked any more, false if it was stopped. From then on hsd_view_progress gives the work up.
 */
HSD_API bool hsd_view_wait(hsd_view *view, hsd_view_stop_fn stop, void *context);

/* Ends all connections, stops the thread and releases the viewer. NULL is accepted. */
HSD_API void hsd_view_stop(hsd_view *view);

#ifdef __cplusplus
}
#endif
#endif
