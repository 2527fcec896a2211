/*
 * Names of an HPROF file: class names as people read them, text as UTF-8.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/hprof/names.h"
#include "jvm/known.h"
#include <hscapture/hscapture.h>

static void expect_name(const char *raw, const char *expected)
{
    hsd_buffer out = {0};
    const hsd_bytes bytes = {(const uint8_t *)raw, strlen(raw)};
    cr_assert(hsd_hprof_class_name(bytes, &out, NULL) == HSD_OK);
    cr_expect(out.size == strlen(expected) && (out.size == 0 || memcmp(out.data, expected, out.size) == 0),
              "%s became %.*s", raw, (int)out.size, (const char *)out.data);
    hsd_buffer_release(&out);
}

Test(hprof_names, of_classes_have_dots_and_brackets)
{
    expect_name("java/lang/String", "java.lang.String");
    expect_name("java.lang.String", "java.lang.String");
    expect_name("[Ljava/lang/String;", "java.lang.String[]");
    expect_name("[[Ljava/lang/String;", "java.lang.String[][]");
    expect_name("java.lang.String[][]", "java.lang.String[][]");
    expect_name("[I", "int[]");
    expect_name("[[Z", "boolean[][]");
    expect_name("[B", "byte[]");
    expect_name("[C", "char[]");
    expect_name("[D", "double[]");
    expect_name("[F", "float[]");
    expect_name("[J", "long[]");
    expect_name("[S", "short[]");
    expect_name("int[]", "int[]");
    expect_name("I", "I");
    expect_name("com/x/Outer$Inner", "com.x.Outer$Inner");
}

Test(hprof_names, of_hidden_classes_lose_their_address)
{
    expect_name("java/lang/invoke/LambdaForm$MH+0x00007fe191005000", "java.lang.invoke.LambdaForm$MH");
    expect_name("com/x/Main$$Lambda$14/0x0000000800c03000", "com.x.Main$$Lambda$14");
    expect_name("com.x.Main$$Lambda$14.0x0000000800c03000", "com.x.Main$$Lambda$14");
    expect_name("[Lcom/x/Main$$Lambda+0x00007fe1;", "com.x.Main$$Lambda[]");
    expect_name("com.x.Main$$Lambda+0x1f[]", "com.x.Main$$Lambda[]");
    expect_name("com/x/Face0xcafe", "com.x.Face0xcafe"); /* a name of somebody's own */
    expect_name("0x12", "0x12");
    expect_name("com/x/A+0x", "com.x.A+0x");
}

Test(hprof_names, may_be_anything)
{
    expect_name("", "");
    expect_name("[", "[]");
    expect_name("[L;", "[]");
    expect_name("[Lx", "Lx[]");
    expect_name("[]", "][]");
    expect_name("]", "]");
    expect_name("[Q", "Q[]");
}

Test(hprof_names, have_at_most_255_dimensions)
{
    char raw[1002];
    hsd_buffer out = {0};
    memset(raw, '[', 1000);
    raw[1000] = 'I';
    cr_assert(hsd_hprof_class_name((hsd_bytes){(const uint8_t *)raw, 1001}, &out, NULL) == HSD_OK);
    cr_expect(out.size == 3 + 2 * 255);
    hsd_buffer_release(&out);
}

static void expect_utf8(const char *from, size_t size, const char *expected, size_t expected_size)
{
    uint8_t out[64];
    const size_t used = hsd_hprof_to_utf8((const uint8_t *)from, size, out);
    cr_expect(used == expected_size && memcmp(out, expected, used) == 0);
}

Test(hprof_names, become_utf8)
{
    expect_utf8("caf\xc3\xa9", 5, "caf\xc3\xa9", 5);
    expect_utf8("a\xc0\x80z", 4, "a\0z", 3);                           /* NUL */
    expect_utf8("\xed\xa0\xbd\xed\xb8\x80", 6, "\xf0\x9f\x98\x80", 4); /* U+1F600 */
    expect_utf8("\xed\xa0\xbd", 3, "\xed\xa0\xbd", 3);                 /* half a pair */
    expect_utf8("\xc0", 1, "\xc0", 1);
    expect_utf8("\xff\xfe", 2, "\xff\xfe", 2);
}

static uint32_t type_flags(const char *name)
{
    return hsc_java_known_type((hsc_java_name){(const uint8_t *)name, strlen(name)});
}

