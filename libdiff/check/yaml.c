/*
 * YAML into a tree. The events of libyaml come in document order; a stack of at most 16 open maps and lists says where
 * each node belongs.
 */
#include "check/yaml.h"

#include <string.h>

#if HSD_HAVE_YAML
#include <yaml.h>

#include "base/fail.h"

#define DEPTH_MOST 16u
#define NODES_MOST 100000u
#define KEYS_MOST  1000u

typedef struct frame { /* a map or list that is open */
    hsd_yaml_node *node;
    hsd_yaml_node *last; /* its last item or key */
    hsd_yaml_node *key;  /* the key that waits for its value */
} frame;

typedef struct reader {
    yaml_parser_t parser;
    hsd_check_store *store;
    const hsd_yaml_node *root;
    frame open[DEPTH_MOST];
    size_t depth;
    size_t node_count, document_count;
    hsd_error *err;
} reader;

static uint32_t line_of(yaml_mark_t mark) { return (uint32_t)mark.line + 1; }

static hsd_status refuse_yaml(reader *r, uint32_t line, const char *what, const char *hint)
{
    hsd_fail(r->err, HSD_E_CORRUPT, "has %s in line %u", what, line);
    hsd_error_set_hint(r->err, "%s", hint);
    return HSD_E_CORRUPT;
}

/* ---- what libyaml could not read ---- */

static uint32_t line_at(const char *text, size_t size, size_t offset)
{
    uint32_t line = 1;
    for (size_t i = 0; i < offset && i < size; i++)
        line += text[i] == '\n';
    return line;
}

static hsd_status tell_problem(reader *r, const char *text, size_t size)
{
    const yaml_parser_t *p = &r->parser;
    const char *problem = p->problem != NULL ? p->problem : "something that cannot be read";
    if (p->error == YAML_MEMORY_ERROR) return hsd_fail_nomem(r->err, "the configuration");
    if (p->error == YAML_READER_ERROR) {
        hsd_fail(r->err, HSD_E_CORRUPT, "is no UTF-8 text in line %u: %s", line_at(text, size, p->problem_offset),
                 problem);
        hsd_error_set_hint(r->err, "Save it as UTF-8; characters that cannot be typed are written \"\\x1b\", with "
                                   "double quotes.");
    } else {
        hsd_fail(r->err, HSD_E_CORRUPT, "is no YAML in line %u: %s", line_of(p->problem_mark), problem);
        hsd_error_set_hint(r->err, "Write `key: value`, begin items of a list with `- `, indent with blanks and not "
                                   "with tabs, and quote texts that begin with * ? [ { & ! | > %% @: type: '*Session'");
    }
    return HSD_E_CORRUPT;
}

/* ---- the tree ---- */

static hsd_status new_node(reader *r, hsd_yaml_kind kind, yaml_mark_t mark, hsd_yaml_node **out)
{
    void *node;
    if (++r->node_count > NODES_MOST)
        return refuse_yaml(r, line_of(mark), "more than 100,000 values",
                           "Write fewer rules: a pattern covers many names.");
    HSD_TRY(hsd_check_take(r->store, 1, sizeof **out, &node, r->err));
    *out = node;
    (*out)->kind = kind;
    (*out)->line = line_of(mark);
    return HSD_OK;
}

static const hsd_yaml_node *find_key(const hsd_yaml_node *map, hsd_text name)
{
    const hsd_yaml_node *key = map->first;
    while (key != NULL && !hsd_check_is_same(key->text, name))
        key = key->next;
    return key;
}

static hsd_status refuse_second(reader *r, const hsd_yaml_node *first, const hsd_yaml_node *key)
{
    hsd_fail(r->err, HSD_E_CORRUPT, "has '%.*s' a second time in line %u", hsd_check_shown(key->text), key->text.data,
             key->line);
    hsd_error_set_hint(r->err,
                       "It is there in line %u already: one of the two has to go. Several limits are a list: "
                       "max_growth: [16 MiB, 5 %%]",
                       first->line);
    return HSD_E_CORRUPT;
}

static void link_last(frame *parent, hsd_yaml_node *node)
{
    if (parent->last != NULL)
        parent->last->next = node;
    else
        parent->node->first = node;
    parent->last = node;
    parent->node->count++;
}

static hsd_status place_key(reader *r, frame *map, hsd_yaml_node *key)
{
    if (key->kind != HSD_YAML_TEXT)
        return refuse_yaml(r, key->line, "a key that is no text", "Quote what begins with [ or {: type: '[I'");
    const hsd_yaml_node *first = find_key(map->node, key->text);
    if (first != NULL) return refuse_second(r, first, key);
    if (map->node->count == KEYS_MOST)
        return refuse_yaml(r, key->line, "more than 1,000 keys in one place",
                           "Rules are a list: begin each with `- name:`.");
    link_last(map, key);
    map->key = key;
    return HSD_OK;
}

