/*
 * Tables about the Java library. Names are those of reports (dots, "[]"). Sources: the classes
 * themselves, JDK 6 to 25, and what class histograms of live JVMs say about the extra bytes.
 */
#include "jvm/known.h"

#include <string.h>

#include <hscapture/hscapture.h>

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

static bool known_class_equals(hsc_java_name text, const char *word)
{
    return text.size == strlen(word) && memcmp(text.data, word, text.size) == 0;
}

static bool known_class_begins_with(hsc_java_name text, const char *word)
{
    const size_t size = strlen(word);
    return text.size >= size && memcmp(text.data, word, size) == 0;
}

static bool is_among(hsc_java_name name, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (known_class_equals(name, words[i])) return true;
    return false;
}

/* ---- types ---- */

/* Insides of containers; arrays of them as well. Nothing that a program makes itself: what one cannot get
 * at through the container is here, the container is not. */
static const char *const internals[] = {
    "java.util.HashMap$Node",
    "java.util.HashMap$TreeNode",
    "java.util.HashMap$Entry",
    "java.util.HashMap$HashMapEntry", /* Android up to 6, like the next three */
    "java.util.Hashtable$HashtableEntry",
    "java.util.LinkedHashMap$LinkedEntry",
    "java.util.TreeMap$Node",
    "java.util.LinkedHashMap$Entry",
    "java.util.LinkedHashMap$LinkedHashMapEntry",
    "java.util.Hashtable$Entry",
    "java.util.TreeMap$Entry",
    "java.util.TreeMap$TreeMapEntry",
    "java.util.WeakHashMap$Entry",
    "java.util.LinkedList$Node",
    "java.util.LinkedList$Entry",
    "java.util.LinkedList$Link",
    "java.util.TaskQueue",
    "java.util.concurrent.ConcurrentHashMap$Node",
    "java.util.concurrent.ConcurrentHashMap$TreeNode",
    "java.util.concurrent.ConcurrentHashMap$TreeBin",
    "java.util.concurrent.ConcurrentHashMap$ForwardingNode",
    "java.util.concurrent.ConcurrentHashMap$ReservationNode",
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
    "java.util.concurrent.SynchronousQueue$TransferQueue",
    "java.util.concurrent.SynchronousQueue$TransferQueue$QNode",
    "java.util.concurrent.SynchronousQueue$TransferStack",
    "java.util.concurrent.SynchronousQueue$TransferStack$SNode",
    "java.util.concurrent.SynchronousQueue$Transferer",
    "java.util.concurrent.atomic.Striped64$Cell",
    "kotlinx.coroutines.channels.ChannelSegment",
    "kotlinx.coroutines.sync.SemaphoreSegment",
    "java.util.concurrent.locks.AbstractQueuedSynchronizer$Node",
    "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionNode",
    "java.util.concurrent.locks.AbstractQueuedSynchronizer$ExclusiveNode",
    "java.util.concurrent.locks.AbstractQueuedSynchronizer$SharedNode",
    "jdk.internal.foreign.ConfinedSession$ConfinedResourceList",
    "jdk.internal.foreign.SharedSession$SharedResourceList",
    "java.lang.ThreadLocal$ThreadLocalMap",
    "java.lang.ThreadLocal$ThreadLocalMap$Entry",
    "java.lang.ThreadLocal$Values",
    "java.lang.ClassValue$ClassValueMap",
    "java.lang.ClassValue$Entry",
    "clojure.lang.PersistentHashMap$ArrayNode",
    "clojure.lang.PersistentHashMap$BitmapIndexedNode",
    "clojure.lang.PersistentHashMap$HashCollisionNode",
    "clojure.lang.PersistentVector$Node",
    "scala.collection.concurrent.CNode",
    "scala.collection.concurrent.INode",
    "scala.collection.concurrent.LNode",
    "scala.collection.concurrent.SNode",
    "scala.collection.concurrent.TNode",
    "scala.collection.immutable.BitmapIndexedMapNode",
    "scala.collection.immutable.BitmapIndexedSetNode",
    "scala.collection.immutable.HashCollisionMapNode",
    "scala.collection.immutable.HashCollisionSetNode",
    "scala.collection.immutable.RedBlackTree$Tree",
    "scala.collection.mutable.HashMap$Node",
    "scala.collection.mutable.HashSet$Node",
    "scala.collection.mutable.LinkedHashMap$LinkedEntry",
    "scala.collection.mutable.RedBlackTree$Node",
    "scala.collection.mutable.RedBlackTree$Tree",
    "java.lang.ref.Finalizer",
    "java.lang.ref.FinalizerReference",
};

