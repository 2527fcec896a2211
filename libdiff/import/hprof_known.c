/*
 * Tables about the Java library. Names are those of reports (dots, "[]"). Sources: the classes
 * themselves, JDK 6 to 25, and what class histograms of live JVMs say about the extra bytes.
 */
#include "import/hprof_known.h"

#include <string.h>

#include "base/check.h"
#include <hscapture/hscapture.h>

static bool equals(hsd_bytes text, const char *word)
{
    return text.size == strlen(word) && memcmp(text.data, word, text.size) == 0;
}

static bool begins_with(hsd_bytes text, const char *word)
{
    const size_t size = strlen(word);
    return text.size >= size && memcmp(text.data, word, size) == 0;
}

/* ---- types ---- */

/* Insides of containers; arrays of them as well. */
static const char *const internals[] = {
    "java.util.HashMap$Node",
    "java.util.HashMap$TreeNode",
    "java.util.HashMap$Entry",
    "java.util.LinkedHashMap$Entry",
    "java.util.Hashtable$Entry",
    "java.util.TreeMap$Entry",
    "java.util.WeakHashMap$Entry",
    "java.util.LinkedList$Node",
    "java.util.LinkedList$Entry",
    "java.util.concurrent.ConcurrentHashMap$Node",
    "java.util.concurrent.ConcurrentHashMap$TreeNode",
    "java.util.concurrent.ConcurrentHashMap$TreeBin",
    "java.util.concurrent.ConcurrentHashMap$ForwardingNode",
    "java.util.concurrent.ConcurrentHashMap$HashEntry",
    "java.util.concurrent.ConcurrentHashMap$Segment",
    "java.util.concurrent.ConcurrentHashMap$CounterCell",
    "java.util.concurrent.ConcurrentSkipListMap$Node",
    "java.util.concurrent.ConcurrentSkipListMap$Index",
    "java.util.concurrent.ConcurrentSkipListMap$HeadIndex",
    "java.util.concurrent.ConcurrentLinkedQueue$Node",
    "java.util.concurrent.ConcurrentLinkedDeque$Node",
    "java.util.concurrent.LinkedBlockingQueue$Node",
    "java.util.concurrent.LinkedBlockingDeque$Node",
    "java.util.concurrent.LinkedTransferQueue$Node",
    "java.util.concurrent.LinkedTransferQueue$DualNode",
    "java.util.concurrent.atomic.Striped64$Cell",
    "java.lang.ThreadLocal$ThreadLocalMap",
    "java.lang.ThreadLocal$ThreadLocalMap$Entry",
};

/* Code and metadata of the program. */
static const char *const codes[] = {
    "java.lang.Class",
    "java.lang.Class$ReflectionData",
    "java.lang.ClassValue$ClassValueMap",
    "java.lang.reflect.Constructor",
    "java.lang.reflect.Field",
    "java.lang.reflect.Method",
    "java.lang.reflect.Parameter",
    "java.lang.invoke.MemberName",
    "java.lang.invoke.MethodType",
    "java.lang.invoke.MethodTypeForm",
    "java.lang.invoke.ResolvedMethodName",
    "java.lang.invoke.LambdaForm",
};

static const char *const code_prefixes[] = {
    "java.lang.invoke.LambdaForm$", "java.lang.invoke.MethodType$", "java.lang.module.",
    "jdk.internal.reflect.",        "dalvik.system.DexFile",
};

static bool is_among(hsd_bytes name, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (equals(name, words[i])) return true;
    return false;
}

uint32_t hsd_hprof_known_type(hsd_bytes name)
{
    while (name.size > 2 && memcmp(name.data + name.size - 2, "[]", 2) == 0)
        name.size -= 2;
    if (is_among(name, internals, HSD_ARRAY_LEN(internals))) return HSC_TYPE_INTERNAL;
    if (is_among(name, codes, HSD_ARRAY_LEN(codes))) return HSC_TYPE_CODE;
    for (size_t i = 0; i < HSD_ARRAY_LEN(code_prefixes); i++)
        if (begins_with(name, code_prefixes[i])) return HSC_TYPE_CODE;
    return 0;
}

/* ---- fields ---- */

typedef struct known_field {
    const char *class_name;
    const char *field;
} known_field;

