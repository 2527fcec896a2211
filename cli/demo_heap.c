/*
 * A toy heap, written through the same public library that runtimes embed:
 *
 *      global.sessions ──► SessionCache ──► Entry ──► Session ──► Buffer
 *                                             └──► (next Entry)       └──► string
 *      stack           ──► Request ──► string                  come and go
 *      global.config   ──► Config ──► string                   stays
 *
 * Ids are handed out once, so the diff can say exactly what is new and what was freed.
 */
#include "demo_heap.h"

#include <errno.h>
#include <string.h>

#include <hscapture/hscapture.h>

enum demo_name { SESSIONS = 1, CONFIG_NAME, REQUEST_NAME, ENTRIES, NEXT, VALUE, BUFFER_NAME, USER, PATH, TEXT };
enum demo_type { SESSION_CACHE = 1, ENTRY, SESSION, BUFFER, STRING, REQUEST, CONFIG };
enum demo_label { TO_ENTRIES = 1, TO_NEXT, TO_VALUE, TO_BUFFER, TO_USER, TO_PATH, TO_TEXT };

#define CACHE_ID         1u
#define CONFIG_ID        2u
#define CONFIG_STRINGS   40u
#define ID_OF_SESSION(i) (UINT64_C(1000) + UINT64_C(4) * (i)) /* Session, Entry, Buffer, string */
#define ID_OF_REQUEST(i) (UINT64_C(100000000) + UINT64_C(2) * (i))

typedef struct demo_sink {
    hsd_write_fn write;
    void *context;
    hsd_error *err;
} demo_sink;

static ptrdiff_t pass_on_demo_heap(void *context, const void *data, size_t size)
{
    const demo_sink *sink = context;
    if (sink->write(sink->context, data, size, sink->err) == HSD_OK) return (ptrdiff_t)size;
    errno = EIO;
    return -1;
}

static void define_demo_heap(hsc_writer *w)
{
    static const char *const names[] = {[SESSIONS] = "global.sessions",
                                        [CONFIG_NAME] = "global.config",
                                        [REQUEST_NAME] = "request handlers",
                                        [ENTRIES] = "entries",
                                        [NEXT] = "next",
                                        [VALUE] = "value",
                                        [BUFFER_NAME] = "buf",
                                        [USER] = "user",
                                        [PATH] = "path",
                                        [TEXT] = "text"};
    static const char *const types[] = {[SESSION_CACHE] = "SessionCache",
                                        [ENTRY] = "Entry<string,Session>",
                                        [SESSION] = "Session",
                                        [BUFFER] = "Buffer",
                                        [STRING] = "string",
                                        [REQUEST] = "Request",
                                        [CONFIG] = "Config"};
    for (uint32_t i = SESSIONS; i <= TEXT; i++)
        hsc_define_string(w, i, names[i], strlen(names[i]));
    for (uint32_t i = SESSION_CACHE; i <= CONFIG; i++)
        hsc_define_type(w, i, types[i], strlen(types[i]), 0);
    for (uint32_t i = TO_ENTRIES; i <= TO_TEXT; i++)
        hsc_define_label(w, i, HSC_LABEL_FIELD, 0, i - TO_ENTRIES + ENTRIES);
}

static void begin_demo_heap(hsc_writer *w, uint64_t id, uint32_t type, uint64_t size_bytes)
{
    hsc_begin_object(w, &(hsc_object){.id = id, .type = type, .size_bytes = size_bytes});
}

static void string(hsc_writer *w, uint64_t id, uint64_t size_bytes)
{
    begin_demo_heap(w, id, STRING, size_bytes);
    hsc_end_object(w);
}

static void session(hsc_writer *w, uint32_t number)
{
    const uint64_t id = ID_OF_SESSION(number);
    begin_demo_heap(w, id, SESSION, 96);
    hsc_reference(w, id + 2, TO_BUFFER, 0);
    hsc_reference(w, id + 3, TO_USER, 0);
    hsc_end_object(w);
    begin_demo_heap(w, id + 1, ENTRY, 48);
    if (number > 0) hsc_reference(w, ID_OF_SESSION(number - 1) + 1, TO_NEXT, 0);
    hsc_reference(w, id, TO_VALUE, 0);
    hsc_end_object(w);
    begin_demo_heap(w, id + 2, BUFFER, 512);
    hsc_end_object(w);
    string(w, id + 3, 24 + number % 3 * 8);
}

static void request(hsc_writer *w, uint32_t number)
{
    const uint64_t id = ID_OF_REQUEST(number);
    begin_demo_heap(w, id, REQUEST, 256);
    hsc_reference(w, id + 1, TO_PATH, 0);
    hsc_end_object(w);
    string(w, id + 1, 64);
    hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_STACK, .label = REQUEST_NAME, .target = id});
}

static void config(hsc_writer *w)
{
    begin_demo_heap(w, CONFIG_ID, CONFIG, 2048);
    for (uint32_t i = 0; i < CONFIG_STRINGS; i++)
        hsc_reference(w, CONFIG_ID + 1 + i, TO_TEXT, 0);
    hsc_end_object(w);
    for (uint32_t i = 0; i < CONFIG_STRINGS; i++)
        string(w, CONFIG_ID + 1 + i, 40 + 8 * (i % 5));
    hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_GLOBAL, .label = CONFIG_NAME, .target = CONFIG_ID});
}

static void heap(hsc_writer *w, const demo_moment *moment)
{
    define_demo_heap(w);
    config(w);
    begin_demo_heap(w, CACHE_ID, SESSION_CACHE, 32);
    if (moment->sessions > 0) hsc_reference(w, ID_OF_SESSION(moment->sessions - 1) + 1, TO_ENTRIES, 0);
    hsc_end_object(w);
    hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_GLOBAL, .label = SESSIONS, .target = CACHE_ID});
    for (uint32_t i = 0; i < moment->sessions; i++)
        session(w, i);
    for (uint32_t i = 0; i < moment->requests; i++)
        request(w, moment->first_request + i);
}

hsd_status demo_heap_write(const demo_moment *moment, hsd_write_fn write, void *context, hsd_error *err)
{
    demo_sink sink = {.write = write, .context = context, .err = err};
    const hsc_sink target = {.write = pass_on_demo_heap, .context = &sink};
    hsc_options options;
    hsc_writer *w;
    hsc_options_init(&options);
    options.producer = "hsdiff " HSDIFF_VERSION " demo";
    options.runtime = "a toy";
    options.process_name = "shop";
    options.pid = 4121;
    options.taken_unix_ns = moment->taken_unix_s * 1000000000u;
    options.facts = HSC_FACT_COLLECTED;
    options.identity = HSC_IDENTITY_EXACT;
    memset(options.domain, 0x5e, sizeof options.domain);
    memcpy(options.capture_id, &moment->taken_unix_s, sizeof moment->taken_unix_s); /* the same bytes every time */
    if (hsc_open(&w, &target, &options) != HSC_OK) return hsd_fail(err, HSD_E_NOMEM, "no memory to write a capture");
    heap(w, moment);
    const hsc_status status = hsc_finish(w);
    if (status != HSC_OK && status != HSC_E_IO) hsd_fail(err, HSD_E_MISUSE, "%s", hsc_error_text(w));
    hsc_close(w);
    return status == HSC_OK ? HSD_OK : err->status;
}
