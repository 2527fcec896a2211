/*
 * What the capture calls a type: by its module and name, functions, methods, generators and frames by what they run;
 * and the names of its members. As capture/python/plans.c does.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "import/pycore/pycore.h"

enum {
    MEMBER_BYTES = 40,
    MEMBER_TYPE = 8,
    MEMBER_OFFSET = 16,
    MEMBER_OBJECT = 6,
    MEMBER_OBJECT_EX = 16,
    MOST_MEMBERS = 4096
};

static bool is_builtins(const char *module, size_t size) { return size == 8 && memcmp(module, "builtins", 8) == 0; }

size_t hsd_pynaming_type(pycore *c, const pytype *type, char out[PY_NAME_BYTES])
{
    if (!py_is(type, PY_HEAP_TYPE))
        return (size_t)snprintf(out, PY_NAME_BYTES, "%.400s", type->c_name == NULL ? "(unnamed type)" : type->c_name);
    const uint64_t module = hsd_pyvalues_find(c, type->dict, "__module__");
    size_t size = hsd_pyvalues_utf8(c, module, out, PY_NAME_BYTES / 2);
    if (is_builtins(out, size)) size = 0;
    if (size > 0) out[size++] = '.';
    size += hsd_pyvalues_utf8(c, py_word(c, type->at + c->at.heap_qualname), out + size, PY_NAME_BYTES - 1 - size);
    out[size] = '\0';
    return size;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

typedef struct pyparts {
    const char *what;
    uint64_t module, qualname, code;
} pyparts;

/* "function app.handlers.on_event.<locals>.cb (handlers.py:31)" */
static size_t write_parts(pycore *c, const pyparts *parts, char out[PY_NAME_BYTES])
{
    char path[256];
    size_t size = (size_t)snprintf(out, PY_NAME_BYTES, "%s ", parts->what);
    const size_t before = size;
    size += hsd_pyvalues_utf8(c, parts->module, out + size, PY_NAME_BYTES / 4);
    if (is_builtins(out + before, size - before)) size = before;
    if (size > before) out[size++] = '.';
    size += hsd_pyvalues_utf8(c, parts->qualname, out + size, PY_NAME_BYTES / 2 - size);
    path[hsd_pyvalues_utf8(c, py_word(c, parts->code + c->at.code_filename), path, sizeof path - 1)] = '\0';
    return size + (size_t)snprintf(out + size, PY_NAME_BYTES - size, " (%.100s:%d)", last_part(path),
                                   (int)hsd_pymemory_half(&c->memory, parts->code + c->at.code_first_line));
}

static const char *generator_word(const pycore *c, const pytype *type)
{
    if (type->at == py_symbol(c, PY_COROUTINE)) return "coroutine";
    return type->at == py_symbol(c, PY_ASYNC_GENERATOR) ? "async_generator" : "generator";
}

static pyparts parts_of_function(pycore *c, const char *what, uint64_t function)
{
    return (pyparts){what, py_word(c, function + c->at.function_module), py_word(c, function + c->at.function_qualname),
                     py_word(c, function + c->at.function_code)};
}

static pyparts parts_of_frame(pycore *c, uint64_t object)
{
    const uint64_t frame = c->at.minor >= 11 ? py_word(c, object + c->at.frame_of_object) : object;
    pyparts parts = {.what = "frame", .code = frame == 0 ? 0 : hsd_pyframes_code(c, frame)};
    if (parts.code != 0)
        parts.qualname = py_word(c, parts.code + (c->at.code_qualname != 0 ? c->at.code_qualname : c->at.code_name));
    return parts;
}

static pyparts parts_of(pycore *c, const pytype *type, uint64_t object)
{
    if (type->kind == KIND_FUNCTION) return parts_of_function(c, "function", object);
    if (type->kind == KIND_FRAME) return parts_of_frame(c, object);
    if (type->kind == KIND_METHOD) {
        const uint64_t function = py_word(c, object + METHOD_FUNCTION);
        if (function != 0 && py_type_of(c, function) == py_symbol(c, PY_FUNCTION))
            return parts_of_function(c, "method", function);
        return (pyparts){.what = NULL};
    }
    const uint64_t code = c->at.generator_code != 0 ? py_word(c, object + c->at.generator_code)
                                                    : hsd_pyframes_code(c, object + c->at.generator_frame);
    return (pyparts){generator_word(c, type), 0, py_word(c, object + c->at.generator_qualname), code};
}

