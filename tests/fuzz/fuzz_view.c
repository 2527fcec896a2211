/*
 * The viewer's guard and its addresses, on any bytes. What passes the guard came from its own host with its token, by
 * GET or HEAD, without a body; what is read as a question says the same when it is written down again.
 *
 * An input is a request as lines, each "name value", names of one letter: m method, t target, h Host, o Origin, s
 * Sec-Fetch-Site, k token, b a body, u another user. A name that comes again counts.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/guard.h"
#include "view/routes.h"

#define TOKEN "0123456789abcdef0123456789abcdef"
#define MOST  16384u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const hsd_view_guard guard = {.port = 8123, .token = TOKEN};

static void expect(bool is_so)
{
    if (!is_so) abort();
}

/* ---- a request ---- */

static void count(const char **value, unsigned *times, const char *text)
{
    if ((*times)++ == 0) *value = text;
}

static void take_line(hsd_view_request *request, const char *line)
{
    if (!line[0] || line[1] != ' ') return;
    const char *text = line + 2;
    switch (line[0]) {
    case 'm': request->method = text; break;
    case 't': request->target = text; break;
    case 'h': count(&request->host, &request->hosts, text); break;
    case 'o': count(&request->origin, &request->origins, text); break;
    case 's': count(&request->site, &request->sites, text); break;
    case 'k': count(&request->token, &request->tokens, text); break;
    case 'b': request->has_body = true; break;
    case 'u': request->client = HSD_PEER_OF_OTHER_USER; break;
    case 'n': request->client = HSD_PEER_NOT_SEEN; break;
    default: break;
    }
}

static bool is_one_of(const char *text, const char *const *all)
{
    for (; *all; all++)
        if (strcmp(text, *all) == 0) return true;
    return false;
}

/* The promise, said in another way than the guard says it. */
static void check_passed(const hsd_view_request *request)
{
    static const char *const hosts[] = {"127.0.0.1:8123", "localhost:8123", "[::1]:8123", NULL};
    static const char *const origins[] = {"http://127.0.0.1:8123", "http://localhost:8123", "http://[::1]:8123", NULL};
    static const char *const sites[] = {"same-origin", "none", NULL};
    static const char *const methods[] = {"GET", "HEAD", NULL};
    const bool is_api = strncmp(request->target, "/api/", 5) == 0;
    expect(request->client == HSD_PEER_OWN);
    expect(request->hosts == 1 && is_one_of(request->host, hosts));
    expect(request->origins == 0 || (request->origins == 1 && is_one_of(request->origin, origins)));
    expect(request->sites == 0 ||
           (request->sites == 1 && is_one_of(request->site, sites) && !(is_api && strcmp(request->site, "none") == 0)));
    expect(is_one_of(request->method, methods) && !request->has_body && request->target[0] == '/');
    expect(strlen(request->target) <= HSD_VIEW_TARGET_BYTES);
    expect(!is_api || (request->tokens == 1 && strcmp(request->token, TOKEN) == 0));
}

/* ---- a question ---- */

/* Three characters a byte. */
static void encode(char *to, size_t capacity, hsd_text text)
{
    for (size_t i = 0; i < text.size; i++)
        snprintf(to + 3 * i, capacity - 3 * i, "%%%02X", (unsigned)(uint8_t)text.data[i]);
}

static void check_text(const hsd_view_question *question, hsd_text text)
{
    expect(text.data >= question->decoded && text.size < sizeof question->decoded);
    expect(text.data + text.size <= question->decoded + sizeof question->decoded);
    expect(memchr(text.data, 0, text.size) == NULL);
}

static void check_question(const char *target)
{
    static hsd_view_question question, again;
    static char written[4 * HSD_VIEW_TARGET_BYTES];
    hsd_error err;
    hsd_error_init(&err);
    const hsd_status status = hsd_view_parse(&question, target, &err);
    expect(status == HSD_OK || status == HSD_E_NOT_FOUND || status == HSD_E_MISUSE);
    expect((status == HSD_OK) == (err.text[0] == 0));
    if (status != HSD_OK) return;
    check_text(&question, question.text);
    check_text(&question, question.type);
    expect(question.count <= HSD_BROWSE_MOST && question.route < HSD_VIEW_ROUTES);
    expect(question.of != HSD_VIEW_OF_NODE || question.of_number < HSD_BROWSE_ALL);
    expect(strncmp(target, hsd_view_route_path(question.route), strlen(hsd_view_route_path(question.route))) == 0);
    if (question.route != HSD_VIEW_OBJECTS || question.type.size > HSD_VIEW_TARGET_BYTES / 4) return;
    const size_t used =
        (size_t)snprintf(written, sizeof written,
                         "/api/objects?from=%llu&count=%zu&type=", (unsigned long long)question.from, question.count);
    encode(written + used, sizeof written - used, question.type);
    expect(hsd_view_parse(&again, written, &err) == HSD_OK);
    expect(again.from == question.from && again.count == question.count && again.type.size == question.type.size);
    expect(memcmp(again.type.data, question.type.data, question.type.size) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hsd_view_request request = {0};
    if (size > MOST) return 0;
    char *text = malloc(size + 1);
    if (!text) return 0;
    memcpy(text, data, size);
    text[size] = 0;
    for (char *line = text, *end; line; line = end) {
        end = strchr(line, '\n');
        if (end) *end++ = 0;
        take_line(&request, line);
    }
    const hsd_view_verdict verdict = hsd_view_judge(&guard, &request);
    const bool is_refused =
        verdict.status == 503 ? request.client == HSD_PEER_NOT_SEEN : verdict.status >= 400 && verdict.status < 500;
    expect(verdict.status == 0 || (is_refused && verdict.error && verdict.hint));
    if (verdict.status == 0) check_passed(&request);
    if (request.target) check_question(request.target);
    free(text);
    return 0;
}
