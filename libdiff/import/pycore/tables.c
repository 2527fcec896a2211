/*
 * Types, labels and strings, each defined when it is first met. A key of a dict is the program's data: a label says it
 * only if it is an identifier and interned (capture/python/names.c, SECURITY.md).
 */
#include <stdlib.h>
#include <string.h>

#include "import/pycore/pycore.h"

hsd_status hsd_pytables_open(pycore *c, hsd_error *err)
{
    static const char *const texts[] = {"class", "__dict__", "referent", "cell_contents", "copied"};
    hsc_writer *w = c->import->writer;
    for (uint32_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        HSD_WRITE(c->import, hsc_define_string(w, i + 1, texts[i], strlen(texts[i])), err);
    HSD_WRITE(c->import, hsc_define_label(w, LABEL_ELEMENT, HSC_LABEL_ELEMENT, 0, 0), err);
    HSD_WRITE(c->import, hsc_define_label(w, LABEL_KEY, HSC_LABEL_KEY, 0, 0), err);
    HSD_WRITE(c->import, hsc_define_label(w, LABEL_VALUE, HSC_LABEL_VALUE, 0, 0), err);
    HSD_WRITE(c->import, hsc_define_label(w, LABEL_CLASS, HSC_LABEL_CLASS, 0, 1), err);
    HSD_WRITE(c->import, hsc_define_label(w, LABEL_DICT, HSC_LABEL_INTERNAL, HSC_LABEL_FOLD, 2), err);
    HSD_WRITE(c->import, hsc_define_label(w, LABEL_WEAK, HSC_LABEL_INTERNAL, HSC_STRENGTH_WEAK, 3), err);
    HSD_WRITE(c->import, hsc_define_label(w, LABEL_CONTENT, HSC_LABEL_INTERNAL, HSC_LABEL_FOLD, 4), err);
    HSD_WRITE(c->import, hsc_define_label(w, LABEL_COPIED, HSC_LABEL_INTERNAL, HSC_STRENGTH_WEAK, 5), err);
    c->tables.next_string = 6;
    c->tables.next_type = 1;
    c->tables.next_label = LABEL_FIRST_FREE;
    return HSD_OK;
}

void hsd_pytables_close(pycore *c)
{
    for (int i = 0; i < NAME_KINDS; i++) {
        hsd_names_release(&c->tables.texts[i]);
        free(c->tables.numbers[i]);
    }
}

static hsd_status define_label(pycore *c, pynaming kind, uint32_t number, uint32_t text, hsd_error *err)
{
    static const struct {
        hsc_label_kind kind;
        uint32_t flags;
    } rows[] = {[NAME_FIELD] = {HSC_LABEL_FIELD, 0},
                [NAME_GLOBAL] = {HSC_LABEL_FIELD, HSC_LABEL_NAMED_ROOT},
                [NAME_VALUE] = {HSC_LABEL_VALUE, 0},
                [NAME_VARIABLE] = {HSC_LABEL_VARIABLE, 0}};
    HSD_WRITE(c->import, hsc_define_label(c->import->writer, number, rows[kind].kind, rows[kind].flags, text), err);
    return HSD_OK;
}

static hsd_status define(pycore *c, pynaming kind, const char *text, size_t size, uint32_t *number, hsd_error *err)
{
    static const uint32_t flags[] = {[NAME_TYPE] = 0,
                                     [NAME_FUNCTION_TYPE] = 0, /* a closure is an object like others */
                                     [NAME_CODE_TYPE] = HSC_TYPE_CODE | HSC_TYPE_INTERNAL,
                                     [NAME_PART_TYPE] = HSC_TYPE_PART};
    if (kind >= NAME_FIELD) {
        const uint32_t string = hsd_pytables_put(c, NAME_STRING, text, size);
        *number = c->tables.next_label++;
        return define_label(c, kind, *number, string, err);
    }
    if (kind != NAME_STRING) {
        *number = c->tables.next_type++;
        HSD_WRITE(c->import, hsc_define_type(c->import->writer, *number, text, size, flags[kind]), err);
        return HSD_OK;
    }
    *number = c->tables.next_string++;
    HSD_WRITE(c->import, hsc_define_string(c->import->writer, *number, text, size), err);
    return HSD_OK;
}

uint32_t hsd_pytables_put(pycore *c, pynaming kind, const char *text, size_t size)
{
    pytables *t = &c->tables;
    hsd_error err;
    uint32_t at, number = 0;
    hsd_error_init(&err);
    const uint32_t before = t->texts[kind].count;
    hsd_status status = hsd_names_put(&t->texts[kind], (hsd_bytes){(const uint8_t *)text, size}, &at, &err);
    if (status == HSD_OK && at < before) return t->numbers[kind][at];
    if (status == HSD_OK)
        status = hsd_import_grow((void **)&t->numbers[kind], &t->rooms[kind], at, sizeof *t->numbers[kind], &err);
    if (status == HSD_OK) status = define(c, kind, text, size, &number, &err);
    if (status != HSD_OK) {
        (void)hsd_pycore_failed(c, &err);
        return 0;
    }
    return t->numbers[kind][at] = number;
}

/* ---- keys ---- */

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

static bool is_identifier(const char *text, size_t size)
{
    if (size == 0 || !is_letter(text[0])) return false;
    for (size_t i = 1; i < size; i++)
        if (!is_letter(text[i]) && (text[i] < '0' || text[i] > '9')) return false;
    return true;
}

static uint32_t put_key(pycore *c, pynaming kind, const char *text, size_t size, uint32_t fallback)
{
    if (kind == NAME_VALUE &&
        hsd_names_find(&c->tables.texts[kind], (hsd_bytes){(const uint8_t *)text, size}) == HSD_NAME_NONE &&
        c->tables.key_count++ >= PY_KEYS_MAX)
        return fallback;
    const uint32_t label = hsd_pytables_put(c, kind, text, size);
    return label == 0 ? fallback : label;
}

/* Interned, or a str of the interpreter's own that lives for ever; a single character may be data. */
static bool is_of_code(pycore *c, uint64_t key, size_t size)
{
    bool is_immortal;
    (void)hsd_pywalk_refcount(c, py_word(c, key), &is_immortal);
    return hsd_pyvalues_is_interned(c, key) || (is_immortal && size > 1);
}

uint32_t hsd_pytables_key(pycore *c, pynaming kind, uint64_t key, uint32_t fallback)
{
    char text[PY_KEY_BYTES_MAX];
    size_t size;
    if (key == 0 || py_type_of(c, key) != py_symbol(c, PY_TEXT) ||
        !hsd_pyvalues_ascii(c, key, text, sizeof text, &size) || !is_identifier(text, size) ||
        !is_of_code(c, key, size))
        return fallback;
    return put_key(c, kind, text, size, fallback);
}

uint32_t hsd_pytables_numbered(pycore *c, char *text, size_t size, uint32_t fallback)
{
    size_t kept = 0;
    for (size_t i = 0; i < size; i++) {
        const bool is_digit = text[i] >= '0' && text[i] <= '9';
        if (is_digit && kept > 0 && text[kept - 1] == '*') continue;
        text[kept++] = is_digit ? '*' : text[i];
    }
    return kept == 0 ? fallback : put_key(c, NAME_VALUE, text, kept, fallback);
}
