/*
 * Prints reports of hand-built diffs, for tests that read them with other programs or compare them with
 * files. usage: report_sample names FORMAT [plain] < NAMES     types with the names that standard input
 * gives, each after its length in four little-endian bytes
 *               report_sample SCREEN WIDTH                     a screen of the manual
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/report/sample.h"

static hsd_status to_stdout(void *context, const void *data, size_t size, hsd_error *err)
{
    (void)context;
    return fwrite(data, 1, size, stdout) == size ? HSD_OK : hsd_fail(err, HSD_E_IO, "cannot write");
}

static int print(const hsd_diff *diff, const char *format, const hsd_report_options *options)
{
    const hsd_report_format *report = hsd_report_format_find(format);
    hsd_error err;
    if (!report) return 2;
    hsd_error_init(&err);
    return report->write_diff(diff, options, to_stdout, NULL, &err) == HSD_OK && fflush(stdout) == 0
               ? 0
               : 4;
}

/* ---- names ---- */

static size_t read_names(hsd_type_row *rows, hsd_root_row *roots, size_t capacity)
{
    unsigned char head[4];
    size_t count = 0;
    while (count < capacity && fread(head, 1, 4, stdin) == 4) {
        const size_t size =
            head[0] | (size_t)head[1] << 8 | (size_t)head[2] << 16 | (size_t)head[3] << 24;
        char *name = malloc(size + 1);
        if (!name || fread(name, 1, size, stdin) != size) exit(2);
        name[size] = 0;
        rows[count] = sample_type("", 1000 * (count + 1), 3000 * (count + 1));
        roots[count] = sample_root("", 1000 * (count + 1), 3000 * (count + 1));
        rows[count].name = roots[count].name = (hsd_text){name, size};
        count++;
    }
    return count;
}

static int print_names(const char *format, bool plain)
{
    static hsd_type_row rows[1000];
    static hsd_root_row roots[1000];
    const size_t count = read_names(rows, roots, 1000);
    hsd_diff diff = sample_diff(rows, count, roots, count);
    const hsd_report_options options = {
        .top = HSD_TOP_ALL, .use_utf8 = true, .plain = plain, .sort_by = HSD_SORT_GROWTH};
    hsd_text warning = rows[1].name;
    diff.before.info.process_name = diff.after.info.process_name =
        rows[1].name.data; /* free text too */
    diff.before.info.path = diff.after.info.runtime = rows[2].name.data;
    diff.warnings = &warning;
    diff.warning_count = 1;
    return print(&diff, format, &options);
}

/* ---- screens ---- */

static hsd_diff shop(void)
{
    static hsd_type_row types[8];
    static hsd_root_row roots[3];
    types[0] = sample_type("Session", 39950746, 171861606);
    types[1] = sample_type("Buffer", 101082726, 179306496);
    types[2] = sample_type("string", 148792934, 197866291);
    types[3] =
        sample_type("com.shop.cache.Entry<java.lang.String,com.shop.Session>", 5976883, 25794970);
    types[4] = sample_type("AuditEvent", 0, 2202010);
    types[5] =
        sample_type("com.shop.cache.Entry<java.lang.String,com.shop.Cart>", 15976883, 6644736);
    types[6] = sample_type("com.shop.Session[]", 400016, 465552);
    types[7] = sample_type("com.shop.Config", 4096, 4096);
    roots[0] = sample_root("global.sessions", 120000000, 367463936);
    roots[1] = sample_root("static com.shop.Audit.log", 0, 2202010);
    roots[2] = sample_root("(shared)", 192184284, 214479811);
    hsd_diff diff = sample_diff(types, 8, roots, 3);
    diff.unreached_before = (hsd_amount){1200, 60000};
    diff.unreached_after = (hsd_amount){12000, 3145728};
    return diff;
}

static hsd_diff moving(void)
{
    hsd_diff diff = shop();
    diff.identity_is_known = false;
    diff.before.info.identity = diff.after.info.identity = HSD_IDENTITY_MOVING;
    memset(diff.before.info.domain, 0, 16);
    diff.before.info.runtime = diff.after.info.runtime = "HotSpot 17.0.13";
    diff.before.info.path = "a.hprof";
    diff.after.info.path = "b.hprof";
    return diff;
}

static hsd_diff partial(void)
{
    static hsd_text warnings[1];
    hsd_diff diff = shop();
    warnings[0] = sample_text("after.hs is incomplete (capture killed): numbers are lower bounds");
    diff.is_partial = true;
    diff.after.info.is_complete = false;
    diff.after.info.incomplete_reason = "capture killed";
    diff.warnings = warnings;
    diff.warning_count = 1;
    return diff;
}

static hsd_diff summary(void)
{
    hsd_diff diff = moving();
    diff.is_summary = true;
    diff.root_count = 0;
    diff.unreached_before = diff.unreached_after = (hsd_amount){0, 0};
    return diff;
}

static hsd_diff same(void)
{
    static hsd_type_row types[1];
    types[0] = sample_type("Session", 39950746, 39950746);
    return sample_diff(types, 1, NULL, 0);
}

static const struct {
    const char *name;
    hsd_diff (*make)(void);
} screens[] = {
    {"shop", shop}, {"moving", moving}, {"partial", partial}, {"summary", summary}, {"same", same},
};

static int print_screen(const char *name, unsigned width)
{
    const bool is_foreign = strcmp(name, "moving") == 0;
    const hsd_report_options options = {.width = width,
                                        .use_utf8 = true,
                                        .before_command = is_foreign ? "a.hprof" : "before.hs",
                                        .after_command = is_foreign ? "b.hprof" : "after.hs",
                                        .before_is_foreign = is_foreign,
                                        .after_is_foreign = is_foreign};
    for (size_t i = 0; i < sizeof screens / sizeof screens[0]; i++) {
        if (strcmp(screens[i].name, name) != 0) continue;
        const hsd_diff diff = screens[i].make();
        return print(&diff, "text", &options);
    }
    return 2;
}

int main(int argc, char **argv)
{
    if (argc >= 3 && strcmp(argv[1], "names") == 0) return print_names(argv[2], argc > 3);
    return argc == 3 ? print_screen(argv[1], (unsigned)strtoul(argv[2], NULL, 10)) : 2;
}
