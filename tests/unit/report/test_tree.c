/*
 * Growth by path as a picture: which places are lines, what the others add up to, and that it fits where it is shown.
 */
#include <criterion/criterion.h>
#include <stdio.h>

#include "report/model/tree_rows.h"
#include "report/words/width.h"
#include "unit/report/sample.h"
#include "unit/report/says.h"

enum { ROWS_MAX = 300 };

static hsd_tree_row rows[ROWS_MAX];

/* What is in a place alone. */
static hsd_tree_row place(uint32_t depth, const char *edge, const char *type, uint64_t before, uint64_t after)
{
    return (hsd_tree_row){.depth = depth,
                          .is_root = depth == 1,
                          .edge = sample_text(edge),
                          .type = sample_text(type),
                          .own_before = {before / 100, before},
                          .own_after = {after / 100, after}};
}

/* Row 0 and all that a place holds, from what is in each. */
static hsd_diff with_rows(size_t count)
{
    hsd_diff diff = sample_diff(NULL, 0, NULL, 0);
    rows[0].depth = 0;
    for (size_t i = 0; i < count; i++) {
        rows[i].before = rows[i].own_before;
        rows[i].after = rows[i].own_after;
        for (size_t below = i + 1; below < count && rows[below].depth > rows[i].depth; below++) {
            sample_add(&rows[i].before, rows[below].own_before);
            sample_add(&rows[i].after, rows[below].own_after);
        }
    }
    diff.total = (hsd_change){.before = rows[0].before, .after = rows[0].after};
    diff.before.live = diff.total.before;
    diff.after.live = diff.total.after;
    diff.has_holders = true;
    diff.tree = rows;
    diff.tree_count = count;
    return diff;
}

/* Sessions grew, carts shrank, a hundred small places grew a little each. */
static hsd_diff shop(void)
{
    size_t count = 0;
    rows[count++] = place(0, "", "", 0, 0);
    rows[count++] = place(1, "", "global.sessions", 0, 0);
    rows[count++] = place(2, ".map", "Map", 10 * MIB, 210 * MIB);
    rows[count++] = place(1, "", "global.carts", 40 * MIB, 10 * MIB);
    for (size_t i = 0; i < 100; i++)
        rows[count++] = place(1, "", "small", MIB, MIB + 1000);
    return with_rows(count);
}

static char *picture_of(const hsd_diff *diff, hsd_report_options options)
{
    options.tree = true;
    char *report = sample_report("text", diff, &options), *from = strstr(report, "GROWTH BY PATH");
    if (from == NULL) return report;
    char *end = strstr(from, "\n\n");
    if (end != NULL) end[1] = 0;
    memmove(report, from, strlen(from) + 1);
    return report;
}

Test(tree_picture, tells_growth_from_decrease_without_colour)
{
    const hsd_diff diff = shop();
    char *report = picture_of(&diff, (hsd_report_options){.use_utf8 = true});
    cr_expect_str_eq(report, "GROWTH BY PATH            GROWTH  SHARE     OBJECTS\n"
                             "████████████████████  +200.0 MiB   118%  +2,097,152  global.sessions\n"
                             "████████████████████  +200.0 MiB   118%  +2,097,152    .map: Map\n"
                             "▒▒▒                    -30.0 MiB   -18%    -314,573  global.carts\n"
                             "▏                      +97.7 KiB    <1%      +1,000  100 other places\n"
                             "█████████████████     +170.1 MiB   100%  +1,783,579  TOTAL\n");
    free(report);
    report = picture_of(&diff, (hsd_report_options){.exact_bytes = true});
    cr_expect_str_eq(report, "GROWTH BY PATH                GROWTH  SHARE     OBJECTS\n"
                             "####################  +209,715,200 B   118%  +2,097,152  global.sessions\n"
                             "####################  +209,715,200 B   118%  +2,097,152    .map: Map\n"
                             ":::                    -31,457,280 B   -18%    -314,573  global.carts\n"
                             "#                         +100,000 B    <1%      +1,000  100 other places\n"
                             "#################     +178,357,920 B   100%  +1,783,579  TOTAL\n");
    free(report);
}

