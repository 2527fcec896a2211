/* Sessions in a table by their address and in a list by their age, both static: nobody takes them out again. */
#include "program.h"

enum { BUCKETS = 4096 };

struct session {
    struct session *in_bucket, *older, *younger;
    long id;
    char *user;
    char rest[48];
};

static struct session *sessions_by_address[BUCKETS];
static struct session *sessions_by_age;

static void setup(void) {}

static __attribute__((noinline)) struct session *open_session(long id)
{
    struct session *s = calloc(1, sizeof *s); /* truth: made */
    s->id = id;
    s->user = strdup("somebody of some town"); /* 22 */
    return s;
}

static void plant(long number)
{
    struct session *s = open_session(number);
    struct session **bucket = &sessions_by_address[((uintptr_t)s >> 4) % BUCKETS];
    s->in_bucket = *bucket;
    *bucket = s;
    s->older = sessions_by_age;
    if (sessions_by_age != NULL) sessions_by_age->younger = s;
    sessions_by_age = s;
}
