/*
 * Which classes go with the program. A class lives as long as its loader:
 *
 *      boot loader (id 0), platform and application loader     for ever: what their classes have in statics is
 *                                                              held by these statics, which are roots
 *      any other loader                                        until nothing holds it: statics hang from the class, the
 *                                                              class from the loader and from its instances
 *
 * so that a thousand loaders that somebody forgot to drop hang from the list that holds them, with their classes and
 * all that these have in statics, as they do in the JVM itself.
 *
 * Classes of the boot loader are roots of the dump (STICKY_CLASS). Those of the other lasting loaders are made roots
 * here: else they would hang from the loader's list of classes, and with them what several of their statics hold.
 *
 * CLASS_DUMP names the loader by its id alone. The lasting ones are the only instances of their classes, and the first
 * instance of each class is known from the scan. Where a dump has none of them nothing is known, and all classes last.
 */
#include "base/check.h"
#include "import/hprof/class.h"
#include "import/hprof/java.h"

#define MOST_LASTING 32u

typedef struct lasting {
    uint64_t ids[MOST_LASTING];
    uint32_t count;
} lasting;

static void find_lasting(const hprof_classes *classes, const hprof_names *names, lasting *found)
{
    uint8_t space[128];
    for (uint32_t i = 1; i <= classes->table.count && found->count < MOST_LASTING; i++) {
        const hprof_class *of = &classes->items[i];
        if (of->first_instance == 0) continue;
        const hsd_bytes name = hsd_hprof_dotted(hsd_hprof_name(names, of->name), space, sizeof space);
        if (hsc_java_known_lasting_loader(hsd_hprof_java(name))) found->ids[found->count++] = of->first_instance;
    }
}

static bool is_among(const lasting *found, uint64_t loader)
{
    for (uint32_t i = 0; i < found->count; i++)
        if (found->ids[i] == loader) return true;
    return false;
}

/* Hidden classes, those of lambdas among them, can go before their loader does; those of arrays are not in its list. */
static bool is_apart(const hprof_names *names, const hprof_class *of)
{
    const hsd_bytes name = hsd_hprof_name(names, of->name);
    return name.size == 0 || name.data[0] == '[' || name.data[name.size - 1] == ']' ||
           hsd_hprof_hidden_size(name) < name.size || hsc_java_is_lambda(hsd_hprof_java(name));
}

void hsd_hprof_sort_loaders(hprof_classes *classes, const hprof_names *names)
{
    lasting found = {.count = 0};
    find_lasting(classes, names, &found);
    for (uint32_t i = 1; i <= classes->table.count; i++) {
        hprof_class *of = &classes->items[i];
        const bool has_lasting_loader = is_among(&found, of->loader);
        of->is_lasting = has_lasting_loader || of->loader == 0 || found.count == 0;
        of->is_permanent = has_lasting_loader && of->has_dump && !is_apart(names, of);
    }
}
