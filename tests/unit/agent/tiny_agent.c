/* An agent of made-up objects: see its header. */
#include "unit/agent/tiny_agent.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

_Atomic int tiny_served, tiny_at_once, tiny_pushed;
const char *tiny_more_options = "";
static _Atomic int serving;

static void write_objects(hsc_writer *w, const hsa_request *request)
{
    const uint64_t objects = hsa_option_number(request, "objects", 1000), cut = hsa_option_number(request, "cut", 0);
    const uint64_t pause = hsa_option_number(request, "pause", 0);
    hsc_define_type(w, 1, "Node", 4, 0);
    hsc_define_label(w, 1, HSC_LABEL_FIELD, 0, 0);
    for (uint64_t i = 0; i < objects && (cut == 0 || i < cut); i++) {
        hsc_begin_object(w, &(hsc_object){.id = 4096 + 16 * i, .type = 1, .size_bytes = 16 + i * 2654435761u % 256});
        if (i > 0) hsc_reference(w, 4096 + 16 * (i - 1), 1, 0);
        hsc_end_object(w);
        if (pause > 0 && i % 1000 == 999) nanosleep(&(struct timespec){.tv_nsec = (long)pause * 1000000}, NULL);
    }
    hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_GLOBAL, .target = 4096 + 16 * (objects - 1)});
    hsc_metric(w, "capture.pause", "ns", 1234567);
}

static void capture(const hsa_request *request)
{
    hsa_self self;
    hsa_metrics metrics;
    hsa_arena arena;
    hsc_options options;
    hsc_writer *w = NULL;
    const hsc_sink sink = hsa_sink(request);
    if (!hsa_arena_open(&arena, (size_t)16 << 20)) return;
    const hsc_allocator allocator = hsa_arena_allocator(&arena);
    hsa_know_self(&self);
    hsa_measure(&metrics);
    hsc_options_init(&options);
    hsa_describe(&options, &self);
    options.producer = "tiny agent";
    options.identity = HSC_IDENTITY_ADDRESS;
    options.allocator = &allocator;
    if (hsa_option_number(request, "big", 0) == 1) options.compression = 0;
    if (hsc_open(&w, &sink, &options) == HSC_OK) {
        write_objects(w, request);
        hsa_write_metrics(w, &metrics);
        if (hsa_option_number(request, "cut", 0) == 0) hsc_finish(w);
        hsc_close(w);
    }
    hsa_arena_close(&arena);
}

static void serve(void *context, const hsa_request *request)
{
    hsa_request asked = *request;
    (void)context;
    tiny_served++;
    const int now = ++serving;
    if (now > tiny_at_once) tiny_at_once = now;
    if (request->is_push) tiny_pushed++;
    snprintf(asked.options, sizeof asked.options, "%s %.900s", tiny_more_options, request->options);
    if (asked.verb == HSA_FORGET)
        hsa_refuse(&asked, "this agent keeps nothing");
    else if (hsa_option_number(&asked, "refuse", 0) == 1)
        hsa_refuse(&asked, "not now:\nthe heap is being walked");
    else if (hsa_accept(&asked))
        capture(&asked);
    serving--;
}

hsa_agent tiny_agent(const char *name) { return (hsa_agent){.name = name, .serve = serve}; }
