/*
 * Configurations of the check, on any bytes: what is read judges a small diff and a small series, what is refused says
 * why in one sentence and what to do in another. A row is over its limit if and only if it fails or warns, findings
 * are in bounds, and numbers of rows add up.
 */
#include <stdlib.h>
#include <string.h>

#include <hsdiff/check.h>

#define POINTS 5u
#define TEXT(text)                                                                                                     \
    {                                                                                                                  \
        text, sizeof(text) - 1                                                                                         \
    }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const hsd_step path[] = {{.edge = TEXT(""), .type = TEXT("A"), .repeat = 1},
                                {.edge = TEXT(".entries"), .type = TEXT("Entry[]"), .repeat = 1}};
static hsd_type_row types[] = {
    {.name = TEXT("A"), .live = {.before = {1, 1000}, .after = {9, 90000}, .new_ = {8, 89000}}},
    {.name = TEXT("Abc\0\xff"), .live = {.after = {9, 900000}, .new_ = {9, 900000}}},
    {.name = TEXT(""), .live = {.before = {5, 500}}}};
static hsd_root_row roots[] = {{.name = TEXT("global"), .live = {.after = {18, 990000}}}};
static hsd_holder holders[] = {
    {.type = TEXT("Entry[]"), .root = TEXT("global"), .path = path, .path_count = 2, .growth_bytes = 980000},
    {.type = TEXT(""), .root = TEXT("(roots)"), .growth_bytes = 9000}};
static const hsd_amount values[3][POINTS] = {{{1, 1000}, {2, 200000}, {3, 300000}, {4, 400000}, {5, 500000}},
                                             {{0, 0}, {9, 900000}, {9, 900000}, {9, 900000}, {9, 900000}},
                                             {{5, 500}, {3, 300}, {9, 900}, {0, 0}, {0, 0}}};

static void fill_side(hsd_side *side, const char *name)
{
    *side = (hsd_side){.has_roots = true, .has_references = true};
    side->info = (hsd_capture_info){
        .path = name, .runtime = "V8", .source_format = "", .incomplete_reason = "", .is_complete = true};
}

static hsd_diff make_diff(void)
{
    hsd_diff diff = {.identity_is_known = true,
                     .types = types,
                     .type_count = 3,
                     .roots = roots,
                     .root_count = 1,
                     .has_holders = true,
                     .holders = holders,
                     .holder_count = 2};
    diff.total = (hsd_change){.before = {6, 1500}, .after = {18, 990000}, .new_ = {17, 989000}};
    fill_side(&diff.before, "before.hs");
    fill_side(&diff.after, "after.hs");
    return diff;
}

static void fill_row(hsd_series_row *row, const char *name, size_t which, uint32_t warmup)
{
    uint64_t bytes[POINTS];
    for (size_t i = warmup; i < POINTS; i++)
        bytes[i - warmup] = values[which][i].bytes;
    *row = (hsd_series_row){.name = {name, strlen(name)},
                            .root = TEXT(""),
                            .values = values[which],
                            .trend = hsd_trend_of(bytes, NULL, POINTS - warmup, 1000)};
}

static void expect(bool is_so)
{
    if (!is_so) abort();
}

static void look_at(const hsd_check_row *row)
{
    const bool is_over = row->outcome == HSD_CHECK_FAIL || row->outcome == HSD_CHECK_WARN;
    expect(is_over == (row->over > 0));
    expect(!is_over || row->found - row->limit == row->over);
    expect((row->outcome == HSD_CHECK_UNKNOWN) <= (row->why_unknown.size > 0));
    expect(row->finding_count <= 100);
    expect(row->outcome != HSD_CHECK_OFF || row->finding_count == 0);
    for (size_t i = 0; i < row->finding_count; i++)
        expect(row->findings[i].growth > 0);
}

static void judge(const hsd_check_config *config, const hsd_diff *diff, const hsd_series *series)
{
    const hsd_check_options options = {.today = 20000};
    hsd_check *check;
    hsd_error err;
    size_t off = 0;
    if (hsd_check_run(&check, config, diff, series, &options, &err) != HSD_OK) abort();
    for (size_t i = 0; i < check->row_count; i++) {
        look_at(&check->rows[i]);
        off += check->rows[i].outcome == HSD_CHECK_OFF;
    }
    expect(check->failed + check->warned + check->passed + check->unknown + off == check->row_count);
    expect((hsd_check_exit(check) == 3) == (check->unknown > 0));
    hsd_check_free(check);
}

static void judge_series(const hsd_check_config *config)
{
    hsd_series_point points[POINTS] = {0};
    hsd_series_row rows[3], holder;
    uint32_t warmup;
    hsd_error err;
    if (hsd_check_warmup(config, POINTS, &warmup, &err) != HSD_OK) return;
    for (size_t i = 0; i < POINTS; i++) {
        points[i].label = (hsd_text){"x.hs", 4};
        fill_side(&points[i].side, "x.hs");
    }
    for (size_t i = 0; i < 3; i++)
        fill_row(&rows[i], i == 0 ? "A" : i == 1 ? "Abc" : "", i, warmup);
    fill_row(&holder, "Shop", 0, warmup);
    hsd_series series = {.points = points, .point_count = POINTS, .warmup = warmup, .noise_bytes = 1000};
    fill_row(&series.total, "", 0, warmup);
    fill_row(&series.unreached, "", 2, warmup);
    series.types = (hsd_series_table){.is_known = true, .rows = rows, .row_count = 3};
    series.holders = (hsd_series_table){.is_known = true, .rows = &holder, .row_count = 1};
    judge(config, NULL, &series);
}

static void check_refusal(const hsd_error *err)
{
    expect(err->status == HSD_E_CORRUPT);
    expect(err->text[0] != '\0' && err->hint[0] != '\0' && strcmp(err->file, "my.yml") == 0);
    expect(strncmp(err->text, "has ", 4) == 0 || strncmp(err->text, "is ", 3) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const hsd_diff diff = make_diff();
    hsd_check_config *config;
    hsd_error err;
    hsd_error_init(&err);
    if (hsd_check_config_read(&config, data, size, "my.yml", &err) != HSD_OK) {
        check_refusal(&err);
        return 0;
    }
    judge(config, &diff, NULL);
    judge_series(config);
    hsd_check_config_free(config);
    return 0;
}
