/* Buckets of sizes as arrays of three numbers; of 65 most are empty. */
#include "report/json_sizes.h"

#include "report/json_pieces.h"

static void put_buckets(hsd_out *out, const char *key, const hsd_amount buckets[HSD_SIZE_BUCKETS])
{
    const char *separator = "";
    hsd_out_text(out, key);
    for (unsigned b = 0; b < HSD_SIZE_BUCKETS; b++) {
        if (buckets[b].objects == 0) continue;
        hsd_out_format(out, "%s[%u, %llu, %llu]", separator, b, (unsigned long long)buckets[b].objects,
                       (unsigned long long)buckets[b].bytes);
        separator = ", ";
    }
    hsd_out_text(out, "]");
}

void hsd_json_size_row(hsd_out *out, const hsd_size_row *row)
{
    hsd_json_string(out, "\"type\": ", row->type);
    put_buckets(out, ", \"before\": [", row->before);
    put_buckets(out, ", \"after\": [", row->after);
}

void hsd_json_sizes(hsd_out *out, const hsd_diff *diff, size_t most)
{
    const size_t count = diff->size_count < most ? diff->size_count : most;
    hsd_out_text(out, "  \"sizes\": [");
    for (size_t i = 0; i < count; i++) {
        hsd_out_text(out, i > 0 ? ",\n    {" : "\n    {");
        hsd_json_size_row(out, &diff->sizes[i]);
        hsd_out_text(out, "}");
    }
    hsd_out_text(out, count > 0 ? "\n  ]" : "]");
}
