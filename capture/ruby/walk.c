/*
 * The walk: a full collection, names of what classes hold, then every slot of the heap. What the collector finds from
 * its roots is a root by its category, but for global variables, which have names. What lies on stacks is secondary: a
 * stack is searched for anything that looks like a reference.
 */
#include <stdio.h>
#include <string.h>

#include "ruby_agent.h"

static bool is_over(const walk *w) { return w->failure != NULL || hsc_error_text(w->writer)[0] != '\0'; }

/* ---- types ---- */

/* "Session", or "(anonymous Session)" by the nearest class above that has a name. Reads what Ruby has made already. */
static size_t class_name(VALUE klass, char out[NAME_BYTES])
{
    bool is_anonymous = false;
    klass = rb_class_real(klass);
    for (; klass != 0 && !RB_SPECIAL_CONST_P(klass); klass = rb_class_get_superclass(klass)) {
        const VALUE path = RB_BUILTIN_TYPE(klass) == T_CLASS || RB_BUILTIN_TYPE(klass) == T_MODULE
                               ? rb_class_path_cached(klass)
                               : Qnil;
        if (!NIL_P(path)) {
            const int size = snprintf(out, NAME_BYTES, is_anonymous ? "(anonymous %.*s)" : "%.*s",
                                      (int)RSTRING_LEN(path), RSTRING_PTR(path));
            return size < NAME_BYTES ? (size_t)size : NAME_BYTES - 1;
        }
        is_anonymous = true;
    }
    return (size_t)snprintf(out, NAME_BYTES, "(anonymous)");
}

static bool is_code(const char *imemo)
{
    static const char *const codes[] = {"iseq", "ment", "callcache", "callinfo", "cref", "constcache"};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        if (strcmp(imemo, codes[i]) == 0) return true;
    return false;
}

static uint32_t imemo_type(walk *w, VALUE object)
{
    char text[NAME_BYTES];
    const char *name = rb_imemo_name((int)(RBASIC(object)->flags >> FL_USHIFT) & IMEMO_MASK);
    const int size = snprintf(text, sizeof text, "(imemo %s)", name == NULL ? "" : name);
    return names_put(&w->names, name != NULL && is_code(name) ? NAME_CODE_TYPE : NAME_INTERNAL_TYPE, text,
                     (size_t)size);
}

static const char *hidden_name(int type)
{
    switch (type) {
    case T_STRING: return "(internal String)";
    case T_ARRAY: return "(internal Array)";
    case T_HASH: return "(internal Hash)";
    default: return "(internal)";
    }
}

/* "Thread (app.rb:12)". */
static uint32_t thread_type(walk *w, VALUE thread)
{
    char text[NAME_BYTES], name[NAME_BYTES];
    const char *place = threads_place(&w->state, thread);
    const int length = (int)class_name(RBASIC(thread)->klass, name),
              size = snprintf(text, sizeof text, "%.*s%s%s", length, name, place[0] == '\0' ? "" : " ", place);
    return names_put(&w->names, NAME_TYPE, text, size < NAME_BYTES ? (size_t)size : NAME_BYTES - 1);
}

static uint32_t put_ruby_walk(walk *w, const char *text) { return names_put(&w->names, NAME_TYPE, text, strlen(text)); }

/* When what it refers to is known. */
static uint32_t type_of(walk *w, VALUE object)
{
    char text[NAME_BYTES];
    const int type = RB_BUILTIN_TYPE(object);
    if (type == T_IMEMO) return imemo_type(w, object);
    if (type == T_ICLASS) return put_ruby_walk(w, "(included module)");
    if (type == T_MODULE) return put_ruby_walk(w, "Module");
    if (type == T_CLASS) return put_ruby_walk(w, RB_FL_TEST_RAW(object, FL_SINGLETON) ? "(singleton class)" : "Class");
    const char *data = type == T_DATA ? rb_objspace_data_type_name(object) : NULL;
    if (RBASIC(object)->klass == rb_cProc && data != NULL && strcmp(data, "proc") == 0)
        return names_put(&w->names, NAME_TYPE, text, code_proc_type(&w->edges, text));
    if (RBASIC(object)->klass != 0 && data != NULL && strcmp(data, "VM/thread") == 0) return thread_type(w, object);
    if (RBASIC(object)->klass != 0)
        return names_put(&w->names, NAME_TYPE, text, class_name(RBASIC(object)->klass, text));
    if (data == NULL) return put_ruby_walk(w, hidden_name(type));
    const int size = snprintf(text, sizeof text, "(data %.200s)", data);
    return names_put(&w->names, NAME_TYPE, text, (size_t)size);
}

