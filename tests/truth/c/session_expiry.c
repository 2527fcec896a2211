/* No leak: sessions in a table and a list that expire after 2,000 requests. */
#include "program.h"

enum { SESSIONS = 2000, BUCKETS = 512 };

struct session {
    struct session *in_bucket, *younger;
    long id;
    char *user;
};

static struct session *buckets[BUCKETS], *oldest_session, *youngest_session;
static unsigned session_count;

static void setup(void) {}

static void expire(void)
{
    struct session *s = oldest_session, **place = &buckets[s->id % BUCKETS];
    oldest_session = s->younger;
    while (*place != s)
        place = &(*place)->in_bucket;
    *place = s->in_bucket;
    free(s->user);
    free(s);
    session_count--;
}

static void plant(long number)
{
    struct session *s = calloc(1, sizeof *s);
    s->id = number;
    s->user = strdup("a user who comes once");
    s->in_bucket = buckets[number % BUCKETS];
    buckets[number % BUCKETS] = s;
    if (youngest_session != NULL && session_count > 0)
        youngest_session->younger = s;
    else
        oldest_session = s;
    youngest_session = s;
    if (++session_count > SESSIONS) expire();
}