static const char *const internal_prefixes[] = {
    "java.util.concurrent.CompletableFuture$", /* what depends on one: UniApply, BiRelay, AnyOf … */
    "com.google.common.cache.LocalCache$",         "com.google.common.collect.HashBiMap$BiEntry",
    "com.google.common.collect.ImmutableMapEntry", "com.google.common.collect.MapMakerInternalMap$",
};

/* The containers among them. */
static const char *const outer_prefixes[] = {
    "com.google.common.cache.LocalCache$Local", /* LocalManualCache, LocalLoadingCache */
};

static bool has_prefix(hsc_java_name name, const char *const *prefixes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (known_class_begins_with(name, prefixes[i])) return true;
    return false;
}

/* Entries of Caffeine are made by a program and called by what they carry: PS, PSAMS, FW … */
static bool is_caffeine_entry(hsc_java_name name)
{
    static const char package[] = "com.github.benmanes.caffeine.cache.";
    const size_t size = sizeof package - 1;
    if (!known_class_begins_with(name, package) || name.size == size) return false;
    for (size_t i = size; i < name.size; i++)
        if (name.data[i] < 'A' || name.data[i] > 'Z') return false;
    return name.data[size] == 'P' || name.data[size] == 'F';
}

static bool is_internal(hsc_java_name name)
{
    if (is_among(name, internals, COUNT_OF(internals)) || is_caffeine_entry(name)) return true;
    return has_prefix(name, internal_prefixes, COUNT_OF(internal_prefixes)) &&
           !has_prefix(name, outer_prefixes, COUNT_OF(outer_prefixes));
}

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

uint32_t hsc_java_known_type(hsc_java_name name)
{
    while (name.size > 2 && memcmp(name.data + name.size - 2, "[]", 2) == 0)
        name.size -= 2;
    if (is_internal(name)) return HSC_TYPE_INTERNAL;
    if (is_among(name, codes, COUNT_OF(codes))) return HSC_TYPE_CODE;
    return has_prefix(name, code_prefixes, COUNT_OF(code_prefixes)) ? HSC_TYPE_CODE : 0;
}

/* ---- lambdas ---- */

/* Bytes of the name of the class that the lambda stands in; 0 = it is none. */
static size_t lambda_host(hsc_java_name class_name)
{
    static const char *const marks[] = {"$$Lambda", "$$ExternalSyntheticLambda"};
    for (size_t i = 1; i < class_name.size; i++) {
        const hsc_java_name rest = {class_name.data + i, class_name.size - i};
        for (size_t k = 0; k < COUNT_OF(marks); k++)
            if (known_class_begins_with(rest, marks[k])) return i;
    }
    return 0;
}

bool hsc_java_is_lambda(hsc_java_name class_name) { return lambda_host(class_name) > 0; }

size_t hsc_java_call_lambda(uint8_t *name, size_t size)
{
    static const char word[] = "lambda in ";
    const size_t host = lambda_host((hsc_java_name){name, size}), more = sizeof word - 1;
    size_t dimensions = size;
    if (host == 0) return size;
    while (dimensions > host && (name[dimensions - 1] == ']' || name[dimensions - 1] == '['))
        dimensions--;
    memmove(name + more + host, name + dimensions, size - dimensions);
    memmove(name + more, name, host);
    memcpy(name, word, more);
    return more + host + size - dimensions;
}

/* ---- class loaders ---- */

/* Those of the JVM, and those by which a packed program starts itself. */
static const char *const lasting_loaders[] = {
    "jdk.internal.loader.ClassLoaders$AppClassLoader",
    "jdk.internal.loader.ClassLoaders$PlatformClassLoader",
    "jdk.internal.loader.ClassLoaders$BootClassLoader",
    "sun.misc.Launcher$AppClassLoader",
    "sun.misc.Launcher$ExtClassLoader",
    "org.springframework.boot.loader.LaunchedURLClassLoader",
    "org.springframework.boot.loader.launch.LaunchedClassLoader",
    "io.quarkus.bootstrap.runner.RunnerClassLoader",
    "java.lang.BootClassLoader", /* Android, like the next two */
    "dalvik.system.PathClassLoader",
    "dalvik.system.DelegateLastClassLoader",
};

