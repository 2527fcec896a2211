/*
 * What is known beforehand about classes of the Java library, by name: which ones are the insides of
 * containers, which fields lead into them, which carry more bytes than their fields say. One table
 * each, so that another class is one more line. The agent and the importer of HPROF share it; it stands on no other
 * file of either.
 */
#ifndef HSC_JVM_KNOWN_H
#define HSC_JVM_KNOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct hsc_java_name { /* a borrowed text; it needs no NUL */
    const uint8_t *data;
    size_t size;
} hsc_java_name;

/* HSC_TYPE_* of a type, by its name as reports show it ("java.util.HashMap$Node[]"). */
uint32_t hsc_java_known_type(hsc_java_name name);

/* The type of a lambda by the class in whose code it stands: "com.x.Srv$$Lambda$14[]" becomes "lambda in com.x.Srv[]".
 * The class of a lambda has a number that differs from build to build and from run to run, and is not the program's. In
 * place; there is room for HSC_JAVA_LAMBDA_BYTES more. Returns the size, that of the name as it is where it is no
 * lambda's. */
#define HSC_JAVA_LAMBDA_BYTES 8u
size_t hsc_java_call_lambda(uint8_t *name, size_t size);
bool hsc_java_is_lambda(hsc_java_name class_name);

/* True if this field of a container leads to its insides (HSC_LABEL_FOLD). */
bool hsc_java_known_fold(hsc_java_name class_name, hsc_java_name field);

/* True if the field is a list in which the JVM keeps what lives by itself: a thread that runs is a root, and is taken
 * off the list when it ends. The list counts as weak: else each thread would be held by every other, through their
 * group, with all that it holds. And what waits for a Cleaner, else the Cleaner's thread would hold all that is to be
 * cleaned. */
bool hsc_java_known_register(hsc_java_name class_name, hsc_java_name field);

/* True of a list of virtual threads that are under way, where each of them is a root; and of what leads from a thread
 * back to its list, and to what it waits for, which is on its stack. */
bool hsc_java_known_of_threads(hsc_java_name class_name, hsc_java_name field);

/* True if what such an object refers to is called when its referent is gone (java.lang.ref.Cleaner): it is there
 * because the referent is. */
bool hsc_java_known_cleanable(hsc_java_name class_name);

/* True if the field of a cleanable is what will be called. */
bool hsc_java_known_action(hsc_java_name class_name, hsc_java_name field);

/* True if the field is a cache that fills by itself (String.hash): no part of an object's content. */
bool hsc_java_known_cache(hsc_java_name class_name, hsc_java_name field);

/* True if a class loader of this type goes with the program: what its classes have in statics lives as long as that
 * does. The boot loader has no object. All others can go, and with them their classes and statics. */
bool hsc_java_known_lasting_loader(hsc_java_name class_name);

/* Memory outside the heap that objects of a class own: as many bytes as `size` says. An object in which one of the
 * references `unless` is set only looks into the memory of another (slices, duplicates). Fields stand in the class or
 * above it. */
typedef struct hsc_java_native {
    const char *class_name;
    const char *size, *unless; /* names of fields, parted by blanks; JDKs call them differently */
} hsc_java_native;

/* NULL: objects of the class own nothing outside the heap that their fields tell. */
const hsc_java_native *hsc_java_known_native(hsc_java_name class_name);

/* True if the field is the number of bytes; if it is among those that make the object a view. */
bool hsc_java_is_size(const hsc_java_native *native, hsc_java_name field);
bool hsc_java_is_view(const hsc_java_native *native, hsc_java_name field);

/*
 * A buffer without `cleaner` whose `address` begins a page is a mapping that native code made and keeps: nothing that a
 * Java program does gives it back. The JDK has its own classes in one, 125 MiB, ten times the heap of a small service.
 * What malloc gives never begins a page.
 */
bool hsc_java_known_address(hsc_java_name class_name, hsc_java_name field);
bool hsc_java_known_cleaner(hsc_java_name class_name, hsc_java_name field);
static inline bool hsc_java_is_page(uint64_t address) { return (address & 0xfff) == 0; }

/* The same by the class that declares the field: one that makes an object a view, one that is the number of bytes. */
bool hsc_java_known_view(hsc_java_name class_name, hsc_java_name field);
bool hsc_java_known_outside(hsc_java_name class_name, hsc_java_name field);

/* What HotSpot does with instances of a class beside laying out the fields that the dump names.
 * Subclasses inherit it with the fields. */
typedef struct hsc_java_extra {
    const char *class_name;
    const char *if_field;                     /* only where the class declares this field; NULL = always */
    const char *if_no_field;                  /* only where it does not declare this one */
    unsigned pointers;                        /* injected machine words */
    unsigned ints, shorts, bytes, references; /* injected fields */
    const char *contended[8];                 /* fields of its @Contended group; the name "*" = all of them */
} hsc_java_extra;

/* The next entry for a class behind `after` (NULL = the first one); NULL = there is none. */
const hsc_java_extra *hsc_java_known_extra(hsc_java_name class_name, const hsc_java_extra *after);

/* True if the field belongs to the group. */
bool hsc_java_is_contended(const hsc_java_extra *extra, hsc_java_name field);

#endif
