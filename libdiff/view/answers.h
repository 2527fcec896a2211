/*
 * Questions as JSON answers. doc/view.md has every field.
 *
 *      answers.c         which function answers, errors
 *      answers_state.c   /api/state
 *      answers_heap.c    types, objects, what lies around an object
 *      answers_object.c  one object
 *      answers_search.c  /api/search
 *      pieces.c          a node, a list of nodes
 */
#ifndef HSD_VIEW_ANSWERS_H
#define HSD_VIEW_ANSWERS_H

#include "report/write/json_writer.h"
#include "view/routes.h"
#include "view/state.h"

/* What one request gets; the guard has let it pass. */
void hsd_view_answer(hsd_view *view, const char *target, hsd_http_answer *answer);

/* What one gets that the guard refuses, or that failed. */
void hsd_view_refuse(hsd_http_answer *answer, unsigned status, const char *error, const char *hint);

/* ---- the functions of the table: each writes the members of an object that is open ---- */

typedef struct hsd_view_asked {
    hsd_view *view;
    const hsd_view_question *question;
    hsd_browse *browse; /* there, for all but /api/state */
    size_t side;        /* of browse */
} hsd_view_asked;

hsd_status hsd_view_answer_state(const hsd_view_asked *asked, hsd_json_writer *json, hsd_error *err);
hsd_status hsd_view_answer_types(const hsd_view_asked *asked, hsd_json_writer *json, hsd_error *err);
hsd_status hsd_view_answer_nodes(const hsd_view_asked *asked, hsd_json_writer *json, hsd_error *err);
hsd_status hsd_view_answer_object(const hsd_view_asked *asked, hsd_json_writer *json, hsd_error *err);
hsd_status hsd_view_answer_search(const hsd_view_asked *asked, hsd_json_writer *json, hsd_error *err);

/* The node that `of` names. HSD_E_NOT_FOUND. */
hsd_status hsd_view_find(const hsd_view_asked *asked, hsd_browse_ref *ref, hsd_error *err);

/* ---- pieces ---- */

/* What an error says, with the file in front: "after.hs: was cut off". */
#define HSD_VIEW_SENTENCE_BYTES (sizeof((hsd_error *)0)->file + sizeof((hsd_error *)0)->text + 2)
void hsd_view_say_error(char sentence[HSD_VIEW_SENTENCE_BYTES], const hsd_error *error);

const char *hsd_view_side_word(const hsd_browse *browse, size_t side);
void hsd_view_put_node(hsd_json_writer *json, const char *key, const hsd_browse_node *node);
void hsd_view_put_nodes(hsd_json_writer *json, const char *key, const hsd_browse_list *list);
void hsd_view_put_types(hsd_json_writer *json, const char *key, const hsd_browse_types *types);

#endif