/* ---- objects ---- */

static uint32_t module_name(walk *w, VALUE object)
{
    const int type = RB_BUILTIN_TYPE(object);
    if ((type != T_CLASS && type != T_MODULE) || RB_FL_TEST_RAW(object, FL_SINGLETON)) return 0;
    const VALUE path = rb_class_path_cached(object);
    return NIL_P(path) ? 0 : names_put(&w->names, NAME_STRING, RSTRING_PTR(path), (size_t)RSTRING_LEN(path));
}

static uint64_t elements_of(VALUE object)
{
    switch (RB_BUILTIN_TYPE(object)) {
    case T_ARRAY: return (uint64_t)RARRAY_LEN(object);
    case T_STRING: return (uint64_t)RSTRING_LEN(object);
    case T_HASH: return RBASIC(object)->klass == 0 ? 0 : (uint64_t)RHASH_SIZE(object);
    default: return 0;
    }
}

static void secondary_root(walk *w, VALUE target, uint32_t string, hsc_root_kind kind)
{
    hsc_root(w->writer,
             &(hsc_root_record){.kind = kind, .flags = HSC_ROOT_SECONDARY, .label = string, .target = target});
}

static void write_references(walk *w)
{
    for (size_t i = 0; i < w->edges.count; i++) {
        const edge *one = &w->edges.rows[i];
        if (state_is_own(&w->state, one->target)) continue;
        hsc_reference(w->writer, one->target, one->label, one->index);
        if (one->label == LABEL_STACK) secondary_root(w, one->target, w->thread_string, HSC_ROOT_STACK);
        if (one->label == LABEL_CACHE) secondary_root(w, one->target, w->cache_string, HSC_ROOT_RUNTIME);
    }
}

static void write_object(walk *w, VALUE object)
{
    edges_collect(w, object);
    const hsc_object record = {.id = object,
                               .size_bytes = rb_obj_memsize_of(object),
                               .type = type_of(w, object),
                               .elements = elements_of(object),
                               .name = module_name(w, object)};
    hsc_begin_object(w->writer, &record);
    write_references(w);
    hsc_end_object(w->writer);
}

static bool is_object(VALUE slot)
{
    switch (RB_BUILTIN_TYPE(slot)) {
    case T_NONE:
    case T_NIL:
    case T_TRUE:
    case T_FALSE:
    case T_FIXNUM:
    case T_UNDEF:
    case T_MOVED:
    case T_ZOMBIE:
    case T_NODE: return false;
    default: return true;
    }
}

static int write_slots(void *start, void *end, size_t stride, void *data)
{
    walk *w = data;
    for (VALUE slot = (VALUE)start; slot != (VALUE)end && !is_over(w); slot += stride)
        if (is_object(slot) && !state_is_own(&w->state, slot)) write_object(w, slot);
    return is_over(w);
}

/* ---- roots ---- */

static bool is_global(const walk *w, VALUE target)
{
    size_t count;
    const named *rows = state_of(&w->state, 0, &count);
    for (size_t i = 0; i < count; i++)
        if (rows[i].value == target) return true;
    return false;
}

static void global_roots(walk *w)
{
    size_t count;
    const named *rows = state_of(&w->state, 0, &count);
    for (size_t i = 0; i < count; i++) {
        const char *name = rb_id2name(rows[i].name);
        const uint32_t label = names_put(&w->names, NAME_STRING, name, strlen(name));
        hsc_root(w->writer, &(hsc_root_record){.kind = HSC_ROOT_GLOBAL, .label = label, .target = rows[i].value});
    }
}

