/*
 * Names of Java in narrow places: packages by their first letters, and of a path the class that owns the field and the last fields.
 *
 *      com.acme.pricing.PriceServer                         c.a.pricing.PriceServer, then c.a.p.PriceServer
 *      static com.acme.PriceServer.context.region.cache.map static c.a.PriceServer….cache.map
 *
 * Only what is surely a package is shortened: words that begin like those of Java packages (java, com, org …), or that follow
 * `static`, `class`, `lambda in` and `ThreadLocal`. Names of other languages stay as they are.
 */
#ifndef HSD_REPORT_JAVA_NAMES_H
#define HSD_REPORT_JAVA_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the name with its packages shortened, all of them or all but the last of each; `out` has room for `size` bytes. Returns what was
 * used: `size` where nothing was shortened. */
size_t hsd_java_packages(const char *name, size_t size, bool keep_last, char *out);

/*
 * Where to cut a path behind its class, for at most `columns` columns beside the mark: *head bytes stay in front, and all from *tail
 * on, which is the beginning of a field or item. False where the name is no such path, or its class and last field do not fit.
 */
bool hsd_java_cut(const char *name, size_t size, size_t columns, size_t *head, size_t *tail);

#endif
