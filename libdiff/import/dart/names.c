/*
 * What is known of the classes of the VM and of Dart's own libraries, by name: one table each, so that another one is
 * one more line. See dart.h.
 */
#include <stdio.h>
#include <string.h>

#include "import/dart/dart.h"
#include "import/places.h"

static bool is_called(hsd_bytes text, const char *what)
{
    return text.size == strlen(what) && memcmp(text.data, what, text.size) == 0;
}

static bool is_one_of(hsd_bytes text, const char *const *names)
{
    for (; *names != NULL; names++)
        if (is_called(text, *names)) return true;
    return false;
}

static bool is_of_dart(hsd_bytes library) { return hsd_bytes_begin(library, "dart:"); }

/* ---- kinds ---- */

dart_kind hsd_dart_kind(hsd_bytes name, hsd_bytes library)
{
    static const struct {
        const char *name;
        dart_kind kind;
    } of_vm[] = {{"Context", DART_CONTEXT}, {"Class", DART_CLASS},       {"PatchClass", DART_PATCH},
                 {"Library", DART_LIBRARY}, {"Function", DART_FUNCTION}, {"ClosureData", DART_CLOSURE_DATA},
                 {"Field", DART_FIELD},     {"Isolate", DART_ISOLATE},   {"Read-Only Pages", DART_PAGES}};
    static const struct {
        const char *name;
        dart_kind kind;
    } of_dart[] = {{"_Map", DART_MAP},
                   {"_ConstMap", DART_MAP},
                   {"_InternalLinkedHashMap", DART_MAP},
                   {"_InternalImmutableLinkedHashMap", DART_MAP},
                   {"_Closure", DART_CLOSURE},
                   {"_List", DART_ARRAY},
                   {"_ImmutableList", DART_ARRAY},
                   {"Null", DART_VALUE},
                   {"bool", DART_VALUE},
                   {"_Smi", DART_SMALL}};
    for (size_t i = 0; is_of_dart(library) && i < sizeof of_dart / sizeof of_dart[0]; i++)
        if (is_called(name, of_dart[i].name)) return of_dart[i].kind;
    if (library.size > 0 || name.size == 0) return DART_PLAIN;
    for (size_t i = 0; i < sizeof of_vm / sizeof of_vm[0]; i++)
        if (is_called(name, of_vm[i].name)) return of_vm[i].kind;
    return DART_PROGRAM;
}

/* ---- types ---- */