static hsd_status place(reader *r, hsd_yaml_node *node)
{
    if (r->depth == 0) {
        r->root = node;
        return HSD_OK;
    }
    frame *parent = &r->open[r->depth - 1];
    if (parent->node->kind == HSD_YAML_LIST) {
        link_last(parent, node);
    } else if (parent->key == NULL) {
        return place_key(r, parent, node);
    } else {
        parent->key->value = node;
        parent->key = NULL;
    }
    return HSD_OK;
}

static hsd_status open_node(reader *r, hsd_yaml_kind kind, yaml_mark_t mark)
{
    hsd_yaml_node *node;
    HSD_TRY(new_node(r, kind, mark, &node));
    HSD_TRY(place(r, node));
    if (r->depth == DEPTH_MOST)
        return refuse_yaml(r, node->line, "more than 16 levels", "No key of a configuration lies deeper than three.");
    r->open[r->depth++] = (frame){.node = node};
    return HSD_OK;
}

static hsd_status take_text(reader *r, const yaml_event_t *event)
{
    hsd_yaml_node *node;
    HSD_TRY(new_node(r, HSD_YAML_TEXT, event->start_mark, &node));
    node->is_quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    const hsd_text text = {(const char *)event->data.scalar.value, event->data.scalar.length};
    HSD_TRY(hsd_check_copy(r->store, text, &node->text, r->err));
    return place(r, node);
}

/* ---- events ---- */

static hsd_status check_extras(reader *r, const yaml_event_t *event, const yaml_char_t *anchor, const yaml_char_t *tag)
{
    if (anchor != NULL)
        return refuse_yaml(r, line_of(event->start_mark), "an anchor (&)",
                           "Write the value out; quote a text that begins with &.");
    if (tag != NULL)
        return refuse_yaml(r, line_of(event->start_mark), "a tag (!)",
                           "Leave the tag out; quote a text that begins with !.");
    return HSD_OK;
}

static hsd_status take_document(reader *r, const yaml_event_t *event)
{
    if (++r->document_count > 1)
        return refuse_yaml(r, line_of(event->start_mark), "a second document",
                           "Keep one: remove the line `---` and what follows it.");
    return HSD_OK;
}

static hsd_status take_event(reader *r, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT: return take_document(r, event);
    case YAML_ALIAS_EVENT:
        return refuse_yaml(r, line_of(event->start_mark), "an alias (*)",
                           "Write the value out, or quote a pattern that begins with *: type: '*Session'");
    case YAML_SCALAR_EVENT:
        HSD_TRY(check_extras(r, event, event->data.scalar.anchor, event->data.scalar.tag));
        return take_text(r, event);
    case YAML_SEQUENCE_START_EVENT:
        HSD_TRY(check_extras(r, event, event->data.sequence_start.anchor, event->data.sequence_start.tag));
        return open_node(r, HSD_YAML_LIST, event->start_mark);
    case YAML_MAPPING_START_EVENT:
        HSD_TRY(check_extras(r, event, event->data.mapping_start.anchor, event->data.mapping_start.tag));
        return open_node(r, HSD_YAML_MAP, event->start_mark);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT: r->depth--; return HSD_OK;
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_STREAM_END_EVENT:
    case YAML_DOCUMENT_END_EVENT: break;
    }
    return HSD_OK;
}

static hsd_status read_events(reader *r, const char *text, size_t size)
{
    for (bool is_end = false; !is_end;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&r->parser, &event)) return tell_problem(r, text, size);
        is_end = event.type == YAML_STREAM_END_EVENT;
        const hsd_status status = take_event(r, &event);
        yaml_event_delete(&event);
        HSD_TRY(status);
    }
    return HSD_OK;
}

hsd_status hsd_yaml_read(const hsd_yaml_node **out, hsd_check_store *store, const void *text, size_t size,
                         hsd_error *err)
{
    reader r = {.store = store, .err = err};
    *out = NULL;
    if (!yaml_parser_initialize(&r.parser)) return hsd_fail_nomem(err, "the configuration");
    yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&r.parser, text, size);
    const hsd_status status = read_events(&r, text, size);
    yaml_parser_delete(&r.parser);
    if (status == HSD_OK) *out = r.root;
    return status;
}

#else

hsd_status hsd_yaml_read(const hsd_yaml_node **out, hsd_check_store *store, const void *text, size_t size,
                         hsd_error *err)
{
    (void)store, (void)text, (void)size;
    *out = NULL;
    hsd_fail(err, HSD_E_UNSUPPORTED, "cannot be read: libyaml was not there when this hsdiff was built");
    hsd_error_set_hint(err, "Install libyaml-dev and build again; without a configuration the built-in rules judge.");
    return HSD_E_UNSUPPORTED;
}

#endif
