/*
 * The importers, one row each, and the auction: every probe says how many bits of the first bytes it
 * has truly verified, and the best bid wins. A tie would mean that a file is two things at once, and
 * is refused with both names.
 */
#include <string.h>

#include "import/importer.h"

/* clang-format off */
/* One row a line, tests/lint reads them. */
static const hsd_importer *const importers[] = {
    &hsd_import_hprof,
    &hsd_import_v8,
    &hsd_import_goheap,
    &hsd_import_gocore,
    &hsd_import_nettrace,
    &hsd_import_ruby,
    &hsd_import_pprof,
    &hsd_import_luau,
    &hsd_import_mlpd,
    &hsd_import_gcdump,
    &hsd_import_firefox,
    &hsd_import_perfetto,
    &hsd_import_tracemalloc,
    &hsd_import_pycore,
    &hsd_import_pyheap,
    &hsd_import_memray,
    &hsd_import_heapprofile,
    &hsd_import_massif,
    &hsd_import_dhat,
    &hsd_import_heaptrack,
    &hsd_import_dart,
    &hsd_import_meminfo,
    &hsd_import_phd,
    NULL,
};
/* clang-format on */

const hsd_importer *hsd_importer_row(size_t i)
{
    return i < sizeof importers / sizeof importers[0] ? importers[i] : NULL;
}

const hsd_importer_info *hsd_importer_get(size_t i)
{
    const hsd_importer *row = hsd_importer_row(i);
    return row == NULL ? NULL : &row->info;
}

static hsd_status choose_by_name(const hsd_importer *const *table, const hsd_importer **out, const char *format,
                                 hsd_error *err)
{
    for (const hsd_importer *const *row = table; *row != NULL; row++)
        if (strcmp((*row)->info.name, format) == 0) {
            *out = *row;
            return HSD_OK;
        }
    return hsd_fail(err, HSD_E_UNSUPPORTED, "there is no importer called %s", format);
}

hsd_status hsd_importer_choose_from(const hsd_importer *const *table, const hsd_importer **out, const uint8_t *prefix,
                                    size_t size, const char *format, hsd_error *err)
{
    *out = NULL;
    if (format != NULL) return choose_by_name(table, out, format, err);
    const hsd_importer *best = NULL, *rival = NULL;
    unsigned best_bits = 0;
    for (const hsd_importer *const *row = table; *row != NULL; row++) {
        const unsigned bits = (*row)->probe(prefix, size);
        if (bits > best_bits) {
            best = *row;
            best_bits = bits;
            rival = NULL;
        } else if (bits > 0 && bits == best_bits) {
            rival = *row;
        }
    }
    if (best == NULL) return hsd_fail(err, HSD_E_NOT_THIS_FORMAT, "no importer knows these bytes");
    if (rival != NULL) {
        hsd_fail(err, HSD_E_UNSUPPORTED, "this could be %s as well as %s", best->info.name, rival->info.name);
        hsd_error_set_hint(err, "name the format: --from %s or --from %s", best->info.name, rival->info.name);
        return HSD_E_UNSUPPORTED;
    }
    *out = best;
    return HSD_OK;
}

hsd_status hsd_importer_choose(const hsd_importer **out, const uint8_t *prefix, size_t size, const char *format,
                               hsd_error *err)
{
    return hsd_importer_choose_from(importers, out, prefix, size, format, err);
}

const hsd_importer *hsd_importer_further(const hsd_importer *chosen, hsd_source *source, size_t size)
{
    for (const hsd_importer *const *row = importers; *row != NULL; row++)
        if (*row != chosen && (*row)->takes != NULL && (*row)->probe(source->at, size) > 0 && (*row)->takes(source))
            return *row;
    return chosen;
}