uint32_t hsd_pynaming_function(pycore *c, const pytype *type, uint64_t object)
{
    char text[PY_NAME_BYTES];
    const pyparts parts = parts_of(c, type, object);
    if (parts.what == NULL || parts.code == 0 || py_type_of(c, parts.code) != py_symbol(c, PY_CODE) ||
        parts.qualname == 0)
        return type->number;
    const size_t size = write_parts(c, &parts, text);
    return hsd_pytables_put(c, NAME_FUNCTION_TYPE, text, size < sizeof text ? size : sizeof text - 1);
}

/* ---- members ---- */

typedef struct pyrows {
    pymember rows[PY_MEMBERS_MAX];
    uint32_t count;
} pyrows;

static void add_member(pycore *c, pyrows *all, const char *name, uint32_t offset)
{
    for (uint32_t i = 0; i < all->count; i++)
        if (all->rows[i].offset == offset) return;
    if (offset == 0 || all->count == PY_MEMBERS_MAX) return;
    all->rows[all->count++] = (pymember){offset, hsd_pytables_put(c, NAME_FIELD, name, strlen(name))};
}

static void members_of_one(pycore *c, const pytype *type, uint64_t at, pyrows *all)
{
    char name[256];
    uint64_t member = py_word(c, at + TYPE_MEMBERS);
    for (int i = 0; member != 0 && i < MOST_MEMBERS; i++, member += MEMBER_BYTES) {
        const uint64_t text = py_word(c, member), offset = py_word(c, member + MEMBER_OFFSET);
        const uint32_t kind = hsd_pymemory_half(&c->memory, member + MEMBER_TYPE);
        if (text == 0) return;
        if ((kind != MEMBER_OBJECT && kind != MEMBER_OBJECT_EX) || offset == 0 || offset > INT32_MAX ||
            (int64_t)offset == type->dict_offset)
            continue;
        (void)hsd_pymemory_text(&c->memory, text, name, sizeof name);
        add_member(c, all, name, (uint32_t)offset);
    }
}

static void type_members(pycore *c, const pytype *type, pyrows *all)
{
    uint64_t at = type->at;
    for (int depth = 0; at != 0 && depth < PY_BASES_MAX; depth++, at = py_word(c, at + TYPE_BASE))
        members_of_one(c, type, at, all);
}

static void add_structure(pycore *c, structure which, pyrows *all)
{
    structure_field fields[STRUCTURE_FIELDS_MAX];
    const size_t count = structure_fields(&c->at, which, fields);
    for (size_t i = 0; i < count; i++)
        add_member(c, all, fields[i].name, fields[i].offset);
}

static void known_members(pycore *c, const pytype *type, pyrows *all)
{
    if (type->kind == KIND_FUNCTION) add_structure(c, STRUCTURE_FUNCTION, all);
    if (type->kind == KIND_EXCEPTION) add_structure(c, STRUCTURE_EXCEPTION, all);
    if (type->kind == KIND_GENERATOR) add_structure(c, STRUCTURE_GENERATOR, all);
    if (type->kind == KIND_CODE) add_structure(c, STRUCTURE_CODE, all);
    if (type->kind == KIND_TRACEBACK) {
        add_member(c, all, "tb_next", TRACEBACK_NEXT);
        add_member(c, all, "tb_frame", TRACEBACK_FRAME);
    }
    if (type->kind == KIND_METHOD) {
        add_member(c, all, "__func__", METHOD_FUNCTION);
        add_member(c, all, "__self__", METHOD_SELF);
    }
    if (type->kind == KIND_TYPE) {
        add_member(c, all, "__mro__", TYPE_MRO);
        add_member(c, all, "__bases__", TYPE_BASES);
    }
    if (hsd_pyplans_is_subtype(c, type, py_symbol(c, PY_BUILTIN))) add_member(c, all, "__self__", BUILTIN_SELF);
}

bool hsd_pynaming_members(pycore *c, pytype *type)
{
    pyrows all = {.count = 0};
    hsd_error err;
    if (type->kind == KIND_LEAF) return true;
    known_members(c, type, &all);
    type_members(c, type, &all);
    if (all.count == 0) return true;
    type->members = malloc(all.count * sizeof *type->members);
    if (type->members == NULL) {
        hsd_error_init(&err);
        hsd_fail_nomem(&err, "members of a type");
        return hsd_pycore_failed(c, &err);
    }
    memcpy(type->members, all.rows, all.count * sizeof all.rows[0]);
    type->member_count = all.count;
    return true;
}
