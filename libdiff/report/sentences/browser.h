/*
 * What a browser keeps for a page. In a heap snapshot of Chromium a listener hangs from objects of the engine, whose
 * references have no names and whose classes nobody knows. A programmer knows by which call he made them:
 *
 *      window<cppgc_object>[*][*]                              window<event listeners>
 *      window.document[*][*][*][*][*]                          window.document -> <body><mutation observers>
 *      shop.js.rows[*].el[*][*]                                shop.js.rows[*].el<event listeners>
 */
#ifndef HSD_REPORT_BROWSER_H
#define HSD_REPORT_BROWSER_H

#include "report/sentences/place.h"

typedef struct hsd_browser_word {
    hsd_text element; /* "<body>", that it is kept for; else empty */
    const char *kept; /* "<timers>" */
} hsd_browser_word;

/* The steps from `from` on that lead through the engine to what it keeps of one kind, and what that is called. 0 =
 * these do not. */
size_t hsd_browser_steps(const hsd_spot *place, size_t from, hsd_browser_word *word);

/* True if the place ends in what is kept so: its type is the engine's. */
bool hsd_browser_ends(const hsd_spot *place);

/* True if it is what Blink keeps because an event may come: ports, requests, media queries with listeners. */
bool hsd_browser_waits(const hsd_spot *place);

#endif