static void category_root(const char *category, VALUE target, void *data)
{
    static const struct {
        const char *name;
        hsc_root_kind kind;
        uint32_t flags;
    } known[] = {{"vm", HSC_ROOT_RUNTIME, 0},
                 {"machine_context", HSC_ROOT_STACK, HSC_ROOT_SECONDARY},
                 {"global_list", HSC_ROOT_GLOBAL, 0},
                 {"global_tbl", HSC_ROOT_GLOBAL, 0},
                 {"global_symbols", HSC_ROOT_INTERNED, 0},
                 {"finalizers", HSC_ROOT_FINALIZER, HSC_ROOT_SECONDARY},
                 {"end_proc", HSC_ROOT_RUNTIME, 0},
                 {"object_id", HSC_ROOT_RUNTIME, HSC_ROOT_SECONDARY}};
    walk *w = data;
    hsc_root_record root = {.kind = HSC_ROOT_UNKNOWN, .target = target};
    if (RB_SPECIAL_CONST_P(target) || is_global(w, target) || state_is_own(&w->state, target)) return;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(category, known[i].name) == 0)
            root = (hsc_root_record){.kind = known[i].kind, .flags = known[i].flags, .target = target};
    const char *name = target == w->state.top && strcmp(category, "vm") == 0 ? "main" : category;
    root.label = names_put(&w->names, NAME_STRING, name, strlen(name));
    hsc_root(w->writer, &root);
}

/* ---- a capture ---- */

static VALUE collect_state(VALUE data)
{
    state_collect((state *)data);
    return Qnil;
}

static VALUE write_ruby_heap(VALUE data)
{
    walk *w = (walk *)data;
    w->thread_string = names_put(&w->names, NAME_STRING, "threads", 7);
    w->cache_string = names_put(&w->names, NAME_STRING, "(caches of constants)", 21);
    global_roots(w);
    rb_objspace_each_objects(write_slots, w);
    rb_objspace_reachable_objects_from_root(category_root, w);
    return Qnil;
}

/* An error of Ruby ends the walk and not the program. */
static void protect(walk *w, VALUE (*work)(VALUE), void *data)
{
    int state = 0;
    const VALUE before = rb_errinfo();
    rb_protect(work, (VALUE)data, &state);
    if (state == 0) return;
    rb_set_errinfo(before);
    w->failure = "Ruby raised an error in the walk";
}

static void finish_ruby_walk(walk *w)
{
    if (w->failure == NULL && (w->edges.failed || w->names.failed || w->state.failed))
        w->failure = "no memory for names or references";
    hsa_write_metrics(w->writer, &w->measured);
    hsc_metric(w->writer, "gc.count", "", rb_gc_count());
    hsc_metric(w->writer, "capture.pause", "ns", hsa_now_ns() - w->started_ns);
    if (w->failure != NULL) hsc_mark_incomplete(w->writer, w->failure);
    hsc_finish(w->writer);
}

static hsc_status open_writer(walk *w, const hsc_sink *sink, int compression)
{
    static char runtime[64];
    hsc_options options;
    hsc_options_init(&options);
    hsa_measure(&w->measured);
    hsa_know_self(&w->self);
    hsa_describe(&options, &w->self);
    snprintf(runtime, sizeof runtime, "Ruby %s", ruby_version);
    options.producer = "hsdiff " HSC_VERSION " ruby agent";
    options.runtime = runtime;
    options.identity = HSC_IDENTITY_ADDRESS;
    options.facts = HSC_FACT_COLLECTED;
    options.compression = compression;
    return hsc_open(&w->writer, sink, &options);
}

const char *walk_all(const hsc_sink *sink, int compression)
{
    walk w = {.started_ns = hsa_now_ns()};
    const char *refused = NULL;
    rb_gc_start();
    const bool was_off = RTEST(rb_gc_disable());
    if (open_writer(&w, sink, compression) != HSC_OK) {
        refused = "no memory to write a capture, or nobody takes it";
    } else if (!names_open(&w.names, w.writer)) {
        refused = "no memory for names";
    } else {
        protect(&w, collect_state, &w.state);
        if (w.failure == NULL) protect(&w, write_ruby_heap, &w);
        finish_ruby_walk(&w);
    }
    if (!was_off) rb_gc_enable();
    hsc_close(w.writer);
    names_close(&w.names);
    state_release(&w.state);
    free(w.edges.rows);
    return refused;
}
