/*
 * What redaction leaves readable without being asked: names that a runtime and its standard library brought along, and
 * hsdiff's own words. One table for all runtimes: it says less about a program than the name of its runtime does, which
 * a capture tells anyway. That these stay is what keeps an answer the same: which frames allocate for others, what is
 * the runtime's own, and which words a report shortens is decided by them.
 */
#ifndef HSD_REDACT_PUBLIC_H
#define HSD_REDACT_PUBLIC_H

#include <stdbool.h>
#include <stddef.h>

#include <hsdiff/capture.h>

bool hsd_public_word(hsd_text word);    /* an identifier */
bool hsd_public_ending(hsd_text word);  /* "py", of a file */
bool hsd_public_product(hsd_text word); /* "HotSpot", of a runtime, a producer or a format */
bool hsd_public_phrase(hsd_text text);  /* a text as a whole: "(GC roots)" */
bool hsd_public_begins(hsd_text name);  /* a qualified name: "java.util.HashMap$Node" */

typedef enum hsd_public_list {
    HSD_PUBLIC_WORDS,
    HSD_PUBLIC_ENDINGS,
    HSD_PUBLIC_PRODUCTS,
    HSD_PUBLIC_PHRASES,
    HSD_PUBLIC_PREFIXES
} hsd_public_list;

/* Entry i of a list, in the order of its bytes; NULL past its end. For tests and the documents. */
const char *hsd_public_get(hsd_public_list list, size_t i);

#endif
