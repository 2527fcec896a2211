/*
 * A place in an object is the field that begins there or last before; where that is a structure, the field in it is
 * asked for, and so on:
 * ".current.key". Backing fields of properties go by the property's name.
 */
#include "names.h"

#include <stdio.h>
#include <string.h>

#include "lazily.h"
#include "ranges.h"

enum { NAME_BYTES = 1024, DEEPEST = 8, OBJECT_HEADER_BYTES = 16 };
#define TEXT_BYTES ((size_t)256 << 20)

/* Of field attributes, ECMA-335 II.23.1.5. */
enum { FIELD_IS_STATIC = 0x10, FIELD_IS_LITERAL = 0x40 };

bool names_begin(mono_names *names)
{
    if (names->text == NULL) names->text = map_lazily(TEXT_BYTES);
    names->used = 0;
    names->lost = 0;
    return names->text != NULL;
}

void names_end(mono_names *names)
{
    forget_pages(names->text, TEXT_BYTES);
    names->used = 0;
}

/* A text under way; what does not fit is cut. */
typedef struct name_text {
    char bytes[NAME_BYTES];
    size_t size;
} name_text;

static void add_mono_name(name_text *text, const char *bytes, size_t size)
{
    const size_t room = sizeof text->bytes - 1 - text->size;
    if (size > room) size = room;
    memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
    text->bytes[text->size] = '\0';
}

static void add_text(name_text *text, const char *bytes) { add_mono_name(text, bytes, strlen(bytes)); }

static void keep_mono_name(mono_names *names, const name_text *text)
{
    if (names->used + text->size + 1 > TEXT_BYTES - SYMBOLS_PLACES - SYMBOLS_CLASSES) {
        names->lost++;
        names->text[names->used++] = '\0'; /* there is always room for an empty one */
        return;
    }
    memcpy(names->text + names->used, text->bytes, text->size + 1);
    names->used += text->size + 1;
}

static void add_class(name_text *text, MonoClass *klass)
{
    char *name = mono_type_get_name(mono_class_get_type(klass));
    add_text(text, name != NULL ? name : "?");
    mono_free(name);
}

/* <Name>k__BackingField is Name. */
static void add_field(name_text *text, const char *name)
{
    const char *end = name[0] == '<' ? strstr(name, ">k__BackingField") : NULL;
    if (end != NULL)
        add_mono_name(text, name + 1, (size_t)(end - name - 1));
    else
        add_text(text, name);
}

/* The field of this kind that begins at `offset` or last before it, in the class alone. */
static MonoClassField *field_in(MonoClass *klass, uint32_t offset, bool is_static)
{
    void *at = NULL;
    MonoClassField *best = NULL;
    for (MonoClassField *field; (field = mono_class_get_fields(klass, &at)) != NULL;) {
        const uint32_t flags = mono_field_get_flags(field);
        if (((flags & FIELD_IS_STATIC) != 0) != is_static || (flags & FIELD_IS_LITERAL) != 0) continue;
        const uint32_t begins = mono_field_get_offset(field);
        if (begins <= offset && (best == NULL || begins >= mono_field_get_offset(best))) best = field;
    }
    return best;
}

/* Likewise in the class and those that it extends: objects begin with the fields of the first of them. */
static MonoClassField *field_at(MonoClass *klass, uint32_t offset, bool is_static)
{
    MonoClassField *field = NULL;
    for (; klass != NULL && field == NULL; klass = is_static ? NULL : mono_class_get_parent(klass))
        field = field_in(klass, offset, is_static);
    return field;
}

static void add_place(name_text *text, MonoClass *klass, uint32_t offset, bool is_static)
{
    for (int depth = 0; depth < DEEPEST; depth++) {
        MonoClassField *field = field_at(klass, offset, is_static && depth == 0);
        if (field == NULL) break;
        if (depth > 0) add_text(text, ".");
        add_field(text, mono_field_get_name(field));
        klass = mono_class_from_mono_type(mono_field_get_type(field));
        if (klass == NULL || !mono_class_is_valuetype(klass)) return;
        /* Fields of a structure count from the header that it has when it is boxed. */
        offset = offset - mono_field_get_offset(field) + OBJECT_HEADER_BYTES;
    }
    if (text->size > 0) return;
    char number[24];
    snprintf(number, sizeof number, "+0x%x", offset);
    add_text(text, number);
}