bool hsc_java_known_lasting_loader(hsc_java_name class_name)
{
    return is_among(class_name, lasting_loaders, COUNT_OF(lasting_loaders));
}

/* ---- fields ---- */

typedef struct known_fields {
    const char *class_name; /* that declares them */
    const char *fields;     /* parted by blanks */
} known_fields;

static const known_fields registers[] = {
    {"java.lang.ThreadGroup", "threads"},                       /* up to JDK 18 */
    {"jdk.internal.ref.CleanerImpl$CleanableList$Node", "arr"}, /* JDK 24 and later */
    {"jdk.internal.ref.PhantomCleanable", "prev next list node"},
    {"jdk.internal.ref.WeakCleanable", "prev next list node"},
    {"jdk.internal.ref.SoftCleanable", "prev next list node"},
};

static const known_fields of_threads[] = {
    {"jdk.internal.vm.ThreadContainers$RootContainer$TrackingRootContainer", "VTHREADS"},
    {"jdk.internal.vm.SharedThreadContainer", "virtualThreads"},
    {"java.util.concurrent.ThreadPerTaskExecutor", "threads"},
    {"java.lang.Thread", "container parkBlocker"},
};

static const known_fields folds[] = {
    /* Maps, and what sets are made of. */
    {"java.util.AbstractMap", "keySet values"},
    {"java.util.HashMap", "table entrySet entryForNullKey"},
    {"java.util.HashMap$Node", "next"},
    {"java.util.HashMap$Entry", "next"},
    {"java.util.HashMap$HashMapEntry", "next"},
    {"java.util.HashMap$TreeNode", "left parent prev right"},
    {"java.util.HashSet", "map backingMap"},
    {"java.util.LinkedHashMap", "head tail header"},
    {"java.util.LinkedHashMap$Entry", "before after"},
    {"java.util.LinkedHashMap$LinkedEntry", "nxt prv"},
    {"java.util.LinkedHashMap$LinkedHashMapEntry", "before after"},
    {"java.util.Hashtable", "table entrySet keySet values"},
    {"java.util.Hashtable$Entry", "next"},
    {"java.util.Hashtable$HashtableEntry", "next"},
    {"java.util.Properties", "map"},
    {"java.util.WeakHashMap", "table entrySet"},
    {"java.util.WeakHashMap$Entry", "next"},
    {"java.lang.ClassValue$ClassValueMap", "cacheArray"},
    {"java.util.IdentityHashMap", "table entrySet"},
    {"java.util.EnumMap", "vals entrySet"},
    {"java.util.TreeMap", "root entrySet navigableKeySet descendingMap"},
    {"java.util.TreeMap$Entry", "left right parent"},
    {"java.util.TreeMap$TreeMapEntry", "left right parent"},
    {"java.util.TreeMap$Node", "left right parent"},
    {"java.util.TreeSet", "m backingMap"},
    {"java.util.ImmutableCollections$MapN", "table"},
    {"java.util.ImmutableCollections$SetN", "elements"},
    {"java.util.ImmutableCollections$ListN", "elements"},
    {"java.util.concurrent.ConcurrentHashMap", "table nextTable segments counterCells keySet values entrySet"},
    {"java.util.concurrent.ConcurrentHashMap$CollectionView", "map"},
    {"java.util.concurrent.ConcurrentHashMap$Node", "next"},
    {"java.util.concurrent.ConcurrentHashMap$TreeNode", "left parent prev right"},
    {"java.util.concurrent.ConcurrentHashMap$TreeBin", "root first"},
    {"java.util.concurrent.ConcurrentHashMap$ForwardingNode", "nextTable"},
    {"java.util.concurrent.ConcurrentHashMap$Segment", "table"},
    {"java.util.concurrent.ConcurrentHashMap$HashEntry", "next"},
    {"java.util.concurrent.ConcurrentSkipListMap", "head keySet values entrySet descendingMap adder"},
    {"java.util.concurrent.ConcurrentSkipListMap$Node", "next"},
    {"java.util.concurrent.ConcurrentSkipListMap$Index", "node down right"},
    {"java.util.concurrent.ConcurrentSkipListSet", "m"},
    {"java.util.concurrent.CopyOnWriteArraySet", "al"},
    /* Lists and queues. */
    {"java.util.ArrayList", "elementData array"},
    {"java.util.Arrays$ArrayList", "a"},
    {"java.util.Vector", "elementData"},
    {"java.util.ArrayDeque", "elements"},
    {"java.util.PriorityQueue", "queue elements"},
    {"java.util.LinkedList", "first last header voidLink"},
    {"java.util.LinkedList$Node", "next prev"},
    {"java.util.LinkedList$Entry", "next previous"},
    {"java.util.LinkedList$Link", "next previous"},
    {"java.util.Timer", "queue"},
    {"java.util.TaskQueue", "queue"},
    {"java.util.concurrent.ArrayBlockingQueue", "items"},
    {"java.util.concurrent.ConcurrentLinkedQueue", "head tail"},
    {"java.util.concurrent.ConcurrentLinkedQueue$Node", "next"},
    {"java.util.concurrent.ConcurrentLinkedDeque", "head tail"},
    {"java.util.concurrent.ConcurrentLinkedDeque$Node", "next prev"},
    {"java.util.concurrent.CopyOnWriteArrayList", "array elements"},
    {"java.util.concurrent.CompletableFuture", "stack"},
    {"java.util.concurrent.CompletableFuture$Completion", "next"},
    {"java.util.concurrent.DelayQueue", "q"},
    {"java.util.concurrent.LinkedBlockingQueue", "head last"},
    {"java.util.concurrent.LinkedBlockingQueue$Node", "next"},
    {"java.util.concurrent.LinkedBlockingDeque", "first last"},
    {"java.util.concurrent.LinkedBlockingDeque$Node", "next prev"},
    {"java.util.concurrent.LinkedTransferQueue", "head tail"},
    {"java.util.concurrent.LinkedTransferQueue$Node", "next"},
    {"java.util.concurrent.LinkedTransferQueue$DualNode", "next"},
    {"java.util.concurrent.PriorityBlockingQueue", "queue q"},
    {"java.util.concurrent.ScheduledThreadPoolExecutor$DelayedWorkQueue", "queue"},
    {"java.util.concurrent.SynchronousQueue", "transferer"},
    {"java.util.concurrent.atomic.AtomicReferenceArray", "array"},
    {"java.util.concurrent.atomic.Striped64", "cells"},
    /* Wrappers: the container is what the program holds. */
    {"java.util.Collections$CheckedCollection", "c"},
    {"java.util.Collections$CheckedList", "list"},
    {"java.util.Collections$CheckedMap", "m"},
    {"java.util.Collections$SetFromMap", "m s"},
    {"java.util.Collections$SynchronizedCollection", "c"},
    {"java.util.Collections$SynchronizedList", "list"},
    {"java.util.Collections$SynchronizedMap", "m keySet entrySet values"},
    {"java.util.Collections$SynchronizedNavigableMap", "nm"},
    {"java.util.Collections$SynchronizedNavigableSet", "ns"},
    {"java.util.Collections$SynchronizedSortedMap", "sm"},
    {"java.util.Collections$SynchronizedSortedSet", "ss"},
    {"java.util.Collections$UnmodifiableCollection", "c"},
    {"java.util.Collections$UnmodifiableList", "list"},
    {"java.util.Collections$UnmodifiableMap", "m keySet entrySet values"},
    {"java.util.Collections$UnmodifiableNavigableMap", "nm"},
    {"java.util.Collections$UnmodifiableNavigableSet", "ns"},
    {"java.util.Collections$UnmodifiableSortedMap", "sm"},
    {"java.util.Collections$UnmodifiableSortedSet", "ss"},
    /* Guava and Caffeine. */
    {"com.github.benmanes.caffeine.cache.BoundedLocalCache", "data"},
    {"com.github.benmanes.caffeine.cache.BoundedLocalCache$BoundedLocalManualCache", "cache"},
    {"com.github.benmanes.caffeine.cache.UnboundedLocalCache", "data"},
    {"com.github.benmanes.caffeine.cache.UnboundedLocalCache$UnboundedLocalManualCache", "cache"},
    {"com.google.common.cache.LocalCache", "segments"},
    {"com.google.common.cache.LocalCache$LocalManualCache", "localCache"},
    {"com.google.common.cache.LocalCache$Segment", "table recencyQueue writeQueue accessQueue"},
    {"com.google.common.collect.AbstractMapBasedMultimap", "map"},
    {"com.google.common.collect.HashBiMap",
     "hashTableKToV hashTableVToK firstInKeyInsertionOrder lastInKeyInsertionOrder"},
    {"com.google.common.collect.MapMakerInternalMap", "segments"},
    {"com.google.common.collect.MapMakerInternalMap$Segment", "table"},
    {"com.google.common.collect.RegularImmutableList", "array"},
    {"com.google.common.collect.RegularImmutableMap", "entries table"},
    /* Scala 2.13 and 3; Clojure. */
    {"clojure.lang.PersistentArrayMap", "array"},
    {"clojure.lang.PersistentHashMap", "root"},
    {"clojure.lang.PersistentHashMap$ArrayNode", "array"},
    {"clojure.lang.PersistentHashMap$BitmapIndexedNode", "array"},
    {"clojure.lang.PersistentHashMap$HashCollisionNode", "array"},
    {"clojure.lang.PersistentVector", "root tail"},
    {"clojure.lang.PersistentVector$Node", "array"},
    {"clojure.lang.APersistentSet", "impl"},
    {"scala.collection.concurrent.CNode", "array"},
    {"scala.collection.concurrent.INodeBase", "mainnode"},
    {"scala.collection.concurrent.TrieMap", "root"},
    {"scala.collection.immutable.BigVector", "suffix1"},
    {"scala.collection.immutable.BitmapIndexedMapNode", "content"},
    {"scala.collection.immutable.BitmapIndexedSetNode", "content"},
    {"scala.collection.immutable.HashMap", "rootNode"},
    {"scala.collection.immutable.HashSet", "rootNode"},
    {"scala.collection.immutable.RedBlackTree$Tree",
     "scala$collection$immutable$RedBlackTree$Tree$$_left scala$collection$immutable$RedBlackTree$Tree$$_right"},
    {"scala.collection.immutable.TreeMap", "tree"},
    {"scala.collection.immutable.TreeSet", "tree"},
    {"scala.collection.immutable.Vector", "prefix1"},
    {"scala.collection.immutable.Vector2", "data2"},
    {"scala.collection.immutable.Vector3", "prefix2 data3 suffix2"},
    {"scala.collection.immutable.Vector4", "prefix2 prefix3 data4 suffix3 suffix2"},
    {"scala.collection.mutable.ArrayBuffer", "array"},
    {"scala.collection.mutable.ArrayDeque", "array"},
    {"scala.collection.mutable.HashMap", "scala$collection$mutable$HashMap$$table"},
    {"scala.collection.mutable.HashMap$Node", "_next"},
    {"scala.collection.mutable.HashSet", "scala$collection$mutable$HashSet$$table"},
    {"scala.collection.mutable.HashSet$Node", "_next"},
    {"scala.collection.mutable.LinkedHashMap", "scala$collection$mutable$LinkedHashMap$$table firstEntry lastEntry"},
    {"scala.collection.mutable.LinkedHashMap$LinkedEntry", "earlier later next"},
    {"scala.collection.mutable.RedBlackTree$Node", "left right parent"},
    {"scala.collection.mutable.RedBlackTree$Tree", "root"},
    {"scala.collection.mutable.TreeMap", "scala$collection$mutable$TreeMap$$tree"},
    /* Text and bytes. */
    {"java.io.ByteArrayOutputStream", "buf"},
    {"java.io.CharArrayWriter", "buf"},
    {"java.lang.AbstractStringBuilder", "value"},
    {"java.lang.String", "value"},
    {"java.math.BigInteger", "mag"},
    {"java.nio.ByteBuffer", "hb"},
    {"java.nio.CharBuffer", "hb"},
    {"java.util.BitSet", "words"},
    {"jdk.internal.foreign.MemorySessionImpl", "resourceList"},
    {"jdk.internal.foreign.MemorySessionImpl$ResourceList", "fst"},
    {"jdk.internal.foreign.MemorySessionImpl$ResourceList$ResourceCleanup", "next"},
    /* Threads. */
    {"java.lang.Thread", "threadLocals inheritableThreadLocals localValues inheritableValues"},
    {"java.lang.ThreadLocal$ThreadLocalMap", "table"},
    {"java.lang.ThreadLocal$Values", "table"},
    /* Android. */
    {"android.util.ArrayMap", "mArray mHashes"},
    {"android.util.ArraySet", "mArray mHashes"},
    {"android.util.LongSparseArray", "mKeys mValues"},
    {"android.util.LruCache", "map"},
    {"android.util.SparseArray", "mKeys mValues"},
    {"androidx.collection.LongSparseArray", "keys values mKeys mValues"},
    {"androidx.collection.LruCache", "map"},
    {"androidx.collection.SimpleArrayMap", "array hashes mArray mHashes"},
    {"androidx.collection.SparseArrayCompat", "keys values mKeys mValues"},
    /* Coroutines of Kotlin: the list of a job's children, and the segments of channels, mutexes and semaphores; fields
     * are called so up to 1.7, and from 1.8 on. */
    {"kotlinx.coroutines.channels.BufferedChannel",
     "sendSegment receiveSegment bufferEndSegment sendSegment$volatile receiveSegment$volatile "
     "bufferEndSegment$volatile"},
    {"kotlinx.coroutines.channels.ChannelSegment", "data"},
    {"kotlinx.coroutines.internal.ConcurrentLinkedListNode", "_next _prev _next$volatile _prev$volatile"},
    {"kotlinx.coroutines.internal.LockFreeLinkedListNode", "_next _prev _next$volatile _prev$volatile"},
    {"kotlinx.coroutines.sync.SemaphoreAndMutexImpl", "head tail head$volatile tail$volatile"},
    {"kotlinx.coroutines.sync.SemaphoreSegment", "acquirers"},
};

