/*
 * The walk, in the order of the agent's (capture/python/walk.c):
 *
 *      modules with their dicts    so that each is known as what it is
 *      lists of the collector      all that it follows but plain dicts: an instance writes its dict itself
 *      lists of the collector      dicts that nobody has written
 *      what else was referred to   objects that are in no list
 *
 * What a hostile core could repeat without end is bounded: an object is written once, lists of the collector have no
 * more members than the core has room for, and neither have all objects together more references.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "import/pycore/pycore.h"

enum { GENERATIONS = 3, GENERATION_BYTES = 24, GENERATION_PERMANENT = 3, GENERATION_NONE = 4, GC_HEAD = 16 };
enum { IMMORTAL_MIN = 900000000, OBJECT_BYTES = 16, MOST_INTERPRETERS = 4096, PROGRESS_EVERY = 1 << 14 };

bool hsd_pywalk_is_over(const pycore *c) { return c->has_failed || c->memory.failure.status != HSD_OK; }

static void fail_status(pycore *c, hsd_status status, const hsd_error *err)
{
    if (status != HSD_OK) (void)hsd_pycore_failed(c, err);
}

/* ---- objects that were met ---- */

static uint64_t memory_taken(const pycore *c)
{
    uint64_t taken = (uint64_t)c->visit_room * sizeof *c->visits + hsd_id_table_memory(&c->ids) +
                     ((uint64_t)c->queue.room + c->told.room) * sizeof *c->queue.at;
    for (int i = 0; i < NAME_KINDS; i++)
        taken += hsd_names_memory(&c->tables.texts[i]);
    return taken;
}

static hsd_status check_memory(pycore *c, hsd_error *err)
{
    const uint64_t taken = memory_taken(c), allowed = c->import->memory_bytes / 4 * 3;
    if (taken <= allowed) return HSD_OK;
    hsd_fail(err, HSD_E_OVER_BUDGET, "the objects of this core take more than %" PRIu64 " MiB", allowed >> 20);
    hsd_error_set_hint(err, "give it more: --memory %" PRIu64 "M or so", (taken * 4 >> 20) + 64);
    return HSD_E_OVER_BUDGET;
}

static hsd_status add_visit(pycore *c, uint64_t object, uint32_t *number, hsd_error *err)
{
    HSD_TRY(hsd_id_table_put(&c->ids, object, number, err));
    if (*number - 1 >= c->visit_room) HSD_TRY(check_memory(c, err));
    HSD_TRY(hsd_import_grow((void **)&c->visits, &c->visit_room, *number, sizeof *c->visits, err));
    c->visits[*number - 1] = (pyvisit){.at = object};
    return HSD_OK;
}

static hsd_status put_waiting(pycore *c, uint32_t number, hsd_error *err)
{
    HSD_TRY(hsd_import_grow((void **)&c->queue.at, &c->queue.room, c->queue.count, sizeof *c->queue.at, err));
    c->queue.at[c->queue.count++] = number;
    return HSD_OK;
}

static bool is_tracked(pycore *c, const pytype *type, uint64_t object)
{
    return hsd_pyplans_is_gc(c, type, object) && py_word(c, object - GC_HEAD) != 0;
}

/* The number of an object; 0 for what is none. */
static uint32_t meet(pycore *c, uint64_t object, pyrole as)
{
    hsd_error err;
    uint32_t number = hsd_id_table_find(&c->ids, object);
    bool waits;
    hsd_error_init(&err);
    if (number == 0) {
        const pytype *type = hsd_pyplans_of_object(c, object);
        if (type == NULL || hsd_pywalk_is_over(c)) return 0;
        waits = as != ROLE_NONE || !is_tracked(c, type, object);
        fail_status(c, add_visit(c, object, &number, &err), &err);
        if (hsd_pywalk_is_over(c)) return 0;
    } else {
        waits = as != ROLE_NONE && !c->visits[number - 1].is_written;
    }
    if (!waits) return number;
    c->visits[number - 1].role = (uint8_t)as;
    fail_status(c, put_waiting(c, number, &err), &err);
    return number;
}

/* ---- references ---- */

