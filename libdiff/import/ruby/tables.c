/*
 * Tables of the capture. Strings and sites are written when they are first met, types at the end, when the names of
 * classes are known.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/check.h"
#include "base/fail.h"
#include "import/ruby/ruby.h"

enum { NAME_BYTES = RUBY_TEXT_BYTES + 64, MOST_SUPERCLASSES = 64 };

typedef struct ruby_class {
    uint64_t superclass;
    uint32_t name;
} ruby_class;

typedef struct site_key {
    uint32_t file, method, line;
} site_key;

/* No padding: it is compared as bytes. */
typedef struct type_key {
    uint64_t class_address;
    uint32_t kind, detail;
} type_key;

hsd_status hsd_ruby_check_memory(const ruby *rb, hsd_error *err)
{
    const uint64_t taken = hsd_names_memory(&rb->strings.names) + hsd_names_memory(&rb->sites) +
                           hsd_names_memory(&rb->classes) + hsd_names_memory(&rb->types) +
                           rb->class_room * sizeof(ruby_class) + rb->root_room * sizeof *rb->roots;
    return hsd_import_expect_room(taken, rb->import->memory_bytes / 2, "the classes, sites and roots of this dump",
                                  taken * 4 + HSD_IMPORT_MORE, err);
}

/* ---- strings and sites ---- */

static hsd_status put_words(ruby *rb, const char *words, uint32_t *number, hsd_error *err)
{
    return hsd_ruby_put_string(rb, (hsd_bytes){(const uint8_t *)words, strlen(words)}, number, err);
}

static hsd_status define_label(ruby *rb, uint32_t label, hsc_label_kind kind, uint32_t flags, const char *words,
                               hsd_error *err)
{
    uint32_t name;
    HSD_TRY(put_words(rb, words, &name, err));
    HSD_WRITE(rb->import, hsc_define_label(rb->import->writer, label, kind, flags, name), err);
    return HSD_OK;
}

hsd_status hsd_ruby_begin_tables(ruby *rb, hsd_error *err)
{
    HSD_TRY(define_label(rb, RUBY_LABEL_CLASS, HSC_LABEL_CLASS, HSC_STRENGTH_STRONG, "class", err));
    HSD_TRY(define_label(rb, RUBY_LABEL_STATE, HSC_LABEL_FIELD, HSC_LABEL_NAMED_ROOT, "(state)", err));
    HSD_TRY(define_label(rb, RUBY_LABEL_CACHE, HSC_LABEL_INTERNAL, HSC_STRENGTH_WEAK, "cache", err));
    HSD_TRY(define_label(rb, RUBY_LABEL_STACK, HSC_LABEL_INTERNAL, HSC_STRENGTH_WEAK, "stack", err));
    HSD_TRY(put_words(rb, "VM/thread", &rb->thread, err));
    HSD_TRY(put_words(rb, "threads", &rb->thread_root, err));
    HSD_TRY(put_words(rb, "constcache", &rb->constant_cache, err));
    HSD_TRY(put_words(rb, "(caches of constants)", &rb->cache_root, err));
    return hsd_import_define_texts(rb->import, &rb->strings, err);
}

hsd_status hsd_ruby_put_string(ruby *rb, hsd_bytes text, uint32_t *number, hsd_error *err)
{
    bool is_new;
    *number = 0;
    if (text.size == 0) return HSD_OK;
    HSD_TRY(hsd_import_put_text(rb->import, &rb->strings, text, number, &is_new, err));
    return is_new ? hsd_ruby_check_memory(rb, err) : HSD_OK;
}

hsd_status hsd_ruby_put_site(ruby *rb, uint32_t *number, hsd_error *err)
{
    const ruby_line *line = &rb->line;
    const site_key key = {line->file, line->method, (uint32_t)hsd_min_u64(line->line, UINT32_MAX)};
    const uint32_t before = rb->sites.count;
    *number = 0;
    if (line->file == 0) return HSD_OK;
    HSD_TRY(hsd_names_put(&rb->sites, (hsd_bytes){(const uint8_t *)&key, sizeof key}, number, err));
    ++*number;
    if (rb->sites.count == before) return HSD_OK;
    HSD_WRITE(rb->import, hsc_define_site(rb->import->writer, *number, 0, key.method, key.file, key.line, 0), err);
    return hsd_ruby_check_memory(rb, err);
}

/* ---- classes ---- */

hsd_status hsd_ruby_put_class(ruby *rb, hsd_error *err)
{
    uint32_t row;
    HSD_TRY(hsd_names_put(&rb->classes, (hsd_bytes){(const uint8_t *)&rb->line.address, sizeof rb->line.address}, &row,
                          err));
    if (row >= rb->class_room) {
        HSD_TRY(HSD_ARRAY_GROW(rb->class_rows, rb->class_room, row + 1, 1024, "classes", err));
        HSD_TRY(hsd_ruby_check_memory(rb, err));
    }
    rb->class_rows[row] = (ruby_class){rb->line.superclass, rb->line.name};
    return HSD_OK;
}

static const ruby_class *find_class(const ruby *rb, uint64_t address)
{
    const uint32_t row = hsd_names_find(&rb->classes, (hsd_bytes){(const uint8_t *)&address, sizeof address});
    return row == HSD_NAME_NONE ? NULL : &rb->class_rows[row];
}

/* ---- types ---- */