Test(tree_picture, paints_what_has_a_sign_already)
{
    const hsd_diff diff = shop();
    char *report = picture_of(&diff, (hsd_report_options){.use_utf8 = true, .use_color = true});
    HOLDS(report, "\x1b[91m████████████████████\x1b[0m  \x1b[91m+200.0 MiB\x1b[0m");
    HOLDS(report, "\x1b[34m▒▒▒\x1b[0m  ");
    HOLDS(report, "\x1b[34m-30.0 MiB\x1b[0m");
    free(report);
}

Test(tree_picture, fits_a_screen_unless_all_is_asked_for)
{
    const hsd_diff diff = shop();
    const struct {
        size_t top, lines;
    } cases[] = {{0, 6}, {1, 4}, {2, 5}, {40, 43}, {HSD_TOP_ALL, 105}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t lines = 0;
        char *report = picture_of(&diff, (hsd_report_options){.use_utf8 = true, .top = cases[i].top});
        for (const char *at = report; *at; at++)
            lines += *at == '\n';
        cr_expect_eq(lines, cases[i].lines, "--top %zu: %zu lines\n%s", cases[i].top, lines, report);
        free(report);
    }
    for (size_t i = 1; i < 200; i++)
        rows[i] = place(1, "", "large", 0, 10 * MIB);
    const hsd_diff broad = with_rows(200);
    size_t lines = 0;
    char *report = picture_of(&broad, (hsd_report_options){.use_utf8 = true});
    for (const char *at = report; *at; at++)
        lines += *at == '\n';
    cr_expect_eq(lines, 23u, "none has a share worth a line of its own, so the largest:\n%s", report);
    HOLDS(report, "179 other places\n");
    free(report);
    for (size_t i = 1; i < 60; i++)
        rows[i] = place(1, "", "large", 0, 10 * MIB);
    const hsd_diff many = with_rows(60);
    lines = 0;
    report = picture_of(&many, (hsd_report_options){.use_utf8 = true});
    for (const char *at = report; *at; at++)
        lines += *at == '\n';
    cr_expect_eq(lines, 23u, "a screen has 24 lines:\n%s", report);
    HOLDS(report, "39 other places\n");
    free(report);
}

Test(tree_picture, has_no_shares_of_a_heap_that_shrank)
{
    rows[0] = place(0, "", "", 0, 0);
    rows[1] = place(1, "", "global.gone", 100 * MIB, MIB);
    const hsd_diff diff = with_rows(2);
    char *report = picture_of(&diff, (hsd_report_options){.use_utf8 = true});
    HOLDS(report, "GROWTH BY PATH           GROWTH     OBJECTS\n▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒  -99.0 MiB  ");
    LACKS(report, "SHARE");
    LACKS(report, "other place");
    free(report);
}

Test(tree_picture, is_as_narrow_as_the_terminal)
{
    char name[120];
    hsd_diff diff = shop();
    memset(name, 'x', sizeof name);
    rows[2].type = (hsd_text){name, sizeof name};
    for (unsigned width = 40; width <= 140; width += 5) {
        char *report = picture_of(&diff, (hsd_report_options){.use_utf8 = true, .width = width});
        for (const char *line = report, *end; (end = strchr(line, '\n')) != NULL; line = end + 1)
            cr_expect_leq(hsd_width_of_text(line, (size_t)(end - line)), width, "%u columns: %.*s", width,
                          (int)(end - line), line);
        free(report);
    }
    char *report = picture_of(&diff, (hsd_report_options){.use_utf8 = true, .width = 60});
    LACKS(report, "OBJECTS");
    HOLDS(report, "…");
    free(report);
    report = picture_of(&diff, (hsd_report_options){.use_utf8 = true});
    LACKS(report, "…");
    free(report);
}