static const known_fields caches[] = {
    {"java.lang.String", "hash hashIsZero hashCode"},
    {"java.util.HashMap", "modCount"},
    {"java.util.AbstractList", "modCount"},
    {"java.lang.ref.SoftReference", "timestamp"},
};

static bool has_word(const char *words, hsc_java_name word)
{
    for (;;) {
        const size_t size = strcspn(words, " ");
        if (size == word.size && memcmp(words, word.data, size) == 0) return true;
        if (words[size] == '\0') return false;
        words += size + 1;
    }
}

static bool find_field(const known_fields *table, size_t count, hsc_java_name class_name, hsc_java_name field)
{
    for (size_t i = 0; i < count; i++)
        if (known_class_equals(class_name, table[i].class_name) && has_word(table[i].fields, field)) return true;
    return false;
}

bool hsc_java_known_fold(hsc_java_name class_name, hsc_java_name field)
{
    return find_field(folds, COUNT_OF(folds), class_name, field);
}

bool hsc_java_known_of_threads(hsc_java_name class_name, hsc_java_name field)
{
    return find_field(of_threads, COUNT_OF(of_threads), class_name, field);
}

bool hsc_java_known_register(hsc_java_name class_name, hsc_java_name field)
{
    return find_field(registers, COUNT_OF(registers), class_name, field);
}

