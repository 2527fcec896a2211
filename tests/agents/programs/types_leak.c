/*
 * A program in C that asks for memory in every way that programs in C do, for types by debug information. Obeys the
 * lines of tests/agents/kit.py. "leak N" plants N of each; the comment says of what type it is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct order {
    long number, amount[11];
} order; /* 96 */
struct line {
    struct line *next;
    char text[120];
}; /* 128 */
typedef struct {
    double at[24];
} point; /* 192 */
struct packet {
    struct packet *next;
    size_t size;
    char bytes[];
}; /* 16 and what follows */
struct base {
    struct base *next;
    int kind;
}; /* 16 */
struct circle {
    struct base base;
    double radius[10];
}; /* 96 */
/* 56 */
struct session {
    struct session *next;
    char *name;
    order **orders;
    struct line *lines;
    point *points;
    size_t order_count, room;
};

struct tag {
    struct tag *next;
    void *text;
}; /* 16 */

struct ticket {
    struct ticket *next;
    long numbers[20];
}; /* 168 */

struct stub {
    struct ticket *of;
    struct stub *next;
    char text[120];
}; /* 136 */

static struct ticket *tickets;
static struct stub *stubs;
static struct session *sessions;
static struct tag *tags;
static struct packet *packets;
static struct base *shapes;
static struct line *last_line;
static size_t planted;

static void *xmalloc(size_t size)
{
    void *block = malloc(size);
    if (block == NULL) abort();
    return block;
}

__attribute__((noinline)) static void *pool_get(size_t size) { return memset(xmalloc(size), 0, size); }

/* `order`, by what the function returns. */
__attribute__((noinline)) static order *new_order(long number)
{
    order *o = malloc(sizeof *o);
    if (o == NULL) return NULL;
    o->number = number;
    return o;
}

/* `line`, stored in a member and in a global variable. */
__attribute__((noinline)) static void add_line(struct session *s, const char *text)
{
    s->lines = pool_get(sizeof *s->lines);
    snprintf(s->lines->text, sizeof s->lines->text, "%s", text);
    last_line = calloc(1, sizeof *last_line);
    last_line->next = s->lines->next;
    s->lines->next = last_line;
}

/* `order *[]`, grown by realloc. */
__attribute__((noinline)) static void add_order(struct session *s, order *o)
{
    if (s->order_count == s->room) {
        order **bigger = realloc(s->orders, (s->room = s->room * 2 + 4) * sizeof *bigger);
        if (bigger == NULL) abort();
        s->orders = bigger;
    }
    s->orders[s->order_count++] = o;
}

/* `packet`, of any length. */
__attribute__((noinline)) static void add_packet(size_t size)
{
    struct packet *p = xmalloc(sizeof *p + size);
    p->size = size;
    p->next = packets;
    packets = p;
}

/* `circle`: what is kept is a pointer to what it begins with. */
__attribute__((noinline)) static struct base *make_circle(double radius)
{
    struct circle *c = xmalloc(sizeof *c);
    c->radius[0] = radius;
    c->base.kind = 1;
    c->base.next = shapes;
    return &c->base;
}

/* `char[]`: text behind a header that is as long as the text makes it; what is kept is a pointer to the text, as one to
 * anything. */
__attribute__((noinline)) static char *new_text(const void *bytes, size_t size)
{
    const size_t header = size < 32 ? 1 : size < 256 ? 3 : 9;
    char *text = (char *)xmalloc(header + size + 1) + header;
    if (header == 1)
        text[-1] = (char)size;
    else if (header == 3)
        memcpy(text - 3, &(unsigned short){(unsigned short)size}, 2);
    else
        memcpy(text - 9, &size, 8);
    if (size > 0 && bytes != NULL) memcpy(text, bytes, size);
    text[size] = '\0';
    return text;
}

__attribute__((noinline)) static void add_tag(long number)
{
    char line[400];
    const size_t size = number % 2 == 0 ? 71 : 366; /* blocks of 75 and of 376 bytes */
    struct tag *t = xmalloc(sizeof *t);
    memset(line, 'x', sizeof line);
    t->text = new_text(line, size);
    t->next = tags;
    tags = t;
}

/* `ticket` and `stub`: optimised, nothing of who made them is on the stack, since the call is their last. */
__attribute__((noinline)) static struct ticket *new_ticket(void) { return calloc(1, sizeof(struct ticket)); }
__attribute__((noinline)) static void *get_cleared(size_t size) { return calloc(1, size); }

__attribute__((noinline)) static void add_ticket(void)
{
    struct ticket *t = new_ticket();
    struct stub *s = get_cleared(sizeof *s);
    t->next = tickets;
    tickets = t;
    s->of = t;
    s->next = stubs;
    stubs = s;
}

__attribute__((noinline)) static struct session *make_session(long number)
{
    struct session *s = calloc(1, sizeof *s);
    s->name = malloc(40);
    snprintf(s->name, 40, "session %ld", number);
    s->points = pool_get(3 * sizeof *s->points);
    s->next = sessions;
    return s;
}

static void leak(long count)
{
    for (long i = 0; i < count; i++) {
        sessions = make_session(i);
        for (int n = 0; n < 3; n++)
            add_order(sessions, new_order(n));
        add_line(sessions, "a line of text");
        add_packet(100);
        shapes = make_circle(i);
        add_tag(i);
        add_ticket();
        planted++;
    }
}

int main(void)
{
    char text[64];
    long count;
    puts("ready");
    fflush(stdout);
    while (fgets(text, sizeof text, stdin) != NULL && strncmp(text, "quit", 4) != 0) {
        if (sscanf(text, "leak %ld", &count) != 1) continue;
        leak(count);
        printf("leaked %zu\n", planted);
        fflush(stdout);
    }
    return 0;
}
