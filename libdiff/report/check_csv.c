/*
 * A check as CSV: a record for each finding, and one for each rule that has none, so that every rule is there. Fields of the rule are
 * repeated; what is not known is empty.
 */
#include "report/check_words.h"
#include "report/formats.h"

static void put_field(hsd_out *out, hsd_text text)
{
    hsd_out_text(out, ",");
    hsd_out_escaped(out, HSD_ESCAPE_CSV, text);
}

static void put_signed(hsd_out *out, int64_t value) { hsd_out_format(out, ",%lld", (long long)value); }
static void put_count(hsd_out *out, uint64_t value) { hsd_out_format(out, ",%llu", (unsigned long long)value); }

static void put_rule(hsd_out *out, const hsd_check_row *row)
{
    const hsd_rule *rule = row->rule;
    hsd_out_escaped(out, HSD_ESCAPE_CSV, rule->name);
    hsd_out_format(out, ",%s,%s,%s", hsd_outcome_name(row->outcome), hsd_level_name(rule->level), hsd_subject_name(rule->subject));
    put_field(out, rule->pattern);
    hsd_out_format(out, ",%s,%s", hsd_measure_name(rule), hsd_row_unit(row));
    if (row->outcome == HSD_CHECK_UNKNOWN || row->outcome == HSD_CHECK_OFF) {
        hsd_out_text(out, ",,,");
    } else {
        put_signed(out, row->found);
        put_signed(out, row->limit);
        put_signed(out, row->over);
    }
    hsd_out_text(out, row->is_per_round ? ",yes" : ",no");
    put_field(out, row->why_unknown);
}

static void put_finding(hsd_out *out, const hsd_finding *finding)
{
    hsd_buffer place = {0};
    const hsd_site_frame *frame = hsd_finding_frame(finding);
    if (out->status == HSD_OK) out->status = hsd_finding_append_place(&place, finding, out->err);
    hsd_out_format(out, ",%s", hsd_finding_state(finding));
    put_field(out, finding->name);
    put_field(out, finding->root);
    put_field(out, (hsd_text){(const char *)place.data, place.size});
    hsd_buffer_release(&place);
    put_signed(out, finding->before);
    put_signed(out, finding->after);
    put_signed(out, finding->growth);
    put_signed(out, finding->limit);
    put_signed(out, finding->per_round);
    put_count(out, finding->round_count);
    put_count(out, finding->up_count);
    put_count(out, finding->p_millionths);
    put_field(out, finding->allowed ? finding->allowed->reason : (hsd_text){"", 0});
    put_field(out, frame ? frame->file : (hsd_text){"", 0});
    if (frame)
        put_count(out, frame->line);
    else
        hsd_out_text(out, ",");
}

hsd_status hsd_csv_check(const hsd_check *check, const hsd_report_options *options, hsd_write_fn write, void *context,
                         hsd_error *err)
{
    hsd_out out;
    (void)options;
    hsd_out_init(&out, write, context, err);
    hsd_out_text(&out, "rule,outcome,level,subject,pattern,measure,unit,found,limit,over,per_round,why_unknown,state,name,root,place,before,"
                       "after,growth,finding_limit,growth_per_round,rounds,rounds_up,p_millionths,reason,site_file,site_line\r\n");
    for (size_t i = 0; i < check->row_count; i++) {
        const hsd_check_row *row = &check->rows[i];
        for (size_t k = 0; k < row->finding_count; k++) {
            put_rule(&out, row);
            put_finding(&out, &row->findings[k]);
            hsd_out_text(&out, "\r\n");
        }
        if (row->finding_count > 0) continue;
        put_rule(&out, row);
        hsd_out_text(&out, ",,,,,,,,,,,,,,,\r\n");
    }
    return hsd_out_finish(&out);
}
