/*
 * Types of generic code. Go compiles a generic function once for all types that look alike, and calls what it works on
 * by shapes:
 *
 *      main.Cache[go.shape.string,go.shape.*uint8]       in the functions of Cache, also where they were copied
 *      main.Cache[string,*main.Quote]                    in the program
 *
 * Where one type of the program alone has that shape it is meant, and the other becomes a name for it. Where several
 * have, or none is told of, the shape stays.
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "go/dwarf/go_reading.h"

#define MOST_TRIES (UINT64_C(1) << 24) /* of a shape against a type; programs have thousands */

static const char shape[] = "go.shape.";

typedef struct shapes {
    hsd_go_types *types;
    uint32_t *made; /* types with arguments that are no shapes, by name and number */
    uint32_t made_count;
    uint64_t tries_left;
} shapes;

static const char *name_of(const hsd_go_types *types, uint32_t type)
{
    return hsd_go_types_text(types, types->types[type].name);
}

/* ---- names ---- */

/* Where an argument ends: at the comma or the bracket behind it, whatever is in brackets of its own. */
static const char *end_of_argument(const char *text)
{
    unsigned depth = 0;
    for (; *text != '\0'; text++) {
        if (strchr("[({<", *text) != NULL && !(text[0] == '<' && text[1] == '-')) depth++;
        if (depth == 0 && strchr(",])}>", *text) != NULL) return text;
        if (depth > 0 && strchr("])}>", *text) != NULL) depth--;
    }
    return text;
}

/* "*uint8" is what a pointer looks like; types of a package look like what they are made of, which is not asked. */
static bool looks_like(const char *argument, size_t size, const char *of_shape, size_t shape_size)
{
    if (size == 0) return false;
    if (of_shape[0] == '*' || argument[0] == '*') return of_shape[0] == argument[0];
    return (size == shape_size && memcmp(argument, of_shape, size) == 0) || memchr(argument, '.', size) != NULL;
}

static bool has_shape(const char *name, const char *of_shape)
{
    for (;;) {
        const char *next = strstr(of_shape, shape);
        if (next == NULL) return strcmp(name, of_shape) == 0;
        if (strncmp(name, of_shape, (size_t)(next - of_shape)) != 0) return false;
        name += next - of_shape;
        next += sizeof shape - 1;
        const char *end = end_of_argument(name);
        of_shape = end_of_argument(next);
        if (!looks_like(name, (size_t)(end - name), next, (size_t)(of_shape - next))) return false;
        name = end;
    }
}

/* ---- the types ---- */

/* qsort has no context. */
typedef struct made_type {
    const char *name;
    uint32_t type;
} made_type;

static int by_name(const void *a, const void *b)
{
    const made_type *x = a, *y = b;
    const int order = strcmp(x->name, y->name);
    return order != 0 ? order : x->type < y->type ? -1 : x->type > y->type;
}

static bool has_arguments(const char *name) { return strpbrk(name, "[<") != NULL; }

static hsd_status list_made(shapes *s, hsd_error *err)
{
    uint32_t count = 0;
    made_type *list = calloc(s->types->type_count, sizeof *list);
    s->made = calloc(s->types->type_count, sizeof *s->made);
    if (list == NULL || s->made == NULL) {
        free(list);
        return hsd_fail_nomem(err, "types");
    }
    for (uint32_t i = 1; i < s->types->type_count; i++) {
        const char *name = name_of(s->types, i);
        if (has_arguments(name) && strstr(name, shape) == NULL) list[count++] = (made_type){name, i};
    }
    qsort(list, count, sizeof *list, by_name);
    for (uint32_t i = 0; i < count; i++)
        s->made[i] = list[i].type;
    s->made_count = count;
    free(list);
    return HSD_OK;
}

/* The first whose name does not come before the beginning. */
static uint32_t first_with(const shapes *s, const char *begin, size_t size)
{
    uint32_t low = 0, high = s->made_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (strncmp(name_of(s->types, s->made[middle]), begin, size) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The one type that has the shape; 0 = there is none, or there are several. */
static uint32_t find_made(shapes *s, uint32_t type)
{
    const hsd_go_type *of = &s->types->types[type];
    const char *name = name_of(s->types, type);
    const size_t size = (size_t)(strstr(name, shape) - name);
    uint32_t found = 0;
    for (uint32_t i = first_with(s, name, size); i < s->made_count && s->tries_left > 0; i++, s->tries_left--) {
        const hsd_go_type *one = &s->types->types[s->made[i]];
        const char *of_one = name_of(s->types, s->made[i]);
        if (strncmp(of_one, name, size) != 0) break;
        if (one->kind != of->kind || one->size != of->size || !has_shape(of_one, name)) continue;
        if (found != 0 && s->types->types[found].name != one->name) return 0;
        if (found == 0) found = s->made[i];
    }
    return s->tries_left > 0 ? found : 0;
}

hsd_status hsd_go_find_shapes(hsd_go_types *types, hsd_error *err)
{
    shapes s = {.types = types, .tries_left = MOST_TRIES};
    hsd_status status = HSD_OK;
    for (uint32_t i = 1; i < types->type_count && status == HSD_OK; i++) {
        const char *name = name_of(types, i), *at = strstr(name, shape);
        if (at == NULL || at == name || !has_arguments(name)) continue;
        if (s.made == NULL) status = list_made(&s, err);
        const uint32_t made = status == HSD_OK ? find_made(&s, i) : 0;
        if (made == 0) continue;
        types->types[i].kind = HSD_GO_IS_ALIAS;
        types->types[i].target = made;
    }
    free(s.made);
    return status;
}
