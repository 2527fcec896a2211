/*
 * The class that has the field: see owner.h. A type is judged by how it is written, as runtimes write them.
 */
#include "report/sentences/owner.h"

#include <ctype.h>
#include <string.h>

#include "base/check.h"

#define LEAST_FAR      2u /* steps: from there on the root says little of whose a field is */
#define LEAST_TO_CLASS 3u /* of a class that is further from the field */

static bool type_begins_with(hsd_text text, const char *word)
{
    const size_t size = strlen(word);
    return text.size > size && memcmp(text.data, word, size) == 0;
}

static bool type_begins_with_any(hsd_text text, const char *const *words)
{
    while (*words != NULL && !type_begins_with(text, *words))
        words++;
    return *words != NULL;
}

/* The runtime's own containers, which a program keeps its objects in. */
static const char *const of_containers[] = {"java.", "System.", NULL};

static const char *const of_runtimes[] = {"java.",  "javax.", "jdk.",    "sun.",       "com.sun.", "scala.",
                                          "kotlin", "groovy", "clojure", "Microsoft.", "System.",  NULL};

/* Packages that come with Python, of which programs keep what they hold in. */
static const char *const of_python[] = {"asyncio.",   "_asyncio.",  "collections.", "queue.",
                                        "_queue.",    "threading.", "contextlib.",  "concurrent.futures.",
                                        "functools.", "weakref.",   "logging.",     "multiprocessing.",
                                        NULL};

/* Streams of Node and of browsers, and what they keep their chunks in. */
static const char *const of_streams[] = {"Readable",
                                         "Writable",
                                         "Duplex",
                                         "Transform",
                                         "PassThrough",
                                         "ReadableState",
                                         "WritableState",
                                         "ReadableStream",
                                         "WritableStream",
                                         "TransformStream",
                                         "InternalReadableStream",
                                         "InternalWritableStream",
                                         "InternalTransformStream",
                                         "ReadableStreamDefaultController",
                                         "ReadableByteStreamController",
                                         "WritableStreamDefaultController",
                                         "TransformStreamDefaultController"};

static bool is_stream(hsd_text type)
{
    for (size_t i = 0; i < HSD_ARRAY_LEN(of_streams); i++)
        if (type.size == strlen(of_streams[i]) && memcmp(type.data, of_streams[i], type.size) == 0) return true;
    return false;
}

bool hsd_type_is_of_runtime(hsd_text type)
{
    return type_begins_with_any(type, of_runtimes) || type_begins_with_any(type, of_python);
}

/* ---- classes ---- */

/* What a runtime calls objects of any kind: they say nothing of whose a field is. */
static bool is_plain_type(hsd_text type)
{
    static const char *const plain[] = {"Object", "object", "dict",         "table",      "tuple",
                                        "Array",  "struct", "module",       "Module",     "Class",
                                        "type",   "cell",   "EventEmitter", "FixedQueue", "FixedCircularBuffer"};
    for (size_t i = 0; i < HSD_ARRAY_LEN(plain); i++)
        if (type.size == strlen(plain[i]) && memcmp(type.data, plain[i], type.size) == 0) return true;
    return type_begins_with_any(type, of_containers);
}

/* Modules, functions, arrays, and what has no type of the program's: their fields are variables. */
static bool is_no_class(hsd_text type)
{
    static const char *const beginnings[] = {"(",          "system / ",  "Function ", "function ", "lambda in ",
                                             "coroutine ", "object of ", "struct {",  NULL};
    return type.size == 0 || type.data[type.size - 1] == ']' || type_begins_with_any(type, beginnings) ||
           (type.size == 8 && memcmp(type.data, "Function", 8) == 0);
}

/* In a package or a namespace, "com.shop.Cart" or "Shop.Cart<System.String>"; no array, no lambda, no class that was
 * made of a function. */
static bool is_in_package(hsd_text type)
{
    size_t name = 0, at = 0;
    for (; at < type.size && type.data[at] != '<'; at++) {
        const unsigned char c = (unsigned char)type.data[at];
        if (c == '.') name = at + 1;
        if (!isalnum(c) && c != '.' && c != '_' && c != '$' && c != '+') return false;
    }
    const bool is_go = type_begins_with(type, "main."); /* the program's own package, also where names are private */
    return name > 1 && name < at && (is_go || isupper((unsigned char)type.data[name])) &&
           type.data[type.size - 1] != ']';
}

/* "com.shop." of com.shop.cart.Cart, "Shop." of Shop.Cart: whose it is. */
static hsd_text family_of(hsd_text type)
{
    size_t dots = 0, at = 0, last = 0;
    for (; at < type.size && type.data[at] != '<' && dots < 2; at++)
        if (type.data[at] == '.') {
            dots++;
            last = at + 1;
        }
    return (hsd_text){type.data, last};
}

/* The root is of the same family, and says as much. */
static bool is_known_by_root(const hsd_spot *place, hsd_text type)
{
    const hsd_text family = family_of(type);
    for (size_t at = 0; at + family.size <= place->root.size; at++)
        if (memcmp(place->root.data + at, family.data, family.size) == 0) return true;
    return false;
}

/* Of a class; a variable of a module says less: what stands beside it in the module is another thing. */
static bool is_static(hsd_text root) { return type_begins_with(root, "static "); }

/* ---- fields ---- */