static const known_field folds[] = {
    {"java.util.HashMap", "table"},
    {"java.util.HashMap$Node", "next"},
    {"java.util.HashMap$Entry", "next"},
    {"java.util.HashSet", "map"},
    {"java.util.LinkedHashMap", "head"},
    {"java.util.LinkedHashMap", "tail"},
    {"java.util.LinkedHashMap$Entry", "before"},
    {"java.util.LinkedHashMap$Entry", "after"},
    {"java.util.Hashtable", "table"},
    {"java.util.Hashtable$Entry", "next"},
    {"java.util.WeakHashMap", "table"},
    {"java.util.WeakHashMap$Entry", "next"},
    {"java.util.IdentityHashMap", "table"},
    {"java.util.TreeMap", "root"},
    {"java.util.TreeMap$Entry", "left"},
    {"java.util.TreeMap$Entry", "right"},
    {"java.util.TreeMap$Entry", "parent"},
    {"java.util.TreeSet", "m"},
    {"java.util.ArrayList", "elementData"},
    {"java.util.Vector", "elementData"},
    {"java.util.ArrayDeque", "elements"},
    {"java.util.PriorityQueue", "queue"},
    {"java.util.LinkedList", "first"},
    {"java.util.LinkedList", "last"},
    {"java.util.LinkedList", "header"},
    {"java.util.LinkedList$Node", "next"},
    {"java.util.LinkedList$Node", "prev"},
    {"java.util.LinkedList$Entry", "next"},
    {"java.util.LinkedList$Entry", "previous"},
    {"java.util.concurrent.ConcurrentHashMap", "table"},
    {"java.util.concurrent.ConcurrentHashMap", "segments"},
    {"java.util.concurrent.ConcurrentHashMap$Node", "next"},
    {"java.util.concurrent.ConcurrentHashMap$Segment", "table"},
    {"java.util.concurrent.ConcurrentHashMap$HashEntry", "next"},
    {"java.util.concurrent.ConcurrentLinkedQueue", "head"},
    {"java.util.concurrent.ConcurrentLinkedQueue", "tail"},
    {"java.util.concurrent.ConcurrentLinkedQueue$Node", "next"},
    {"java.util.concurrent.LinkedBlockingQueue", "head"},
    {"java.util.concurrent.LinkedBlockingQueue", "last"},
    {"java.util.concurrent.LinkedBlockingQueue$Node", "next"},
    {"java.util.concurrent.CopyOnWriteArrayList", "array"},
    {"java.lang.ThreadLocal$ThreadLocalMap", "table"},
};

static const known_field caches[] = {
    {"java.lang.String", "hash"},           {"java.lang.String", "hashIsZero"},
    {"java.lang.String", "hashCode"},       {"java.util.HashMap", "modCount"},
    {"java.util.AbstractList", "modCount"}, {"java.lang.ref.SoftReference", "timestamp"},
};

static bool find_field(const known_field *table, size_t count, hsd_bytes class_name,
                       hsd_bytes field)
{
    for (size_t i = 0; i < count; i++)
        if (equals(field, table[i].field) && equals(class_name, table[i].class_name)) return true;
    return false;
}

bool hsd_hprof_known_fold(hsd_bytes class_name, hsd_bytes field)
{
    return find_field(folds, HSD_ARRAY_LEN(folds), class_name, field);
}

bool hsd_hprof_known_cache(hsd_bytes class_name, hsd_bytes field)
{
    return find_field(caches, HSD_ARRAY_LEN(caches), class_name, field);
}

/* ---- extra bytes ---- */

static const hprof_extra extras[] = {
    {.class_name = "java.lang.Class", .pointers = 2, .ints = 2, .references = 2},
    {.class_name = "java.lang.Class", .if_no_field = "signers", .references = 1},
    {.class_name = "java.lang.ClassLoader", .pointers = 1},
    {.class_name = "java.lang.InternalError", .bytes = 1},
    {.class_name = "java.lang.Module", .pointers = 1},
    {.class_name = "java.lang.invoke.MemberName", .pointers = 1},
    {.class_name = "java.lang.invoke.ResolvedMethodName", .pointers = 1},
    {.class_name = "java.lang.invoke.ResolvedMethodName",
     .if_no_field = "vmholder",
     .references = 1},
    {.class_name = "java.lang.invoke.MethodHandleNatives$CallSiteContext", .pointers = 2},
    {.class_name = "java.lang.Thread",
     .if_field = "holder", /* JDK 19 and later */
     .pointers = 1,
     .ints = 1,
     .shorts = 1,
     .bytes = 1},
    {.class_name = "java.lang.Thread",
     .contended = {"threadLocalRandomSeed", "threadLocalRandomProbe",
                   "threadLocalRandomSecondarySeed"}},
    {.class_name = "java.util.concurrent.ConcurrentHashMap$CounterCell", .contended = {"*"}},
    {.class_name = "java.util.concurrent.atomic.Striped64$Cell", .contended = {"*"}},
    {.class_name = "java.util.concurrent.Exchanger$Node", .contended = {"*"}},
    {.class_name = "java.util.concurrent.ForkJoinPool", .contended = {"ctl", "parallelism"}},
    {.class_name = "java.util.concurrent.ForkJoinPool$WorkQueue",
     .contended = {"top", "source", "nsteals", "phase", "stackPred", "parking"}},
};

const hprof_extra *hsd_hprof_known_extra(hsd_bytes class_name, const hprof_extra *after)
{
    for (size_t i = after == NULL ? 0 : (size_t)(after - extras) + 1; i < HSD_ARRAY_LEN(extras);
         i++)
        if (equals(class_name, extras[i].class_name)) return &extras[i];
    return NULL;
}

bool hsd_hprof_is_contended(const hprof_extra *extra, hsd_bytes field)
{
    for (size_t i = 0; i < HSD_ARRAY_LEN(extra->contended) && extra->contended[i] != NULL; i++)
        if (equals(field, extra->contended[i]) || strcmp(extra->contended[i], "*") == 0)
            return true;
    return false;
}