bool hsc_java_known_cleanable(hsc_java_name class_name)
{
    static const char *const names[] = {"jdk.internal.ref.PhantomCleanable", "jdk.internal.ref.WeakCleanable",
                                        "jdk.internal.ref.SoftCleanable"};
    return is_among(class_name, names, COUNT_OF(names));
}

static const known_fields actions[] = {
    {"jdk.internal.ref.CleanerImpl$PhantomCleanableRef", "action"},
    {"jdk.internal.ref.CleanerImpl$WeakCleanableRef", "action"},
    {"jdk.internal.ref.CleanerImpl$SoftCleanableRef", "action"},
};

bool hsc_java_known_action(hsc_java_name class_name, hsc_java_name field)
{
    return find_field(actions, COUNT_OF(actions), class_name, field);
}

bool hsc_java_known_cache(hsc_java_name class_name, hsc_java_name field)
{
    return find_field(caches, COUNT_OF(caches), class_name, field);
}

/* ---- memory outside the heap ---- */

/* A buffer that can only be read owns nothing, also where it is the one of a mapping (DirectByteBufferR): its pages are
 * the file's, and the kernel takes them back. Buffers that native code made or that were made without a cleaner
 * (Netty's) have no `att` either: they are the one object that stands for their memory. Memory of the foreign-memory
 * API belongs to the cleanup in the list of its arena; segments may be slices. */