static void flush_pywalk(pycore *c)
{
    if (c->out_count > 0 && !c->import->options->summary_only) {
        hsd_error err;
        hsd_error_init(&err);
        const hsc_status status = hsc_references(c->import->writer, c->targets, c->labels, c->indexes, c->out_count);
        if (status != HSC_OK) fail_status(c, hsd_import_writer_status(c->import, status, &err), &err);
    }
    c->import->result->references += c->out_count;
    c->out_count = 0;
}

void hsd_pywalk_refer(pycore *c, uint64_t target, uint32_t label, uint64_t index, pyrole as, bool is_counted)
{
    if (target == 0 || hsd_pywalk_is_over(c)) return;
    if (c->references++ >= c->most_references) {
        hsd_error err;
        hsd_error_init(&err);
        hsd_fail(&err, HSD_E_CORRUPT, "the objects of this core refer to more than it has room for");
        (void)hsd_pycore_failed(c, &err);
        return;
    }
    const uint32_t number = meet(c, target, as);
    if (number == 0) {
        c->strange++;
        return;
    }
    if (is_counted) c->visits[number - 1].balance++;
    if (c->out_count == PY_OUT_ROWS) flush_pywalk(c);
    c->targets[c->out_count] = target;
    c->labels[c->out_count] = label;
    c->indexes[c->out_count++] = index;
}

bool hsd_pywalk_meet(pycore *c, uint64_t object, bool is_counted)
{
    const uint32_t number = object == 0 ? 0 : meet(c, object, ROLE_NONE);
    if (number != 0 && is_counted) c->visits[number - 1].balance++;
    return number != 0;
}

uint64_t hsd_pywalk_refcount(const pycore *c, uint64_t word, bool *is_immortal)
{
    *is_immortal = c->at.minor >= 12 ? (int32_t)word < 0 : (int64_t)word > IMMORTAL_MIN;
    return c->at.minor >= 12 ? (uint32_t)word : word;
}

bool hsd_pywalk_is_held(const pycore *c, uint64_t object)
{
    const uint32_t number = hsd_id_table_find(&c->ids, object);
    return number != 0 && c->visits[number - 1].is_written && c->visits[number - 1].balance < 0;
}

/* ---- objects ---- */

static uint64_t elements_of(pycore *c, const pytype *type, uint64_t object)
{
    if (type->kind == KIND_LIST || type->kind == KIND_TUPLE) {
        const int64_t size = (int64_t)py_word(c, object + AT_SIZE);
        return size < 0 ? 0 : (uint64_t)size;
    }
    if (type->kind == KIND_DICT) return py_word(c, object + DICT_USED);
    return type->kind == KIND_SET ? py_word(c, object + SET_USED) : 0;
}

static void name_type(pycore *c, pytype *type)
{
    char text[PY_NAME_BYTES];
    const size_t size = hsd_pynaming_type(c, type, text);
    type->number = hsd_pytables_put(c, type->kind == KIND_CODE ? NAME_CODE_TYPE : NAME_TYPE, text, size);
    (void)hsd_pynaming_members(c, type);
    (void)meet(c, type->at, ROLE_NONE);
}

static uint32_t type_number(pycore *c, const pytype *type, uint64_t object, pyrole as)
{
    static const char part[] = "dict of an instance";
    if (as == ROLE_INSTANCE_DICT && type->kind == KIND_DICT && type->is_exact)
        return hsd_pytables_put(c, NAME_PART_TYPE, part, sizeof part - 1);
    const bool has_own = type->kind == KIND_FUNCTION || type->kind == KIND_METHOD || type->kind == KIND_GENERATOR ||
                         type->kind == KIND_FRAME;
    return has_own ? hsd_pynaming_function(c, type, object) : type->number;
}

static hsd_status write_record(pycore *c, pytype *type, const hsc_object *record, pyrole as, hsd_error *err)
{
    hsd_import *import = c->import;
    const uint64_t bytes = hsd_add_saturating(record->size_bytes, record->native_bytes);
    import->result->objects++;
    import->result->bytes = hsd_add_saturating(import->result->bytes, bytes);
    if (import->options->summary_only)
        HSD_WRITE(import, hsc_count(import->writer, record->type, 1, bytes), err);
    else
        HSD_WRITE(import, hsc_begin_object(import->writer, record), err);
    hsd_pyedges_of(c, type, record->id, as);
    flush_pywalk(c);
    if (!import->options->summary_only) HSD_WRITE(import, hsc_end_object(import->writer), err);
    if (import->result->objects % PROGRESS_EVERY == 0)
        HSD_TRY(hsd_progress(import->reporter, "reading objects", import->result->objects, 0, err));
    return HSD_OK;
}

