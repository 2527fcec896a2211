/*
 * From a question to an answer: which function writes it, of which side, and what an error of the library is in HTTP.
 */
#include "view/answers.h"

#include <stdio.h>
#include <string.h>

#define BODY_MOST ((size_t)16 << 20) /* a thousand nodes of the longest names have less */

/* ---- bodies ---- */

static hsd_status append_view_answer(void *context, const void *data, size_t size, hsd_error *err)
{
    hsd_buffer *body = context;
    if (size <= BODY_MOST && body->size <= BODY_MOST - size) return hsd_buffer_append(body, data, size, err);
    hsd_fail(err, HSD_E_OVER_BUDGET, "the answer is larger than 16 MiB");
    hsd_error_set_hint(err, "ask for fewer at a time");
    return HSD_E_OVER_BUDGET;
}

static void put_error(hsd_buffer *body, const char *error, const char *hint)
{
    hsd_out out;
    hsd_json_writer json;
    hsd_out_init(&out, append_view_answer, body, NULL);
    hsd_json_begin(&json, &out);
    hsd_json_open_object(&json, NULL, HSD_JSON_INLINE);
    hsd_json_put_string(&json, "error", error);
    hsd_json_put_string(&json, "hint", hint);
    hsd_json_close(&json);
    hsd_out_text(&out, "\n");
    if (hsd_out_finish(&out) != HSD_OK) hsd_buffer_release(body);
}

void hsd_view_refuse(hsd_http_answer *answer, unsigned status, const char *error, const char *hint)
{
    static const char no_memory[] = "{\"error\": \"out of memory\", \"hint\": \"\"}\n";
    hsd_buffer_release(&answer->body);
    *answer =
        (hsd_http_answer){.status = status, .type = "application/json", .allow = status == 405 ? "GET, HEAD" : NULL};
    put_error(&answer->body, error, hint);
    if (answer->body.size > 0) return;
    answer->data = no_memory;
    answer->size = sizeof no_memory - 1;
}

static unsigned http_status(hsd_status status)
{
    return status == HSD_E_NOT_FOUND ? 404 : status == HSD_E_MISUSE ? 400 : status == HSD_E_UNSUPPORTED ? 409 : 500;
}

static void fail_view_answer(hsd_http_answer *answer, const hsd_error *err)
{
    char sentence[HSD_VIEW_SENTENCE_BYTES];
    hsd_view_say_error(sentence, err);
    hsd_view_refuse(answer, http_status(err->status), sentence, err->hint);
}

/* ---- what is there to be asked ---- */

const char *hsd_view_side_word(const hsd_browse *browse, size_t side)
{
    return hsd_browse_side_count(browse) == 2 && side == 0 ? "before" : "after";
}

static hsd_status find_side(hsd_view_asked *asked, hsd_error *err)
{
    const size_t count = hsd_browse_side_count(asked->browse);
    const hsd_view_side wanted = asked->question->side;
    if (count == 2 && wanted == HSD_VIEW_ONLY_SIDE)
        return hsd_fail(err, HSD_E_MISUSE, "side is missing: before or after");
    if (count == 1 && wanted == HSD_VIEW_BEFORE)
        return hsd_fail(err, HSD_E_NOT_FOUND, "there is one capture, and its side is after");
    asked->side = count == 2 && wanted == HSD_VIEW_AFTER ? 1 : 0;
    return HSD_OK;
}

static hsd_status find_browse(hsd_view_asked *asked, hsd_error *err)
{
    hsd_view *view = asked->view;
    pthread_mutex_lock(&view->lock);
    const hsd_view_phase phase = view->phase;
    asked->browse = view->browse;
    pthread_mutex_unlock(&view->lock);
    if (asked->browse) return find_side(asked, err);
    if (phase == HSD_VIEW_WORKING) {
        hsd_fail(err, HSD_E_UNSUPPORTED, "the heap is still being read");
        hsd_error_set_hint(err, "/api/state tells how far it is");
        return HSD_E_UNSUPPORTED;
    }
    /* written once, before the phase changed */
    return hsd_fail(err, HSD_E_UNSUPPORTED, "there is no heap to browse: %s", view->why_not);
}

