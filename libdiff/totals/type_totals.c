/* Type totals of a capture, as its end has them. */
#include "totals/type_totals.h"

#include "base/assert.h"
#include "base/check.h"

hsd_status hsd_summary_check(const hsd_capture_info *info, hsd_error *err)
{
    if (info->is_complete) return HSD_OK;
    hsd_error_set_file(err, info->path);
    const hsd_status status = hsd_fail(err, HSD_E_TRUNCATED, "the capture has no type totals: it ends before them");
    hsd_error_set_hint(err, "leave --summary out to count the objects themselves");
    return status;
}

static bool has_totals_alone(const hsd_capture_info *info) { return info->objects == 0 && info->summary_objects > 0; }

bool hsd_summary_is_too_large(const hsd_capture_info *info)
{
    return info->objects > hsd_most_walked() && info->is_complete && !info->is_baseline;
}

void hsd_summary_warn_if_too_large(hsd_diff_store *store, const hsd_capture_info *info)
{
    if (!hsd_summary_is_too_large(info)) return;
    hsd_store_warn(store,
                   "%s holds %llu objects, and %llu are walked at most: types are exact, with garbage; what is "
                   "retained, what keeps it alive and single objects are left out.",
                   info->path, (unsigned long long)info->objects, (unsigned long long)hsd_most_walked());
}

bool hsd_summary_is_all(const hsd_capture *before, const hsd_capture *after)
{
    const hsd_capture_info *a = hsd_capture_get_info(before), *b = hsd_capture_get_info(after);
    if (!a->is_complete || !b->is_complete || a->is_baseline || b->is_baseline) return false;
    return has_totals_alone(a) || has_totals_alone(b) || hsd_summary_is_too_large(a) || hsd_summary_is_too_large(b);
}

hsd_status hsd_summary_add(hsd_amount *by_type, hsd_capture *capture, const hsd_type_table *types, hsd_error *err)
{
    HSD_ASSERT(by_type != NULL);
    hsd_record_reader *reader;
    HSD_TRY(hsd_record_reader_open(&reader, capture, HSD_RECORD_TYPE_TOTAL, err));
    hsd_status status;
    for (;;) {
        hsd_record record;
        status = hsd_record_reader_next(reader, &record, err);
        if (status != HSD_OK) break;
        hsd_amount *amount = &by_type[hsd_type_common(types, record.type_total.type)];
        amount->objects = hsd_add_saturating(amount->objects, record.type_total.objects);
        amount->bytes = hsd_add_saturating(amount->bytes,
                                           hsd_add_saturating(record.type_total.bytes, record.type_total.native_bytes));
    }
    hsd_record_reader_close(reader);
    return status == HSD_END ? HSD_OK : status;
}