#define VIEWS       "att viewedBuffer segment"
#define ARENA_SIZES "val$alignedSize val$allocationSize"

static const hsc_java_native natives[] = {
    {"java.nio.DirectByteBuffer", "capacity", VIEWS},
    {"jdk.internal.foreign.NativeMemorySegmentImpl$1", ARENA_SIZES, ""}, /* JDK 19 to 21 */
    {"jdk.internal.foreign.SegmentFactories$1", ARENA_SIZES, ""},        /* JDK 22 and later */
};

const hsc_java_native *hsc_java_known_native(hsc_java_name class_name)
{
    for (size_t i = 0; i < COUNT_OF(natives); i++)
        if (known_class_equals(class_name, natives[i].class_name)) return &natives[i];
    return NULL;
}

bool hsc_java_is_size(const hsc_java_native *native, hsc_java_name field) { return has_word(native->size, field); }

bool hsc_java_is_view(const hsc_java_native *native, hsc_java_name field) { return has_word(native->unless, field); }

static const known_fields view_fields[] = {
    {"java.nio.Buffer", "segment"},
    {"java.nio.DirectByteBuffer", "att viewedBuffer"},
};

bool hsc_java_known_view(hsc_java_name class_name, hsc_java_name field)
{
    return find_field(view_fields, COUNT_OF(view_fields), class_name, field);
}

