/*
 * One line: its keys in any order, but for the address and the type, which stand in front of the references.
 */
#include <string.h>

#include "import/ruby/ruby.h"

enum { LONGEST_KEY = 40 };

typedef hsd_status (*key_fn)(ruby *rb, hsd_error *err);

/* ---- keys ---- */

static hsd_status read_kind(ruby *rb, hsd_error *err)
{
#define KIND(kind)                                                                                                     \
    {                                                                                                                  \
#kind, sizeof #kind - 1, RUBY_##kind                                                                           \
    }
    static const struct {
        const char *name;
        size_t size;
        ruby_kind kind;
    } kinds[] = {
        KIND(STRING), KIND(IMEMO),   KIND(OBJECT),   KIND(ARRAY),  KIND(HASH), KIND(DATA),   KIND(STRUCT), KIND(CLASS),
        KIND(MODULE), KIND(ICLASS),  KIND(SYMBOL),   KIND(FLOAT),  KIND(NODE), KIND(REGEXP), KIND(BIGNUM), KIND(FILE),
        KIND(MATCH),  KIND(COMPLEX), KIND(RATIONAL), KIND(ZOMBIE), KIND(ROOT), KIND(SHAPE),  KIND(NONE),
    };
    HSD_TRY(hsd_ruby_read_text(rb, &rb->text, err));
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (kinds[i].size == rb->text.size && memcmp(kinds[i].name, rb->text.data, rb->text.size) == 0) {
            rb->line.kind = kinds[i].kind;
            break;
        }
#undef KIND
    return HSD_OK;
}

static hsd_status read_string(ruby *rb, bool is_raw, uint32_t *number, hsd_error *err)
{
    HSD_TRY(is_raw ? hsd_ruby_read_raw(rb, &rb->text, err) : hsd_ruby_read_text(rb, &rb->text, err));
    return hsd_ruby_put_string(rb, (hsd_bytes){rb->text.data, rb->text.size}, number, err);
}

static hsd_status read_address(ruby *rb, hsd_error *err)
{
    rb->line.has_address = true;
    return hsd_ruby_read_address(rb, &rb->line.address, err);
}

static hsd_status read_class(ruby *rb, hsd_error *err)
{
    return hsd_ruby_read_address(rb, &rb->line.class_address, err);
}
static hsd_status read_superclass(ruby *rb, hsd_error *err)
{
    return hsd_ruby_read_address(rb, &rb->line.superclass, err);
}
static hsd_status read_elements(ruby *rb, hsd_error *err) { return hsd_ruby_read_number(rb, &rb->line.elements, err); }
static hsd_status read_memsize(ruby *rb, hsd_error *err) { return hsd_ruby_read_number(rb, &rb->line.memsize, err); }
static hsd_status read_slot_size(ruby *rb, hsd_error *err)
{
    return hsd_ruby_read_number(rb, &rb->line.slot_size, err);
}
static hsd_status read_generation(ruby *rb, hsd_error *err)
{
    return hsd_ruby_read_number(rb, &rb->line.generation, err);
}
static hsd_status read_line_number(ruby *rb, hsd_error *err) { return hsd_ruby_read_number(rb, &rb->line.line, err); }
static hsd_status read_file(ruby *rb, hsd_error *err) { return read_string(rb, true, &rb->line.file, err); }
static hsd_status read_method(ruby *rb, hsd_error *err) { return read_string(rb, false, &rb->line.method, err); }
static hsd_status read_struct(ruby *rb, hsd_error *err) { return read_string(rb, true, &rb->line.detail, err); }
static hsd_status read_detail(ruby *rb, hsd_error *err) { return read_string(rb, false, &rb->line.detail, err); }
static hsd_status read_root(ruby *rb, hsd_error *err) { return read_string(rb, false, &rb->line.root, err); }

static hsd_status read_name(ruby *rb, hsd_error *err)
{
    if (hsd_ruby_is_module(&rb->line)) return read_string(rb, true, &rb->line.name, err);
    return hsd_ruby_read_raw(rb, &rb->text, err);
}

static hsd_status read_singleton(ruby *rb, hsd_error *err)
{
    rb->line.is_singleton = true;
    return hsd_ruby_skip_value(rb, err);
}

static hsd_status read_value(ruby *rb, hsd_error *err)
{
    const ruby_kind kind = rb->line.kind;
    if (kind != RUBY_STRING && kind != RUBY_SYMBOL && kind != RUBY_FLOAT) return hsd_ruby_skip_value(rb, err);
    rb->line.has_value = true;
    return hsd_ruby_read_text(rb, &rb->value, err);
}

