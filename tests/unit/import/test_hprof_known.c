/*
 * What is known beforehand of classes of Java's libraries: insides of containers, and the fields that lead there.
 */
#include <criterion/criterion.h>

#include <string.h>

#include "jvm/known.h"
#include <hscapture/hscapture.h>

static hsc_java_name name_of(const char *text) { return (hsc_java_name){(const uint8_t *)text, strlen(text)}; }

static bool folds(const char *class_name, const char *field)
{
    return hsc_java_known_fold(name_of(class_name), name_of(field));
}

Test(known, containers_of_scala_and_clojure_hold_their_items)
{
    static const char *const insides[] = {
        "scala.collection.immutable.BitmapIndexedMapNode", "scala.collection.immutable.RedBlackTree$Tree",
        "scala.collection.mutable.HashMap$Node[]",         "scala.collection.concurrent.CNode",
        "clojure.lang.PersistentHashMap$ArrayNode",        "clojure.lang.PersistentVector$Node"};
    static const char *const outside[] = {"scala.collection.immutable.HashMap", "scala.collection.immutable.TreeMap",
                                          "scala.collection.mutable.HashMap", "clojure.lang.PersistentHashMap",
                                          "clojure.lang.Atom"};
    for (size_t i = 0; i < sizeof insides / sizeof insides[0]; i++)
        cr_expect_eq(hsc_java_known_type(name_of(insides[i])), HSC_TYPE_INTERNAL, "%s", insides[i]);
    for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++)
        cr_expect_eq(hsc_java_known_type(name_of(outside[i])), 0, "%s", outside[i]);
    cr_expect(folds("scala.collection.immutable.HashMap", "rootNode"));
    cr_expect(folds("scala.collection.immutable.BitmapIndexedMapNode", "content"));
    cr_expect(folds("scala.collection.immutable.RedBlackTree$Tree",
                    "scala$collection$immutable$RedBlackTree$Tree$$_left"));
    cr_expect_not(folds("scala.collection.immutable.RedBlackTree$Tree",
                        "scala$collection$immutable$RedBlackTree$Tree$$_value"));
    cr_expect(folds("clojure.lang.PersistentVector", "tail"));
    cr_expect_not(folds("clojure.lang.Atom", "state"));
}

Test(known, lists_of_virtual_threads_hold_none)
{
    static const char list[] = "jdk.internal.vm.ThreadContainers$RootContainer$TrackingRootContainer";
    cr_expect(hsc_java_known_of_threads(name_of(list), name_of("VTHREADS")));
    cr_expect(hsc_java_known_of_threads(name_of("java.lang.Thread"), name_of("parkBlocker")));
    cr_expect_not(hsc_java_known_of_threads(name_of("java.lang.Thread"), name_of("threadLocals")));
    cr_expect_not(hsc_java_known_of_threads(name_of("com.shop.Container"), name_of("VTHREADS")));
}