hsd_status hsd_ruby_put_type(ruby *rb, uint32_t *number, hsd_error *err)
{
    const ruby_line *line = &rb->line;
    const bool has_class =
        line->class_address >= RUBY_LEAST_ADDRESS && !hsd_ruby_is_module(line) && !hsd_ruby_is_internal(line);
    const bool has_detail = line->kind == RUBY_DATA || hsd_ruby_is_internal(line);
    type_key key = {has_class ? line->class_address : 0, line->kind, has_detail ? line->detail : 0};
    if (line->kind == RUBY_CLASS) key.detail = line->is_singleton;
    const uint32_t before = rb->types.count;
    HSD_TRY(hsd_names_put(&rb->types, (hsd_bytes){(const uint8_t *)&key, sizeof key}, number, err));
    ++*number;
    return rb->types.count == before ? HSD_OK : hsd_ruby_check_memory(rb, err);
}

/* Names of Ruby, for objects whose class is not in the dump. */
static const char *const kind_names[RUBY_KINDS] = {
    [RUBY_UNKNOWN] = "Object",
    [RUBY_STRING] = "String",
    [RUBY_SYMBOL] = "Symbol",
    [RUBY_FLOAT] = "Float",
    [RUBY_CLASS] = "Class",
    [RUBY_MODULE] = "Module",
    [RUBY_ICLASS] = "included module",
    [RUBY_DATA] = "data",
    [RUBY_IMEMO] = "imemo",
    [RUBY_NODE] = "node",
    [RUBY_OBJECT] = "Object",
    [RUBY_STRUCT] = "Struct",
    [RUBY_ARRAY] = "Array",
    [RUBY_HASH] = "Hash",
    [RUBY_REGEXP] = "Regexp",
    [RUBY_BIGNUM] = "Integer",
    [RUBY_FILE] = "IO",
    [RUBY_MATCH] = "MatchData",
    [RUBY_COMPLEX] = "Complex",
    [RUBY_RATIONAL] = "Rational",
    [RUBY_ZOMBIE] = "finalized object",
};

static bool is_code(hsd_bytes imemo)
{
    static const char *const codes[] = {"iseq", "ment", "callcache", "callinfo", "cref", "constcache"};
    for (size_t i = 0; i < HSD_ARRAY_LEN(codes); i++)
        if (imemo.size == strlen(codes[i]) && memcmp(imemo.data, codes[i], imemo.size) == 0) return true;
    return false;
}

static hsd_bytes string_of(const ruby *rb, uint32_t number)
{
    return number == 0 ? (hsd_bytes){(const uint8_t *)"", 0} : hsd_names_get(&rb->strings.names, number - 1);
}

/* "Session", "(anonymous Session)", or nothing for a class that is not in the dump. */
static int name_by_class(const ruby *rb, char *out, size_t size, uint64_t address)
{
    bool is_anonymous = false;
    const ruby_class *class = find_class(rb, address);
    for (unsigned i = 0; class != NULL && class->name == 0 && i < MOST_SUPERCLASSES; i++) {
        is_anonymous = true;
        class = find_class(rb, class->superclass);
    }
    if (class == NULL && !is_anonymous) return 0;
    const hsd_bytes name = string_of(rb, class == NULL ? 0 : class->name);
    return snprintf(out, size, is_anonymous ? "(anonymous %.*s)" : "%.*s", (int)name.size, (const char *)name.data);
}

static int name_without_class(const ruby *rb, char *out, size_t size, const type_key *key)
{
    const hsd_bytes detail = string_of(rb, key->kind == RUBY_CLASS ? 0 : key->detail);
    const char *kind = kind_names[key->kind];
    const bool is_builtin = kind[0] >= 'A' && kind[0] <= 'Z';
    if (detail.size > 0) return snprintf(out, size, "(%s %.*s)", kind, (int)detail.size, (const char *)detail.data);
    if (key->kind == RUBY_CLASS) return snprintf(out, size, key->detail != 0 ? "(singleton class)" : "Class");
    if (key->kind == RUBY_MODULE) return snprintf(out, size, "Module");
    if (key->class_address == 0) return snprintf(out, size, is_builtin ? "(internal %s)" : "(%s)", kind);
    if (is_builtin && key->kind != RUBY_OBJECT && key->kind != RUBY_STRUCT && key->kind != RUBY_UNKNOWN)
        return snprintf(out, size, "%s", kind);
    return snprintf(out, size, "(%s of class 0x%" PRIx64 ")", kind, key->class_address);
}

hsd_status hsd_ruby_name_types(ruby *rb, hsd_error *err)
{
    char name[NAME_BYTES * 2];
    for (uint32_t i = 0; i < rb->types.count; i++) {
        type_key key;
        memcpy(&key, hsd_names_get(&rb->types, i).data, sizeof key);
        int size = key.class_address == 0 ? 0 : name_by_class(rb, name, sizeof name, key.class_address);
        if (size <= 0) size = name_without_class(rb, name, sizeof name, &key);
        uint32_t flags = 0;
        if (key.kind == RUBY_IMEMO)
            flags = is_code(string_of(rb, key.detail)) ? HSC_TYPE_CODE | HSC_TYPE_INTERNAL : HSC_TYPE_INTERNAL;
        if (key.kind == RUBY_NODE) flags = HSC_TYPE_CODE | HSC_TYPE_INTERNAL;
        HSD_WRITE(rb->import, hsc_define_type(rb->import->writer, i + 1, name, (size_t)size, flags), err);
    }
    return HSD_OK;
}
