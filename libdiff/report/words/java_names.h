/*
 * Names of Java in narrow places: packages by their first letters, and of a path the class that owns the field and the
 * last fields.
 *
 *      com.acme.pricing.PriceServer                         c.a.pricing.PriceServer, then c.a.p.PriceServer
 *      static com.acme.PriceServer.context.region.cache.map static c.a.PriceServer….cache.map
 *      thread "importer", com.acme.Files.read(Files.java:19) thread "importer", com.acme.Files.read(…:19), then …read(…:19), then …read
 *
 * Only what is surely a package is shortened: words that begin like those of Java packages (java, com, org …), or that
 * follow `static`, `class`, `lambda in` and `ThreadLocal`. Names of other languages stay as they are.
 */
#ifndef HSD_REPORT_JAVA_NAMES_H
#define HSD_REPORT_JAVA_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the name with its packages shortened, all of them or all but the last of each; `out` has room for `size`
 * bytes. Returns what was used: `size` where nothing was shortened. */
size_t hsd_java_packages(const char *name, size_t size, bool keep_last, char *out);

/*
 * Where to cut a path behind its class, for at most `columns` columns beside the mark: *head bytes stay in front, and
 * all from *tail on, which is the beginning of a field or item. False where the name is no such path, or its class and
 * last field do not fit.
 */
bool hsd_java_cut(const char *name, size_t size, size_t columns, size_t *head, size_t *tail);

/*
 * A frame of a thread, as narrow as `step` says: 0 without its file, which is called as the class is, 1 without its
 * class too, 2 its method alone. What stands behind the frame stays. `mark` is put where something is missing; `out`
 * has room for `size` bytes and two marks. 0: the name is no such frame.
 */
#define HSD_JAVA_FRAME_STEPS 3
size_t hsd_java_frame(const char *name, size_t size, int step, const char *mark, size_t mark_size, char *out);

#endif
