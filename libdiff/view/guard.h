/*
 * Who gets an answer: one pure function from what a request says to a verdict, so that a table can test it and a fuzzer
 * feed it.
 *
 *      target      begins with /, at most HSD_VIEW_TARGET_BYTES            400, 414
 *      client      a process of our user, or of root                     403   another user, who read the address somewhere
 *                  one of which nothing can be seen                      503   all descriptors are in use
 *      Host        one, exactly 127.0.0.1:PORT, localhost:PORT, [::1]:PORT 403   a name that was rebound to this machine
 *      Origin      none, or one that is this very host                     403   a page from elsewhere
 *      Sec-Fetch-Site  none, or same-origin; for the page also "none"      403   likewise, even without Origin
 *      method      GET, HEAD                                               405
 *      body        none                                                    413
 *      token       one, for everything below /api/                         403
 */
#ifndef HSD_VIEW_GUARD_H
#define HSD_VIEW_GUARD_H

#include <stdbool.h>
#include <stdint.h>

#include "view/peer.h"
#include "view/token.h"

#define HSD_VIEW_TARGET_BYTES 8192u

/* One request. Texts are as they came, NULL = not sent; the first where several were. */
typedef struct hsd_view_request {
    const char *method;
    const char *target; /* path and query, nothing decoded */
    const char *host, *origin, *site, *token;
    unsigned hosts, origins, sites, tokens; /* how many headers of that name */
    bool has_body;                          /* says that there is one, of whatever length but 0 */
    hsd_peer client;                        /* whose it is */
    bool is_malformed;                      /* a header with a NUL in it, and the like */
} hsd_view_request;

typedef struct hsd_view_guard {
    uint16_t port;
    char token[HSD_VIEW_TOKEN_CHARS + 1];
} hsd_view_guard;

typedef struct hsd_view_verdict {
    unsigned status;          /* of HTTP; 0 = to be answered */
    const char *error, *hint; /* sentences; static */
} hsd_view_verdict;

/* True for what only the user gets: all below /api/. */
bool hsd_view_needs_token(const char *target);

hsd_view_verdict hsd_view_judge(const hsd_view_guard *guard, const hsd_view_request *request);

#endif