/* Behind what public class an object of Dart's own libraries is met. */
static const char *public_name(hsd_bytes name)
{
    static const struct {
        const char *name, *known_as;
    } names[] = {{"_GrowableList", "List"},
                 {"_Map", "Map"},
                 {"_InternalLinkedHashMap", "Map"},
                 {"_ConstMap", "Map (const)"},
                 {"_InternalImmutableLinkedHashMap", "Map (const)"},
                 {"_Set", "Set"},
                 {"_CompactLinkedHashSet", "Set"},
                 {"_ConstSet", "Set (const)"},
                 {"_HashMap", "HashMap"},
                 {"_HashSet", "HashSet"},
                 {"_OneByteString", "String"},
                 {"_TwoByteString", "String"},
                 {"_ExternalOneByteString", "String"},
                 {"_ExternalTwoByteString", "String"},
                 {"_Double", "double"},
                 {"_Mint", "int"},
                 {"_Smi", "int"},
                 {"_Closure", "Closure"},
                 {"_Record", "Record"},
                 {"_Timer", "Timer"},
                 {"_Future", "Future"},
                 {"_ControllerSubscription", "StreamSubscription"},
                 {"_BroadcastSubscription", "StreamSubscription"},
                 {"_BufferingStreamSubscription", "StreamSubscription"},
                 {"_ForwardingStreamSubscription", "StreamSubscription"},
                 {"_AsyncStreamController", "StreamController"},
                 {"_SyncStreamController", "StreamController"},
                 {"_AsyncBroadcastStreamController", "StreamController"},
                 {"_SyncBroadcastStreamController", "StreamController"},
                 {"_ControllerStream", "Stream"},
                 {"_BroadcastStream", "Stream"},
                 {"_WeakReference", "WeakReference"},
                 {"_WeakReferenceImpl", "WeakReference"},
                 {"_RawReceivePort", "RawReceivePort"},
                 {"_RawReceivePortImpl", "RawReceivePort"},
                 {"_ReceivePortImpl", "ReceivePort"},
                 {"_SendPort", "SendPort"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (is_called(name, names[i].name)) return names[i].known_as;
    return NULL;
}

hsd_bytes hsd_dart_place(hsd_bytes library)
{
    static const char of_packages[] = "package:", of_files[] = "file:";
    if (is_of_dart(library)) return (hsd_bytes){0};
    if (hsd_bytes_begin(library, of_packages)) {
        const size_t front = sizeof of_packages - 1;
        return (hsd_bytes){library.data + front, library.size - front};
    }
    if (!hsd_bytes_begin(library, of_files) && memchr(library.data, '/', library.size) == NULL) return library;
    /* the file with its folder: where a project lies differs from machine to machine */
    size_t from = library.size, parts = 0;
    while (from > 0 && (library.data[from - 1] != '/' || ++parts < 2))
        from--;
    return (hsd_bytes){library.data + from, library.size - from};
}

static hsd_bytes join(char *out, hsd_bytes name, hsd_bytes place)
{
    const int size = snprintf(out, 2 * DART_NAME_BYTES, "%.*s (%.*s)", (int)name.size, (const char *)name.data,
                              (int)place.size, (const char *)place.data);
    return (hsd_bytes){(const uint8_t *)out, size < 0 ? 0 : (size_t)size};
}

hsd_bytes hsd_dart_spell(hsd_bytes name, hsd_bytes library, char *out)
{
    static const char nameless[] = "(type without a name)";
    if (name.size == 0) return (hsd_bytes){(const uint8_t *)nameless, sizeof nameless - 1};
    if (library.size == 0) {
        const int size = is_called(name, "Context")
                             ? snprintf(out, 2 * DART_NAME_BYTES, "(closure context)")
                             : snprintf(out, 2 * DART_NAME_BYTES, "(%.*s)", (int)name.size, (const char *)name.data);
        return (hsd_bytes){(const uint8_t *)out, (size_t)size};
    }
    if (!is_of_dart(library)) return join(out, name, hsd_dart_place(library));
    const char *known = public_name(name);
    if (known != NULL) return (hsd_bytes){(const uint8_t *)known, strlen(known)};
    if (name.data[0] != '_' || name.size == 1) return name;
    if (is_called(library, "dart:typed_data")) return (hsd_bytes){name.data + 1, name.size - 1};
    return join(out, name, library);
}

uint32_t hsd_dart_type_flags(dart_kind kind, hsd_bytes name, hsd_bytes library)
{
    static const char *const helpers[] = {
        "_HashMapEntry",     "_HashSetEntry",     "_LinkedHashMapEntry",       "_LinkedHashSetEntry",
        "_SplayTreeMapNode", "_SplayTreeSetNode", "_DoubleLinkedQueueElement", NULL};
    if (kind == DART_CONTEXT || name.size == 0) return 0;
    if (library.size == 0) return HSC_TYPE_CODE | HSC_TYPE_INTERNAL;
    return is_of_dart(library) && is_one_of(name, helpers) ? HSC_TYPE_INTERNAL : 0;
}

/* ---- fields ---- */

/* What does not keep its referent: the key of an Expando's entry, the target of a WeakReference, what a Finalizer
 * watches. The value of an entry is held by it, which is right while the key is alive. */
static bool is_weak(hsd_bytes class_name, hsd_bytes field)
{
    static const struct {
        const char *class_name, *field;
    } weak[] = {{"_WeakProperty", "key_"},        {"_WeakReference", "target_"}, {"_WeakReferenceImpl", "target_"},
                {"FinalizerEntry", "value_"},     {"FinalizerEntry", "detach_"}, {"_FinalizerEntry", "value_"},
                {"_FinalizerEntry", "detach_"},   {"_WeakProperty", "key"},      {"_WeakReference", "target"},
                {"_WeakReferenceImpl", "target"}, {"FinalizerEntry", "value"},   {"FinalizerEntry", "detach"}};
    for (size_t i = 0; i < sizeof weak / sizeof weak[0]; i++)
        if (is_called(class_name, weak[i].class_name) && is_called(field, weak[i].field)) return true;
    return false;
}

dart_label hsd_dart_judge_field(hsd_bytes class_name, hsd_bytes library, hsd_bytes field)
{
    static const char *const insides[] = {"data_", "_data", "_buckets", "_table", NULL};
    const bool is_own = library.size == 0 || is_of_dart(library); /* the VM's and Dart's */
    const bool is_slot = is_own && field.size > 1 && field.data[field.size - 1] == '_';
    dart_label label = {.kind = HSC_LABEL_FIELD, .name = field};
    if (is_slot) { /* of the VM, in C++ */
        label.kind = HSC_LABEL_INTERNAL;
        label.name.size--;
    }
    if (is_own && is_weak(class_name, field)) label.flags = HSC_STRENGTH_WEAK;
    if (is_of_dart(library) && is_one_of(field, insides)) label.flags |= HSC_LABEL_FOLD;
    return label;
}
