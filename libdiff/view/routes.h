/*
 * What can be asked, and how an address asks it:
 *
 *      /api/objects?side=after&type=Session&from=100&count=50
 *       route       side       type          from     count
 *
 * Reading is strict: a name that the route does not know, the same name twice, a number with anything behind it, a
 * percent sign without two digits, a NUL are all refused. + is a blank, as URLSearchParams writes it.
 */
#ifndef HSD_VIEW_ROUTES_H
#define HSD_VIEW_ROUTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "view/guard.h"
#include <hsdiff/browse.h>

typedef enum hsd_view_route {
    HSD_VIEW_PAGE,
    HSD_VIEW_STATE,
    HSD_VIEW_REPORT,
    HSD_VIEW_TYPES,
    HSD_VIEW_OBJECTS,
    HSD_VIEW_DOMINATED,
    HSD_VIEW_REFERENTS,
    HSD_VIEW_REFERRERS,
    HSD_VIEW_PATH,
    HSD_VIEW_DOMINATORS,
    HSD_VIEW_OBJECT,
    HSD_VIEW_SEARCH
} hsd_view_route;

#define HSD_VIEW_ROUTES 12u

/* Path of a route. */
const char *hsd_view_route_path(hsd_view_route route);

typedef enum hsd_view_side { HSD_VIEW_ONLY_SIDE, HSD_VIEW_BEFORE, HSD_VIEW_AFTER } hsd_view_side;
typedef enum hsd_view_of { HSD_VIEW_OF_NONE, HSD_VIEW_OF_ALL, HSD_VIEW_OF_ID, HSD_VIEW_OF_NODE } hsd_view_of;

#define HSD_VIEW_COUNT 100u /* nodes where the question does not say */

typedef struct hsd_view_question {
    hsd_view_route route;
    hsd_view_side side;
    hsd_view_of of;
    uint64_t of_number;  /* id, or number of a node */
    hsd_text text, type; /* decoded; they lie in `decoded` */
    hsd_browse_type_order order;
    uint64_t from;
    size_t count; /* 0 … HSD_BROWSE_MOST */
    char decoded[HSD_VIEW_TARGET_BYTES + 1];
} hsd_view_question;

/* Reads path and query. HSD_E_NOT_FOUND: no such page; HSD_E_MISUSE: a question that makes no sense. */
hsd_status hsd_view_parse(hsd_view_question *question, const char *target, hsd_error *err);

#endif