static void write_one(pycore *c, uint64_t object, pyrole as, uint32_t name, uint32_t generation)
{
    pytype *type = hsd_pyplans_of_object(c, object);
    hsd_error err;
    if (type == NULL) return;
    hsd_error_init(&err);
    if (type->number == 0) name_type(c, type);
    const pysizes size = hsd_pysizes_of(c, type, object);
    const hsc_object record = {.id = object,
                               .size_bytes = size.bytes,
                               .native_bytes = size.outside,
                               .type = type_number(c, type, object, as),
                               .elements = elements_of(c, type, object),
                               .category = c->generation_string[generation],
                               .name = name};
    if (!hsd_pywalk_is_over(c)) fail_status(c, write_record(c, type, &record, as, &err), &err);
}

/* Is it to be written now? */
static bool claim_pywalk(pycore *c, uint64_t object)
{
    const uint32_t number = meet(c, object, ROLE_NONE);
    if (number == 0 || c->visits[number - 1].is_written) return false;
    c->visits[number - 1].is_written = true;
    hsd_pyroots_account(c, object, hsd_pyplans_of_object(c, object), &c->visits[number - 1]);
    return true;
}

/* A class, and its dict, whose entries start owners of their own if the class is one that lasts. */
static void write_class(pycore *c, uint64_t object, uint32_t generation)
{
    char text[PY_NAME_BYTES];
    const pytype *type = hsd_pyplans_of(c, object);
    uint32_t name = 0;
    if (type != NULL) {
        const size_t size = hsd_pynaming_type(c, type, text);
        name = hsd_pytables_put(c, NAME_STRING, text, size);
    }
    write_one(c, object, ROLE_NONE, name, generation);
    const uint64_t dict = type == NULL ? 0 : type->dict;
    if (dict != 0 && py_type_of(c, dict) == py_symbol(c, PY_DICT) && claim_pywalk(c, dict))
        write_one(c, dict, hsd_pyroots_is_named(c, object, type) ? ROLE_CLASS_DICT : ROLE_LOOSE_CLASS_DICT, name,
                  GENERATION_NONE);
}

static void write_any(pycore *c, uint64_t object, pyrole as, uint32_t name, uint32_t generation)
{
    if (py_is(hsd_pyplans_of_object(c, object), PY_IS_TYPE))
        write_class(c, object, generation);
    else
        write_one(c, object, as, name, generation);
}

static void drain(pycore *c)
{
    while (c->queue.count > 0 && !hsd_pywalk_is_over(c)) {
        const pyvisit *next = &c->visits[c->queue.at[--c->queue.count] - 1];
        const uint64_t object = next->at;
        const pyrole as = (pyrole)next->role;
        if (claim_pywalk(c, object)) write_any(c, object, as, 0, GENERATION_NONE);
    }
}

void hsd_pywalk_write(pycore *c, uint64_t object, pyrole as, uint32_t name)
{
    if (object != 0 && claim_pywalk(c, object)) write_any(c, object, as, name, GENERATION_NONE);
    drain(c);
}

/* ---- lists of the collector ---- */

static uint64_t head_of(pycore *c, uint64_t interpreter, uint32_t generation)
{
    const layout *at = &c->at;
    const uint64_t state = at->interp_gc != 0 ? interpreter + at->interp_gc : py_symbol(c, PY_RUNTIME) + at->runtime_gc;
    return state +
           (generation == GENERATION_PERMANENT ? at->gc_permanent : at->gc_generations + generation * GENERATION_BYTES);
}

static uint64_t next_of(pycore *c, uint64_t head) { return py_word(c, head) & ~UINT64_C(3); }

typedef void (*each_fn)(pycore *c, uint64_t object, uint32_t generation);