static bool is_fold(const char *class_name, const char *field)
{
    return hsc_java_known_fold((hsc_java_name){(const uint8_t *)class_name, strlen(class_name)},
                               (hsc_java_name){(const uint8_t *)field, strlen(field)});
}

Test(hprof_names, of_the_library_are_known)
{
    cr_expect(type_flags("java.util.HashMap$Node") == HSC_TYPE_INTERNAL);
    cr_expect(type_flags("java.util.HashMap$Node[]") == HSC_TYPE_INTERNAL);
    cr_expect(type_flags("java.lang.ThreadLocal$ThreadLocalMap$Entry[]") == HSC_TYPE_INTERNAL);
    cr_expect(type_flags("java.lang.Object[]") == 0);
    cr_expect(type_flags("java.util.ArrayList") == 0);
    cr_expect(type_flags("java.lang.Class") == HSC_TYPE_CODE);
    cr_expect(type_flags("java.lang.invoke.LambdaForm$MH") == HSC_TYPE_CODE);
    cr_expect(type_flags("[]") == 0);
    cr_expect(type_flags("") == 0);
}

/* The helper types and the ways to them, by container: what is not in a row must not be marked. */
Test(hprof_names, of_the_insides_of_containers_are_known)
{
    static const struct {
        const char *class_name, *folds, *plain;
    } rows[] = {
        {"java.util.HashMap", "table", "size"},
        {"java.util.HashSet", "map", ""},
        {"java.util.LinkedHashMap", "head tail", "accessOrder"},
        {"java.util.TreeMap", "root", "comparator"},
        {"java.util.IdentityHashMap", "table", ""},
        {"java.util.WeakHashMap", "table", "queue"},
        {"java.util.concurrent.ConcurrentHashMap", "table nextTable counterCells", "sizeCtl"},
        {"java.util.ArrayList", "elementData", "size"},
        {"java.util.ArrayDeque", "elements", "head"},
        {"java.util.LinkedList", "first last", "size"},
        {"java.util.PriorityQueue", "queue", "comparator"},
        {"java.util.Collections$SynchronizedMap", "m", "mutex"},
        {"java.util.Collections$UnmodifiableCollection", "c", ""},
        {"java.util.concurrent.ConcurrentLinkedQueue", "head tail", ""},
        {"java.util.concurrent.CompletableFuture", "stack", "result"},
        {"java.util.concurrent.CompletableFuture$Completion", "next", "fn dep src"},
        {"java.util.concurrent.ConcurrentSkipListMap", "head", "comparator"},
        {"java.util.concurrent.DelayQueue", "q", "leader"},
        {"com.google.common.cache.LocalCache", "segments", "removalListener"},
        {"com.github.benmanes.caffeine.cache.BoundedLocalCache", "data", "executor"},
        {"jdk.internal.foreign.MemorySessionImpl", "resourceList", "owner"},
        {"java.util.concurrent.LinkedBlockingQueue", "head last", "putLock notEmpty"},
        {"java.util.concurrent.CopyOnWriteArrayList", "array", "lock"},
        {"java.lang.AbstractStringBuilder", "value", "coder"},
        {"java.lang.Thread", "threadLocals inheritableThreadLocals", "target group name"},
        {"java.lang.ThreadLocal$ThreadLocalMap", "table", ""},
        {"java.util.HashMap$Node", "next", "key value"},
        {"java.util.LinkedList$Node", "next prev", "item"},
        {"kotlinx.coroutines.internal.LockFreeLinkedListNode", "_next _prev$volatile", "childJob"},
        {"kotlinx.coroutines.channels.BufferedChannel", "sendSegment receiveSegment$volatile", "onUndeliveredElement"},
        {"kotlinx.coroutines.sync.SemaphoreAndMutexImpl", "head$volatile tail", "onCancellationRelease"},
        {"com.x.Node", "", "next table map elementData value"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (unsigned is_plain = 0; is_plain < 2; is_plain++) {
            char words[128], *state = NULL;
            snprintf(words, sizeof words, "%s", is_plain ? rows[i].plain : rows[i].folds);
            for (const char *word = strtok_r(words, " ", &state); word != NULL; word = strtok_r(NULL, " ", &state))
                cr_expect(is_fold(rows[i].class_name, word) == !is_plain, "%s.%s", rows[i].class_name, word);
        }
    }
    cr_expect(!is_fold("java.util.HashMap", ""));
    cr_expect(!is_fold("java.util.HashMap", "tab"));
    cr_expect(!is_fold("java.util.HashMap", "table entrySet"));
    cr_expect(!is_fold("java.util.HashMa", "table"));
}

Test(hprof_names, of_the_insides_of_containers_are_internal)
{
    static const char *const insides[] = {
        "java.util.HashMap$Node",
        "java.util.HashMap$TreeNode",
        "java.util.LinkedHashMap$Entry",
        "java.util.TreeMap$Entry",
        "java.util.WeakHashMap$Entry",
        "java.util.concurrent.ConcurrentHashMap$Node",
        "java.util.LinkedList$Node",
        "java.util.concurrent.ConcurrentLinkedQueue$Node",
        "java.util.concurrent.LinkedBlockingQueue$Node",
        "java.util.concurrent.CompletableFuture$UniApply",
        "com.google.common.cache.LocalCache$StrongAccessEntry",
        "com.google.common.cache.LocalCache$Segment",
        "com.google.common.collect.HashBiMap$BiEntry[]",
        "com.github.benmanes.caffeine.cache.PSAMS",
        "com.github.benmanes.caffeine.cache.FW",
        "java.util.concurrent.CompletableFuture$Completion",
        "java.lang.ThreadLocal$ThreadLocalMap",
        "java.lang.ref.Finalizer",
    };
    static const char *const others[] = {"java.util.HashMap",
                                         "java.util.HashSet",
                                         "java.util.LinkedList",
                                         "java.util.ArrayList",
                                         "java.util.concurrent.CompletableFuture",
                                         "com.google.common.cache.LocalCache",
                                         "com.google.common.cache.LocalCache$LocalManualCache",
                                         "com.github.benmanes.caffeine.cache.SSMS",
                                         "com.github.benmanes.caffeine.cache.",
                                         "com.github.benmanes.caffeine.cache.Pacer",
                                         "java.lang.String",
                                         "java.lang.Object[]",
                                         "com.x.HashMap$Node",
                                         "com.x.Node",
                                         "java.util.Collections$SynchronizedMap",
                                         "byte[]",
                                         "com.x.Finalizer[][]"};
    for (size_t i = 0; i < sizeof insides / sizeof insides[0]; i++)
        cr_expect(type_flags(insides[i]) == HSC_TYPE_INTERNAL, "%s", insides[i]);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        cr_expect(type_flags(others[i]) == 0, "%s", others[i]);
}

/* Wanted, noted and read again, in stretches that are joined when there are too many. */
Test(hprof_names, are_read_from_any_number_of_stretches)
{
    const uint32_t count = 20000;
    hsd_buffer file = {0};
    hprof_names names = {0};
    hsd_source source;
    hprof_reader reader;
    static const uint8_t header[31] = "JAVA PROFILE 1.0.2\0\0\0\0\4\0\0\0\0\0\0\0\0";
    static const uint8_t filler[9 + 8000] = {0x77, 0, 0, 0, 0, 0, 0, 0x1f, 0x40};
    cr_assert(hsd_buffer_append(&file, header, sizeof header, NULL) == HSD_OK);
    for (uint32_t i = 1; i <= count; i++) {
        const uint8_t text[9 + 4 + 3] = {1,
                                         0,
                                         0,
                                         0,
                                         0,
                                         0,
                                         0,
                                         0,
                                         7,
                                         0,
                                         0,
                                         (uint8_t)(i >> 8),
                                         (uint8_t)i,
                                         'a',
                                         (uint8_t)('a' + i % 26),
                                         (uint8_t)('a' + i / 26 % 26)};
        cr_assert(hsd_hprof_note_string(&names, file.size, file.size + sizeof text, NULL) == HSD_OK);
        cr_assert(hsd_buffer_append(&file, text, sizeof text, NULL) == HSD_OK);
        if (i % 4 == 0) cr_assert(hsd_buffer_append(&file, filler, sizeof filler, NULL) == HSD_OK);
    }
    cr_assert(names.stretch_count > 1 && names.stretch_count <= 4096);
    cr_assert(hsd_source_open_memory(&source, (hsd_bytes){file.data, file.size}, "test", NULL) == HSD_OK);
    cr_assert(hsd_hprof_open(&reader, &source, false, NULL) == HSD_OK);
    uint32_t first = 0, last = 0, missing = 0, none = 0;
    cr_assert(hsd_hprof_want(&names, 1, &first, NULL) == HSD_OK);
    cr_assert(hsd_hprof_want(&names, count, &last, NULL) == HSD_OK);
    cr_assert(hsd_hprof_want(&names, 0x77777777, &missing, NULL) == HSD_OK);
    cr_assert(hsd_hprof_want(&names, 0, &none, NULL) == HSD_OK);
    cr_assert(hsd_hprof_read_names(&names, &reader, NULL) == HSD_OK);
    cr_expect(none == 0 && hsd_hprof_name(&names, none).size == 0);
    cr_expect(hsd_hprof_equals(hsd_hprof_name(&names, first), "aba"));
    const char expected[] = {'a', (char)('a' + count % 26), (char)('a' + count / 26 % 26), '\0'};
    cr_expect(hsd_hprof_equals(hsd_hprof_name(&names, last), expected));
    cr_expect(hsd_hprof_name(&names, missing).size == 0);
    hsd_source_close(&source);
    hsd_hprof_names_release(&names);
    hsd_buffer_release(&file);
}

Test(hprof_names, of_lambdas_are_those_of_the_class_they_stand_in)
{
    static const struct {
        const char *class_name, *type;
    } cases[] = {{"com.x.Srv$$Lambda", "lambda in com.x.Srv"},
                 {"com.x.Srv$$Lambda$14", "lambda in com.x.Srv"},
                 {"com.x.Srv$Inner$$Lambda$1.1234567[][]", "lambda in com.x.Srv$Inner[][]"},
                 {"com.x.Srv$$ExternalSyntheticLambda3", "lambda in com.x.Srv"},
                 {"A$$Lambda", "lambda in A"},
                 {"$$Lambda$1", "$$Lambda$1"},
                 {"com.x.Lambda", "com.x.Lambda"},
                 {"", ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t text[64 + HSC_JAVA_LAMBDA_BYTES];
        const size_t before = strlen(cases[i].class_name);
        memcpy(text, cases[i].class_name, before);
        const size_t size = hsc_java_call_lambda(text, before);
        cr_expect(size <= before + HSC_JAVA_LAMBDA_BYTES);
        cr_expect(size == strlen(cases[i].type) && memcmp(text, cases[i].type, size) == 0, "%.*s", (int)size,
                  (const char *)text);
    }
}

Test(hprof_names, of_lists_of_what_lives_by_itself_are_known)
{
    static const char group[] = "java.lang.ThreadGroup";
    const hsc_java_name name = {(const uint8_t *)group, sizeof group - 1};
    cr_expect(hsc_java_known_register(name, (hsc_java_name){(const uint8_t *)"threads", 7}));
    cr_expect_not(hsc_java_known_register(name, (hsc_java_name){(const uint8_t *)"groups", 6}));
    static const char cleanable[] = "jdk.internal.ref.PhantomCleanable";
    const hsc_java_name cleaned = {(const uint8_t *)cleanable, sizeof cleanable - 1};
    cr_expect(hsc_java_known_register(cleaned, (hsc_java_name){(const uint8_t *)"next", 4}));
    cr_expect(hsc_java_known_register(cleaned, (hsc_java_name){(const uint8_t *)"node", 4}));
    cr_expect(hsc_java_known_cleanable(cleaned));
    cr_expect_not(hsc_java_known_cleanable(name));
    static const char list[] = "jdk.internal.ref.CleanerImpl$CleanableList$Node"; /* JDK 24 and later */
    const hsc_java_name node = {(const uint8_t *)list, sizeof list - 1};
    cr_expect(hsc_java_known_register(node, (hsc_java_name){(const uint8_t *)"arr", 3}));
    cr_expect_not(hsc_java_known_register(node, (hsc_java_name){(const uint8_t *)"next", 4}));
    static const char registered[] = "jdk.internal.ref.CleanerImpl$PhantomCleanableRef";
    const hsc_java_name called = {(const uint8_t *)registered, sizeof registered - 1};
    cr_expect(hsc_java_known_action(called, (hsc_java_name){(const uint8_t *)"action", 6}));
    cr_expect_not(hsc_java_known_action(cleaned, (hsc_java_name){(const uint8_t *)"action", 6}));
}