hsd_status hsd_view_find(const hsd_view_asked *asked, hsd_browse_ref *ref, hsd_error *err)
{
    const hsd_view_question *question = asked->question;
    *ref = (hsd_browse_ref){question->of == HSD_VIEW_OF_NODE ? question->of_number : HSD_BROWSE_ALL};
    return question->of == HSD_VIEW_OF_ID ? hsd_browse_find(asked->browse, asked->side, question->of_number, ref, err)
                                          : HSD_OK;
}

/* ---- answers ---- */

typedef hsd_status (*answer_fn)(const hsd_view_asked *asked, hsd_json_writer *json, hsd_error *err);

static const answer_fn answers[HSD_VIEW_ROUTES] = {
    [HSD_VIEW_STATE] = hsd_view_answer_state,     [HSD_VIEW_TYPES] = hsd_view_answer_types,
    [HSD_VIEW_OBJECTS] = hsd_view_answer_nodes,   [HSD_VIEW_DOMINATED] = hsd_view_answer_nodes,
    [HSD_VIEW_REFERENTS] = hsd_view_answer_nodes, [HSD_VIEW_REFERRERS] = hsd_view_answer_nodes,
    [HSD_VIEW_PATH] = hsd_view_answer_nodes,      [HSD_VIEW_DOMINATORS] = hsd_view_answer_nodes,
    [HSD_VIEW_OBJECT] = hsd_view_answer_object,   [HSD_VIEW_SEARCH] = hsd_view_answer_search,
};

static void answer_json(hsd_view *view, const hsd_view_question *question, hsd_http_answer *answer)
{
    hsd_view_asked asked = {.view = view, .question = question};
    hsd_out out;
    hsd_json_writer json;
    hsd_error err, write_error;
    hsd_error_init(&err);
    hsd_error_init(&write_error);
    hsd_status status = question->route == HSD_VIEW_STATE ? HSD_OK : find_browse(&asked, &err);
    if (status == HSD_OK) {
        hsd_out_init(&out, append_view_answer, &answer->body, &write_error);
        hsd_json_begin(&json, &out);
        hsd_json_open_object(&json, NULL, HSD_JSON_INLINE);
        status = answers[question->route](&asked, &json, &err);
        hsd_json_close(&json);
        hsd_out_text(&out, "\n");
        const hsd_status written = hsd_out_finish(&out);
        if (status == HSD_OK && written != HSD_OK) {
            status = written;
            err = write_error;
        }
    }
    if (status != HSD_OK) {
        fail_view_answer(answer, &err);
        return;
    }
    answer->status = 200;
    answer->type = "application/json";
}

static void answer_report(hsd_view *view, hsd_http_answer *answer)
{
    pthread_mutex_lock(&view->lock);
    const bool has_report = view->has_report;
    const bool is_working = view->phase == HSD_VIEW_WORKING;
    pthread_mutex_unlock(&view->lock);
    if (!has_report) {
        hsd_view_refuse(answer, 404, is_working ? "the report is not there yet" : "there is no report",
                        "/api/state tells how far it is");
        return;
    }
    *answer = (hsd_http_answer){
        .status = 200, .type = "application/octet-stream", .data = view->packed.data, .size = view->packed.size};
}

static void answer_page(const hsd_view *view, hsd_http_answer *answer)
{
    *answer = (hsd_http_answer){.status = 200,
                                .type = "text/html; charset=utf-8",
                                .policy = (const char *)view->policy.data,
                                .data = view->page.data,
                                .size = view->page.size};
}

void hsd_view_answer(hsd_view *view, const char *target, hsd_http_answer *answer)
{
    hsd_view_question question;
    hsd_error err;
    hsd_error_init(&err);
    if (hsd_view_parse(&question, target, &err) != HSD_OK)
        fail_view_answer(answer, &err);
    else if (question.route == HSD_VIEW_PAGE)
        answer_page(view, answer);
    else if (question.route == HSD_VIEW_REPORT)
        answer_report(view, answer);
    else
        answer_json(view, &question, answer);
}
