/*
 * A program that can write its own heap: a small server with a table of sessions. Example of the capture library.
 *
 *      cc -I… sessions.c -L… -lhscapture -lzstd -o sessions
 *      CAPTURE_FILE=/tmp/heap.hs ./sessions            prints its address
 *      curl http://127.0.0.1:…/ && kill -USR1 PID       writes the capture
 *
 * Every request opens a session, and the answer ends it. With --leak every sixth is forgotten in the table. Listens on
 * PORT of 127.0.0.1, or on a free one.
 *
 * What a program does for its captures: each object begins with a number that no other object ever gets; SIGUSR1 sets a
 * flag; the loop, between two requests, sees it and walks the program's own structures: roots, objects, references. So
 * nothing changes meanwhile.
 */
#define _GNU_SOURCE /* ppoll */

#include <arpa/inet.h>
#include <errno.h>
#include <hscapture/hscapture.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define PRODUCTS   16000u
#define BUCKETS    1024u
#define PAGE_BYTES 400u

/* ---- the program's objects ---- */

typedef struct text { /* of `size` bytes */
    uint64_t id;
    size_t size;
    char bytes[];
} text;

typedef struct product {
    uint64_t id;
    text *name;
    uint64_t cents;
} product;

typedef struct session {
    uint64_t id;
    uint64_t number;
    struct session *next; /* in its bucket */
    text *user;
    char last_page[PAGE_BYTES];
} session;

typedef struct catalogue {
    uint64_t id;
    product *products[PRODUCTS];
} catalogue;

typedef struct session_table {
    uint64_t id;
    session *buckets[BUCKETS];
} session_table;

static catalogue *shop;
static session_table *sessions;
static uint64_t last_id; /* counts all objects that were ever made */
static volatile sig_atomic_t is_capture_wanted, is_end_wanted;

static void die(const char *what)
{
    fprintf(stderr, "sessions: %s: %s\n", what, strerror(errno));
    exit(1);
}

/* Zeroed, with the next id in front. */
static void *make(size_t size)
{
    uint64_t *object = calloc(1, size);
    if (!object) die("out of memory");
    *object = ++last_id;
    return object;
}

static text *make_text(const char *what, uint64_t number)
{
    char bytes[64];
    const size_t size = (size_t)snprintf(bytes, sizeof bytes, "%s %llu", what, (unsigned long long)number) + 1;
    text *made = make(sizeof *made + size);
    made->size = size;
    memcpy(made->bytes, bytes, size);
    return made;
}

static void open_shop(void)
{
    shop = make(sizeof *shop);
    sessions = make(sizeof *sessions);
    for (uint64_t i = 0; i < PRODUCTS; i++) {
        product *made = shop->products[i] = make(sizeof *made);
        made->name = make_text("a thing to buy, number", i);
        made->cents = 100 + i;
    }
}

static session *open_session(uint64_t number)
{
    session *opened = make(sizeof *opened), **bucket = &sessions->buckets[number % BUCKETS];
    opened->number = number;
    opened->user = make_text("customer", number);
    snprintf(opened->last_page, sizeof opened->last_page, "<p>%s", shop->products[number % PRODUCTS]->name->bytes);
    opened->next = *bucket;
    *bucket = opened;
    return opened;
}

static void end_session(session *ended)
{
    session **at = &sessions->buckets[ended->number % BUCKETS];
    while (*at != ended)
        at = &(*at)->next;
    *at = ended->next;
    free(ended->user);
    free(ended);
}

/* ---- the capture ---- */

enum { TYPE_CATALOGUE = 1, TYPE_PRODUCT, TYPE_TABLE, TYPE_SESSION, TYPE_TEXT };
enum { LABEL_ELEMENT = 1, LABEL_NAME, LABEL_NEXT, LABEL_USER };
enum { STRING_CATALOGUE = 1, STRING_SESSIONS, STRING_NAME, STRING_NEXT, STRING_USER };

static void define_names(hsc_writer *w)
{
    static const char *const types[] = {"Catalogue", "Product", "SessionTable", "Session", "text"};
    static const char *const strings[] = {"shop", "sessions", "name", "next", "user"};
    for (uint32_t i = 0; i < 5; i++)
        hsc_define_type(w, i + 1, types[i], strlen(types[i]), 0);
    for (uint32_t i = 0; i < 5; i++)
        hsc_define_string(w, i + 1, strings[i], strlen(strings[i]));
    hsc_define_label(w, LABEL_ELEMENT, HSC_LABEL_ELEMENT, 0, 0);
    hsc_define_label(w, LABEL_NAME, HSC_LABEL_FIELD, 0, STRING_NAME);
    hsc_define_label(w, LABEL_NEXT, HSC_LABEL_FIELD, 0, STRING_NEXT);
    hsc_define_label(w, LABEL_USER, HSC_LABEL_FIELD, 0, STRING_USER);
}

static void write_text(hsc_writer *w, const text *object)
{
    hsc_begin_object(w,
                     &(hsc_object){.id = object->id, .type = TYPE_TEXT, .size_bytes = sizeof *object + object->size});
    hsc_end_object(w);
}

static void write_catalogue(hsc_writer *w)
{
    hsc_begin_object(w, &(hsc_object){
                            .id = shop->id, .type = TYPE_CATALOGUE, .size_bytes = sizeof *shop, .elements = PRODUCTS});
    for (size_t i = 0; i < PRODUCTS; i++)
        hsc_reference(w, shop->products[i]->id, LABEL_ELEMENT, i);
    hsc_end_object(w);
    for (size_t i = 0; i < PRODUCTS; i++) {
        const product *object = shop->products[i];
        hsc_begin_object(w, &(hsc_object){.id = object->id, .type = TYPE_PRODUCT, .size_bytes = sizeof *object});
        hsc_reference(w, object->name->id, LABEL_NAME, 0);
        hsc_end_object(w);
        write_text(w, object->name);
    }
}