static const char *source_name(uintptr_t source)
{
    switch (source) {
    case MONO_ROOT_SOURCE_EXTERNAL: return "(roots of the embedding program)";
    case MONO_ROOT_SOURCE_FINALIZER_QUEUE: return "(finalizer queue)";
    case MONO_ROOT_SOURCE_CONTEXT_STATIC: return "(context statics)";
    case MONO_ROOT_SOURCE_GC_HANDLE: return "(GC handles)";
    case MONO_ROOT_SOURCE_JIT: return "(JIT)";
    case MONO_ROOT_SOURCE_THREADING: return "(threads)";
    case MONO_ROOT_SOURCE_DOMAIN: return "(application domain)";
    case MONO_ROOT_SOURCE_REFLECTION: return "(reflection)";
    case MONO_ROOT_SOURCE_MARSHAL: return "(marshalling)";
    case MONO_ROOT_SOURCE_THREAD_POOL: return "(thread pool)";
    case MONO_ROOT_SOURCE_DEBUGGER: return "(debugger)";
    case MONO_ROOT_SOURCE_HANDLE: return "(runtime handles)";
    case MONO_ROOT_SOURCE_EPHEMERON: return "(ephemerons)";
    case MONO_ROOT_SOURCE_TOGGLEREF: return "(toggle references)";
    default: return "(roots from before the agent)";
    }
}

static void add_thread(name_text *text, place_kind kind, uintptr_t thread)
{
    char name[THREAD_NAME_BYTES + 16];
    threads_tell(thread, kind != PLACE_THREAD, name, sizeof name);
    if (kind == PLACE_THREAD_STATIC) add_text(text, "thread statics of ");
    add_text(text, name);
}

static void name_place(name_text *text, const place_row *place)
{
    MonoClass *klass = (MonoClass *)(uintptr_t)place->owner;
    switch ((place_kind)place->kind) {
    case PLACE_FIELD: add_place(text, klass, place->offset, false); break;
    case PLACE_ELEMENT: break;
    case PLACE_ATTACHED: add_text(text, "attached"); break;
    case PLACE_STATIC: {
        name_text field = {.size = 0};
        add_place(&field, klass, place->offset, true);
        add_text(text, "static ");
        add_class(text, klass);
        if (field.bytes[0] != '+') add_text(text, ".");
        add_mono_name(text, field.bytes, field.size);
        break;
    }
    case PLACE_SOURCE: add_text(text, source_name((uintptr_t)place->owner)); break;
    case PLACE_THREAD:
    case PLACE_STACK:
    case PLACE_THREAD_STATIC: add_thread(text, (place_kind)place->kind, (uintptr_t)place->owner); break;
    }
}

void names_find(mono_names *names, const mono_symbols *symbols)
{
    for (size_t i = 0; i < symbols->class_count; i++) {
        name_text text = {.size = 0};
        add_class(&text, symbols->classes[i].klass);
        keep_mono_name(names, &text);
    }
    for (size_t i = 0; i < symbols->place_count; i++) {
        name_text text = {.size = 0};
        name_place(&text, &symbols->places[i]);
        keep_mono_name(names, &text);
    }
}

/* What a ConcurrentQueue keeps its items in, segments and their slots: the queue holds what comes, in whichever of them
 * it lies. */
static uint32_t flags_of(const char *name)
{
    static const char segment[] = "System.Collections.Concurrent.ConcurrentQueue.Segment";
    const char next = strncmp(name, segment, sizeof segment - 1) == 0 ? name[sizeof segment - 1] : '\0';
    return next == '<' || next == '.' ? HSC_TYPE_INTERNAL : 0;
}

void names_write(const mono_names *names, const mono_symbols *symbols, hsc_writer *writer)
{
    const char *at = names->text;
    for (uint32_t type = 1; type <= symbols->class_count; type++, at += strlen(at) + 1)
        hsc_define_type(writer, type, at, strlen(at), flags_of(at));
    for (uint32_t number = 1; number <= symbols->place_count; number++, at += strlen(at) + 1) {
        const uint32_t kind = symbols->places[number - 1].kind;
        if (kind != PLACE_ELEMENT) hsc_define_string(writer, number, at, strlen(at));
        if (kind == PLACE_FIELD) hsc_define_label(writer, number, HSC_LABEL_FIELD, HSC_STRENGTH_STRONG, number);
        if (kind == PLACE_ELEMENT) hsc_define_label(writer, number, HSC_LABEL_ELEMENT, HSC_STRENGTH_STRONG, 0);
        if (kind == PLACE_ATTACHED) hsc_define_label(writer, number, HSC_LABEL_INTERNAL, HSC_STRENGTH_STRONG, number);
        if (kind == PLACE_THREAD) hsc_define_thread(writer, number, number);
    }
}