static hsd_status read_references(ruby *rb, hsd_error *err)
{
    uint64_t target;
    HSD_TRY(hsd_ruby_look(rb, 1, err));
    if (*rb->source->at != '[') return HSD_END;
    hsd_source_take(rb->source, 1);
    for (;;) {
        HSD_TRY(hsd_ruby_skip_spaces(rb, err));
        if (*rb->source->at == ']') break;
        HSD_TRY(hsd_ruby_read_address(rb, &target, err));
        if (target >= RUBY_LEAST_ADDRESS) HSD_TRY(hsd_ruby_add_target(rb, target, err));
        HSD_TRY(hsd_ruby_skip_spaces(rb, err));
        if (*rb->source->at == ',')
            hsd_source_take(rb->source, 1);
        else if (*rb->source->at != ']')
            return HSD_END;
    }
    hsd_source_take(rb->source, 1);
    return HSD_OK;
}

/* ---- the line ---- */

static const struct {
    const char *name;
    size_t size;
    key_fn read;
} keys[] = {
#define KEY(name, read)                                                                                                \
    {                                                                                                                  \
        name, sizeof name - 1, read                                                                                    \
    }
    KEY("address", read_address),
    KEY("type", read_kind),
    KEY("class", read_class),
    KEY("value", read_value),
    KEY("references", read_references),
    KEY("memsize", read_memsize),
    KEY("file", read_file),
    KEY("line", read_line_number),
    KEY("method", read_method),
    KEY("generation", read_generation),
    KEY("slot_size", read_slot_size),
    KEY("length", read_elements),
    KEY("size", read_elements),
    KEY("imemo_type", read_detail),
    KEY("node_type", read_detail),
    KEY("struct", read_struct),
    KEY("name", read_name),
    KEY("real_class_name", read_name),
    KEY("superclass", read_superclass),
    KEY("singleton", read_singleton),
    KEY("root", read_root),
#undef KEY
};

static hsd_status read_key(ruby *rb, key_fn *read, hsd_error *err)
{
    HSD_TRY(hsd_ruby_look(rb, LONGEST_KEY + 2, err));
    const uint8_t *at = rb->source->at;
    const size_t ahead = hsd_source_ahead(rb->source), most = ahead < LONGEST_KEY + 2 ? ahead : LONGEST_KEY + 2;
    const uint8_t *end = at[0] == '"' ? memchr(at + 1, '"', most - 1) : NULL;
    *read = hsd_ruby_skip_value;
    if (end == NULL) {
        if (at[0] != '"' || most == LONGEST_KEY + 2) return HSD_END;
        hsd_source_take(rb->source, ahead);
        return hsd_ruby_look(rb, 1, err);
    }
    const size_t size = (size_t)(end - at) - 1;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (keys[i].size == size && keys[i].name[0] == (char)at[1] && memcmp(keys[i].name, at + 1, size) == 0) {
            *read = keys[i].read;
            break;
        }
    hsd_source_take(rb->source, size + 2);
    HSD_TRY(hsd_ruby_skip_spaces(rb, err));
    if (*rb->source->at != ':') return HSD_END;
    hsd_source_take(rb->source, 1);
    return hsd_ruby_skip_spaces(rb, err);
}

/* HSD_END: no line of JSON. Leaves the source behind the newline. */
static hsd_status read_keys(ruby *rb, hsd_error *err)
{
    key_fn read;
    if (*rb->source->at != '{') return HSD_END;
    do {
        hsd_source_take(rb->source, 1); /* the brace, or the comma */
        HSD_TRY(hsd_ruby_skip_spaces(rb, err));
        HSD_TRY(read_key(rb, &read, err));
        HSD_TRY(read(rb, err));
        if (rb->line.kind == RUBY_SHAPE || rb->line.kind == RUBY_NONE) return hsd_ruby_skip_line(rb, err);
        HSD_TRY(hsd_ruby_skip_spaces(rb, err));
    } while (*rb->source->at == ',');
    if (*rb->source->at != '}') return HSD_END;
    hsd_source_take(rb->source, 1);
    HSD_TRY(hsd_ruby_skip_spaces(rb, err));
    if (*rb->source->at != '\n') return HSD_END;
    hsd_source_take(rb->source, 1);
    return HSD_OK;
}

hsd_status hsd_ruby_read_line(ruby *rb, hsd_error *err)
{
    rb->line = (ruby_line){0};
    rb->target_count = 0;
    HSD_TRY(hsd_source_peek(rb->source, 1, err));
    const hsd_status status = read_keys(rb, err);
    if (status != HSD_END) return status;
    rb->unreadable += *rb->source->at != '\n' || rb->line.kind != RUBY_UNKNOWN;
    HSD_TRY(hsd_ruby_skip_line(rb, err));
    if (rb->line.is_spilled)
        rb->line.is_cut = true; /* its references are in the capture already */
    else
        rb->line = (ruby_line){0};
    return HSD_OK;
}