static void write_session(hsc_writer *w, const session *object)
{
    hsc_begin_object(w, &(hsc_object){.id = object->id, .type = TYPE_SESSION, .size_bytes = sizeof *object});
    if (object->next) hsc_reference(w, object->next->id, LABEL_NEXT, 0);
    hsc_reference(w, object->user->id, LABEL_USER, 0);
    hsc_end_object(w);
    write_text(w, object->user);
}

static void write_sessions(hsc_writer *w)
{
    hsc_begin_object(
        w, &(hsc_object){.id = sessions->id, .type = TYPE_TABLE, .size_bytes = sizeof *sessions, .elements = BUCKETS});
    for (size_t i = 0; i < BUCKETS; i++)
        if (sessions->buckets[i]) hsc_reference(w, sessions->buckets[i]->id, LABEL_ELEMENT, i);
    hsc_end_object(w);
    for (size_t i = 0; i < BUCKETS; i++)
        for (const session *object = sessions->buckets[i]; object; object = object->next)
            write_session(w, object);
}

/* Under another name first, so that a capture under its name is whole. False with a message. */
static bool write_capture(const char *path, const hsc_options *options)
{
    char unfinished[4096];
    hsc_writer *w;
    if (snprintf(unfinished, sizeof unfinished, "%s.unfinished", path) >= (int)sizeof unfinished) return false;
    if (hsc_open_file(&w, unfinished, options) != HSC_OK) return perror(unfinished), false;
    define_names(w);
    hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_STATIC, .label = STRING_CATALOGUE, .target = shop->id});
    hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_STATIC, .label = STRING_SESSIONS, .target = sessions->id});
    write_catalogue(w);
    write_sessions(w);
    const bool is_done = hsc_finish(w) == HSC_OK; /* the status of the first call that failed */
    if (!is_done) fprintf(stderr, "sessions: %s: %s\n", unfinished, hsc_error_text(w));
    hsc_close(w);
    if (!is_done) return false;
    if (rename(unfinished, path) != 0) return perror(path), false;
    return true;
}

/* What says that captures are of one process, and so that equal ids are one object. */
static hsc_options describe_process(void)
{
    hsc_options options;
    struct timespec now;
    hsc_options_init(&options);
    clock_gettime(CLOCK_REALTIME, &now);
    options.producer = "sessions.c";
    options.runtime = "C";
    options.process_name = "sessions";
    options.pid = (uint64_t)getpid();
    options.started_unix_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    options.identity = HSC_IDENTITY_EXACT;
    options.pointer_bytes = sizeof(void *);
    options.facts = HSC_FACT_COLLECTED; /* no garbage: what is in it, the program holds */
    if (getrandom(options.domain, sizeof options.domain, 0) != sizeof options.domain) die("getrandom");
    return options;
}

/* ---- the server ---- */

static void on_signal(int number)
{
    if (number == SIGUSR1)
        is_capture_wanted = 1;
    else
        is_end_wanted = 1;
}

/* They arrive in ppoll alone, with the mask that this leaves in *while_waiting. */
static void take_signals(sigset_t *while_waiting)
{
    sigset_t ours;
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&ours);
    sigaddset(&ours, SIGUSR1);
    sigaddset(&ours, SIGTERM);
    sigprocmask(SIG_BLOCK, &ours, while_waiting);
    sigdelset(while_waiting, SIGUSR1);
    sigdelset(while_waiting, SIGTERM);
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
}

static int listen_on(uint16_t port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;
    const int listener = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
    if (listener < 0) die("socket");
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(listener, (struct sockaddr *)&address, size) != 0 || listen(listener, 64) != 0) die("cannot listen");
    if (getsockname(listener, (struct sockaddr *)&address, &size) != 0) die("getsockname");
    printf("listening on http://127.0.0.1:%u/\n", (unsigned)ntohs(address.sin_port));
    fflush(stdout);
    return listener;
}

/* A request is what one read brings: enough for an example. */
static void serve(int client, uint64_t number, bool leaks)
{
    static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nok\n";
    char request[4096];
    session *opened = open_session(number);
    if (read(client, request, sizeof request) > 0 && write(client, answer, sizeof answer - 1) < 0)
        perror("sessions: write");
    close(client);
    if (!leaks || number % 6 != 0) end_session(opened);
}

int main(int argc, char **argv)
{
    const bool leaks = argc > 1 && strcmp(argv[1], "--leak") == 0;
    const char *path = getenv("CAPTURE_FILE"), *port = getenv("PORT");
    const hsc_options options = describe_process();
    uint64_t number = 0;
    sigset_t while_waiting;
    take_signals(&while_waiting);
    open_shop();
    struct pollfd waiting = {.fd = listen_on(port ? (uint16_t)strtoul(port, NULL, 10) : 0), .events = POLLIN};
    while (!is_end_wanted) {
        const int ready = ppoll(&waiting, 1, NULL, &while_waiting);
        if (is_capture_wanted) {
            is_capture_wanted = 0;
            if (!write_capture(path ? path : "sessions.hs", &options)) return 1;
        }
        if (ready <= 0) continue;
        const int client = accept(waiting.fd, NULL, NULL);
        if (client >= 0) serve(client, ++number, leaks);
    }
    return 0;
}