Test(tree_picture, says_how_deep_what_is_too_deep_to_be_indented_is)
{
    rows[0] = place(0, "", "", 0, 0);
    for (uint32_t depth = 1; depth <= 20; depth++)
        rows[depth] = place(depth, ".next", "Node", 0, MIB);
    const hsd_diff diff = with_rows(21);
    char *report = picture_of(&diff, (hsd_report_options){.use_utf8 = true, .width = 100});
    HOLDS(report, "                          .next: Node\n");
    HOLDS(report, "                          (14) .next: Node\n");
    HOLDS(report, "                          (20) .next: Node\n");
    free(report);
    report = picture_of(&diff, (hsd_report_options){.use_utf8 = true});
    LACKS(report, "(20)");
    HOLDS(report, "                                        .next: Node\n");
    free(report);
}

Test(tree_picture, prints_no_name_that_a_terminal_obeys)
{
    rows[0] = place(0, "", "", 0, 0);
    rows[1] = place(1, "", "\x1b[2Jroot", 0, 100 * MIB);
    rows[2] = place(2, ".a\nb", "T\tU", 0, 50 * MIB);
    rows[3] = place(2, "", "", 0, 50 * MIB);
    rows[4] = place(1, "", "", 0, 50 * MIB);
    const hsd_diff diff = with_rows(5);
    for (unsigned width = 0; width <= 80; width += 80) {
        char *report = picture_of(&diff, (hsd_report_options){.use_utf8 = true, .width = width});
        cr_expect(strchr(report, 0x1b) == NULL && strchr(report, '\t') == NULL);
        HOLDS(report, "  \\x1b[2Jroot\n");
        HOLDS(report, "    .a\\x0ab: T\\x09U\n");
        HOLDS(report, "  (no name)\n");
        free(report);
    }
}

Test(tree_picture, has_a_twin_of_records)
{
    const hsd_diff diff = shop();
    hsd_report_options options = {.use_utf8 = true, .tree = true, .plain = true};
    char *report = sample_report("text", &diff, &options);
    HOLDS(report, "\tfreed_objects\tgrowth_bytes\tgrowth_objects\ntree\t0\t\t\t");
    HOLDS(report, "\ntree\t2\t.map\tMap\t10485760\t220200960\t104857\t2202009\t0\t0\t0\t0\t209715200\t2097152\n");
    LACKS(report, "others-tree");
    LACKS(report, "█");
    free(report);
    options.top = 2;
    report = sample_report("text", &diff, &options);
    HOLDS(report, "\ntree\t1\t\tglobal.sessions\t");
    HOLDS(report, "\nothers-tree\t\t\t\t146800640\t115443360\t1467930\t1154357\t0\t0\t0\t0\t-31357280\t-313573\n");
    LACKS(report, "\ttree\t1\t\tglobal.carts");
    free(report);
}

/* Random trees: what is in lines alone and the others are all of it, whatever is shown. */
Test(tree_picture, adds_up)
{
    uint64_t state = 11;
    for (size_t round = 0; round < 500; round++) {
        const size_t count = 1 + round % 60;
        for (size_t i = 0; i < count; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            const uint32_t most = i > 0 ? rows[i - 1].depth + 1 : 1;
            rows[i] = place(i == 0 ? 0 : 1 + (uint32_t)(state >> 33) % most, ".f", "T", (state >> 20) % 5000,
                            (state >> 40) % 5000);
        }
        const hsd_diff diff = with_rows(count);
        hsd_tree_pick pick;
        cr_assert_eq(hsd_tree_pick_init(&pick, &diff, round % 17, 50, NULL), HSD_OK);
        hsd_change sum = pick.others;
        size_t shown = 0;
        for (size_t i = 0; i < count; i++) {
            if (i > 0 && !pick.rows[i].is_shown) continue;
            shown += i > 0;
            sample_add(&sum.before, rows[i].own_before);
            sample_add(&sum.after, rows[i].own_after);
        }
        cr_assert(sum.before.bytes == rows[0].before.bytes && sum.after.objects == rows[0].after.objects, "round %zu",
                  round);
        cr_assert(shown == pick.count && shown + pick.other_count + 1 == count, "round %zu", round);
        hsd_tree_pick_release(&pick);
    }
}