/* A name that a compiler of a JVM's language made: this$0, val$list. */
static bool is_made_up(hsd_text edge) { return memchr(edge.data, '$', edge.size) != NULL; }

static bool is_named_field(const hsd_spot *place, size_t at)
{
    const hsd_text edge = place->steps[at].edge;
    return edge.size > 1 && edge.data[0] == '.' && !(is_in_package(place->steps[at - 1].type) && is_made_up(edge));
}

/* A name, or in runtimes that tell none, nothing. */
static bool is_any_field(hsd_text edge) { return edge.size == 0 || (edge.data[0] == '.' && !is_made_up(edge)); }

/* The class of this step is news: neither the root nor a reference on the way to it has said it. */
static bool is_told_by_class(const hsd_spot *place, size_t at)
{
    const hsd_step *step = &place->steps[at];
    if (step->edge.size == 0 || step->repeat > 1 || step->name.size > 0 || is_no_class(step->type)) return false;
    if (is_in_package(step->type) && is_static(place->root) && is_known_by_root(place, step->type)) return false;
    bool is_said = hsd_place_says_type(place->root, step->type);
    for (size_t i = 0; i <= at && !is_said; i++)
        is_said = hsd_place_says_type(place->steps[i].edge, step->type);
    return !is_said;
}

/* `com.shop.Main.main(Main.kt:15)` of a thread's root, or `com.shop.Orders.flow` of a static; empty of any other. */
static hsd_text code_of_root(hsd_text root)
{
    static const char thread[] = "thread \"", behind[] = "\", ";
    const size_t word = sizeof "static " - 1, mark = sizeof behind - 1;
    if (is_static(root)) {
        const bool is_declared = memchr(root.data + word, ' ', root.size - word) != NULL; /* of .NET: of no class */
        return (hsd_text){root.data + word, is_declared ? 0 : root.size - word};
    }
    if (root.size == 0 || !type_begins_with(root, thread) || root.data[root.size - 1] != ')')
        return (hsd_text){root.data, 0};
    size_t at = root.size;
    while (at > mark && memcmp(root.data + at - mark, behind, mark) != 0)
        at--;
    return at > mark ? (hsd_text){root.data + at, root.size - at} : (hsd_text){root.data, 0};
}

/* `feed.mjs.mirror`, a variable of a script of the program: one of the runtime's is `node:internal/timers.list`. */
static bool is_of_script(hsd_text root)
{
    return root.size > 0 && isalpha((unsigned char)root.data[0]) && !type_begins_with(root, "node:") &&
           !type_begins_with(root, "static ") && memchr(root.data, '.', root.size) != NULL;
}

/* The step is of a class of a runtime's libraries, and the root a variable or a frame of the program's own: it says
 * more.
 */
static bool says_less_than_root(const hsd_spot *place, size_t step)
{
    if (is_stream(place->steps[step].type)) return is_of_script(place->root);
    const hsd_text code = code_of_root(place->root);
    return code.size > 0 && !type_begins_with_any(code, of_runtimes) &&
           type_begins_with_any(place->steps[step].type, of_runtimes);
}

/* From node to node of a list: what leads into the list says whose it is, as no node does. */
static bool is_along_list(const hsd_spot *place, size_t at)
{
    const hsd_text from = place->steps[at - 1].type, to = place->steps[at].type;
    return place->steps[at].repeat > 1 && from.size == to.size && memcmp(from.data, to.data, to.size) == 0;
}

/* The last named field's owner, from `*field` down; a step of plain types is passed. 0 = none. */
static size_t next_owner(const hsd_spot *place, size_t *field)
{
    while ((*field)-- > LEAST_FAR + 1) {
        const bool is_behind_cut = place->cut > 0 && *field == place->count / 2;
        if (is_behind_cut || !is_named_field(place, *field) || is_along_list(place, *field)) continue;
        if (!is_plain_type(place->steps[*field - 1].type)) return *field - 1;
    }
    return 0;
}

static bool says_whose(const hsd_spot *place, size_t owner)
{
    return is_told_by_class(place, owner) && !says_less_than_root(place, owner);
}

/* A queue of Python's own libraries is somebody's: the class of the program that has it says more, where one is. */
size_t hsd_place_owner(const hsd_spot *place)
{
    size_t field = place->count, owner = next_owner(place, &field);
    const size_t last = owner;
    while (owner > 0 && type_begins_with_any(place->steps[owner].type, of_python))
        owner = next_owner(place, &field);
    if (owner > 0 && owner != last && !is_in_package(place->steps[owner].type)) owner = 0; /* a frame */
    if (owner > 0 && says_whose(place, owner)) return owner;
    return last > 0 && says_whose(place, last) ? last : 0;
}

static bool is_container(hsd_text type) { return type_begins_with_any(type, of_containers); }

static size_t find_class(const hsd_spot *place, bool (*is_passed)(hsd_text type))
{
    for (size_t i = place->count - 1; i-- > LEAST_TO_CLASS;) {
        const hsd_text type = place->steps[i].type;
        if (is_in_package(type) && is_any_field(place->steps[i + 1].edge) && !is_passed(type))
            return is_known_by_root(place, type) || says_less_than_root(place, i) ? 0 : i;
    }
    return 0;
}

size_t hsd_place_class(const hsd_spot *place)
{
    if (place->count == 0) return 0;
    const size_t own = find_class(place, hsd_type_is_of_runtime);
    return own > 0 ? own : find_class(place, is_container);
}
