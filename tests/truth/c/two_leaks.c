/* Two leaks: an audit trail in a list, and the larger one, documents in a table. */
#include "program.h"

struct audit {
    struct audit *next;
    char text[72];
};
struct document {
    long number;
    char *body;
};

struct audit *audit_trail;
struct document *open_documents[65536];

static void setup(void) {}

static __attribute__((noinline)) struct audit *note_audit(void)
{
    return calloc(1, sizeof(struct audit)); /* truth: audit */
}

static __attribute__((noinline)) struct document *open_document(long number)
{
    struct document *d = malloc(sizeof *d); /* truth: document */
    d->number = number;
    d->body = malloc(200);
    return d;
}

static void plant(long number)
{
    struct audit *a = note_audit();
    a->next = audit_trail;
    audit_trail = a;
    open_documents[number] = open_document(number);
}