static void each_tracked(pycore *c, uint64_t interpreter, each_fn each)
{
    uint64_t left = c->memory.core_bytes / OBJECT_BYTES;
    for (uint32_t g = 0; g <= GENERATION_PERMANENT; g++) {
        const uint64_t head = head_of(c, interpreter, g);
        for (uint64_t at = next_of(c, head); at != head && at != 0 && left > 0 && !hsd_pywalk_is_over(c); left--) {
            each(c, at + GC_HEAD, g);
            at = next_of(c, at);
        }
    }
}

static void write_but_dicts(pycore *c, uint64_t object, uint32_t generation)
{
    c->tracked++;
    if (py_type_of(c, object) == py_symbol(c, PY_DICT) || !claim_pywalk(c, object)) return;
    write_any(c, object, ROLE_NONE, 0, generation);
    drain(c);
}

static void write_dicts(pycore *c, uint64_t object, uint32_t generation)
{
    if (py_type_of(c, object) != py_symbol(c, PY_DICT) || !claim_pywalk(c, object)) return;
    write_one(c, object, ROLE_NONE, 0, generation);
    drain(c);
}

static void first_pass(pycore *c, uint64_t interpreter) { each_tracked(c, interpreter, write_but_dicts); }
static void second_pass(pycore *c, uint64_t interpreter) { each_tracked(c, interpreter, write_dicts); }

/* What was referred to and is in no list: those of a collection that was under way. */
static void write_others(pycore *c)
{
    for (uint32_t i = 0; i < c->ids.count && !hsd_pywalk_is_over(c); i++)
        if (!c->visits[i].is_written) hsd_pywalk_write(c, c->visits[i].at, ROLE_NONE, 0);
}

/* ---- interpreters ---- */

static void each_interpreter(pycore *c, void (*each)(pycore *, uint64_t))
{
    uint64_t interpreter = py_word(c, py_symbol(c, PY_RUNTIME) + c->links.first_interpreter);
    for (int i = 0; i < MOST_INTERPRETERS && interpreter != 0 && !hsd_pywalk_is_over(c); i++) {
        each(c, interpreter);
        interpreter = hsd_pycore_next_interpreter(c, interpreter);
    }
}

/* A list's neighbours point back to its head; not so while one is put in or taken out, and the core may be of that very
 * moment. */
static bool is_list(pycore *c, uint64_t head)
{
    const uint64_t next = next_of(c, head), previous = py_word(c, head + 8) & ~UINT64_C(3);
    return next != 0 && previous != 0 && (py_word(c, next + 8) & ~UINT64_C(3)) == head && next_of(c, previous) == head;
}

static void check_pywalk(pycore *c, uint64_t interpreter)
{
    hsd_error err;
    uint32_t lists = 0;
    for (uint32_t g = 0; g <= GENERATION_PERMANENT; g++)
        lists += is_list(c, head_of(c, interpreter, g));
    c->torn += GENERATION_PERMANENT + 1 - lists;
    if (lists >= GENERATION_PERMANENT) return; /* all but one */
    hsd_error_init(&err);
    hsd_fail(&err, HSD_E_UNSUPPORTED,
             "the lists of this interpreter's collector do not lie where its version has them: it is built otherwise "
             "than usual, or the core lacks its memory");
    (void)hsd_pycore_failed(c, &err);
}

static void name_generations(pycore *c)
{
    static const char *const texts[] = {"gc generation 0", "gc generation 1", "gc generation 2",
                                        "gc permanent generation", "not followed by the gc"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        c->generation_string[i] = hsd_pytables_put(c, NAME_STRING, texts[i], strlen(texts[i]));
}

hsd_status hsd_pywalk_all(pycore *c, hsd_error *err)
{
    name_generations(c);
    each_interpreter(c, check_pywalk);
    each_interpreter(c, hsd_pyroots_modules);
    each_interpreter(c, hsd_pyroots_interpreter);
    each_interpreter(c, hsd_pyframes_of_threads);
    each_interpreter(c, first_pass);
    each_interpreter(c, second_pass);
    write_others(c);
    each_interpreter(c, hsd_pyroots_tasks);
    if (!hsd_pywalk_is_over(c)) hsd_pyroots_held(c);
    return hsd_pycore_check(c, err);
}