bool hsc_java_known_address(hsc_java_name class_name, hsc_java_name field)
{
    return known_class_equals(class_name, "java.nio.Buffer") && known_class_equals(field, "address");
}

bool hsc_java_known_cleaner(hsc_java_name class_name, hsc_java_name field)
{
    return known_class_equals(class_name, "java.nio.DirectByteBuffer") && known_class_equals(field, "cleaner");
}

bool hsc_java_known_outside(hsc_java_name class_name, hsc_java_name field)
{
    const hsc_java_native *native = hsc_java_known_native(class_name);
    if (known_class_equals(class_name, "java.nio.Buffer")) return known_class_equals(field, "capacity");
    return native != NULL && hsc_java_is_size(native, field);
}

/* ---- extra bytes ---- */

static const hsc_java_extra extras[] = {
    {.class_name = "java.lang.Class", .pointers = 2, .ints = 2, .references = 2},
    {.class_name = "java.lang.Class", .if_no_field = "signers", .references = 1},
    {.class_name = "java.lang.ClassLoader", .pointers = 1},
    {.class_name = "java.lang.InternalError", .bytes = 1},
    {.class_name = "java.lang.Module", .pointers = 1},
    {.class_name = "java.lang.invoke.MemberName", .pointers = 1},
    {.class_name = "java.lang.invoke.ResolvedMethodName", .pointers = 1},
    {.class_name = "java.lang.invoke.ResolvedMethodName", .if_no_field = "vmholder", .references = 1},
    {.class_name = "java.lang.invoke.MethodHandleNatives$CallSiteContext", .pointers = 2},
    {.class_name = "java.lang.Thread",
     .if_field = "holder", /* JDK 19 and later */
     .pointers = 1,
     .ints = 1,
     .shorts = 1,
     .bytes = 1},
    {.class_name = "java.lang.Thread",
     .contended = {"threadLocalRandomSeed", "threadLocalRandomProbe", "threadLocalRandomSecondarySeed"}},
    {.class_name = "jdk.internal.vm.StackChunk", .pointers = 1, .ints = 1, .references = 1, .bytes = 1},
    {.class_name = "java.util.concurrent.ConcurrentHashMap$CounterCell", .contended = {"*"}},
    {.class_name = "java.util.concurrent.atomic.Striped64$Cell", .contended = {"*"}},
    {.class_name = "java.util.concurrent.Exchanger$Node", .contended = {"*"}},
    {.class_name = "java.util.concurrent.ForkJoinPool", .contended = {"ctl", "parallelism"}},
    {.class_name = "java.util.concurrent.ForkJoinPool$WorkQueue",
     .contended = {"top", "source", "nsteals", "phase", "stackPred", "parking"}},
};

const hsc_java_extra *hsc_java_known_extra(hsc_java_name class_name, const hsc_java_extra *after)
{
    for (size_t i = after == NULL ? 0 : (size_t)(after - extras) + 1; i < COUNT_OF(extras); i++)
        if (known_class_equals(class_name, extras[i].class_name)) return &extras[i];
    return NULL;
}

bool hsc_java_is_contended(const hsc_java_extra *extra, hsc_java_name field)
{
    for (size_t i = 0; i < COUNT_OF(extra->contended) && extra->contended[i] != NULL; i++)
        if (known_class_equals(field, extra->contended[i]) || strcmp(extra->contended[i], "*") == 0) return true;
    return false;
}
