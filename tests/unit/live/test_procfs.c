/* Lines of /proc, taken apart: the usual ones, and those that someone made to look like others. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "live/answer.h"
#include "live/facts.h"
#include "live/procfs.h"

#define MAP "7f0000000000-7f0000001000 r-xp 00000000 08:01 1234                       "

Test(procfs, maps_are_told_by_the_last_part_of_their_path)
{
    cr_assert(hsd_procfs_maps_line_is(MAP "/usr/lib/libjvm.so", "libjvm.so", false));
    cr_assert(hsd_procfs_maps_line_is(MAP "/usr/lib/libjvm.so (deleted)", "libjvm.so", false));
    cr_assert(hsd_procfs_maps_line_is(MAP "/a b/lib jvm.so", "lib jvm.so", false));
    cr_assert(hsd_procfs_maps_line_is(MAP "/usr/lib/libmonosgen-2.0.so.1", "libmonosgen-2.0.so", true));
    cr_assert_not(hsd_procfs_maps_line_is(MAP "/usr/lib/libmonosgen-2.0.so.1", "libmonosgen-2.0.so", false));
    cr_assert_not(hsd_procfs_maps_line_is(MAP "/libjvm.so/x", "libjvm.so", false));
    cr_assert_not(hsd_procfs_maps_line_is(MAP "/usr/lib/xlibjvm.so", "libjvm.so", false));
    cr_assert_not(hsd_procfs_maps_line_is(MAP "[heap]", "[heap]", false));
    cr_assert_not(hsd_procfs_maps_line_is("7f00-7f01 r-xp 00000000 00:00 0", "", true));
    cr_assert_not(hsd_procfs_maps_line_is("", "", true));
}

Test(procfs, sockets_are_told_by_flag_and_whole_name)
{
    static const char listening[] = "0000000000000000: 00000002 00000000 00010000 0001 01 26463 @hsdiff/1/native/7";
    static const char connected[] = "0000000000000000: 00000003 00000000 00000000 0001 03 26463 @hsdiff/1/native/7";
    cr_assert(hsd_procfs_unix_line_is(listening, "hsdiff/1/native/7"));
    cr_assert_not(hsd_procfs_unix_line_is(listening, "hsdiff/1/native/77"));
    cr_assert_not(hsd_procfs_unix_line_is(listening, "hsdiff/1/native/"));
    cr_assert_not(hsd_procfs_unix_line_is(connected, "hsdiff/1/native/7"));
    cr_assert_not(hsd_procfs_unix_line_is("0000000000000000: 00000002 00000000 00010000 0001 01 26463", "x"));
    cr_assert_not(hsd_procfs_unix_line_is("Num RefCount Protocol Flags Type St Inode Path", "Path"));
    cr_assert_not(hsd_procfs_unix_line_is("0: 2 0 00010000 1 1 5 /tmp/@x", "x"));
}

Test(procfs, stat_counts_behind_the_last_bracket)
{
    static const char stat[] = "77 (a) b) (c) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4242 20\n";
    cr_assert_eq(hsd_procfs_stat_number(stat, 4), 1);
    cr_assert_eq(hsd_procfs_stat_number(stat, 22), 4242);
    cr_assert_eq(hsd_procfs_stat_number(stat, 23), 20);
    cr_assert_eq(hsd_procfs_stat_number(stat, 24), 0);
    cr_assert_eq(hsd_procfs_stat_number(stat, 2), 0);
    cr_assert_eq(hsd_procfs_stat_number("", 22), 0);
    cr_assert_eq(hsd_procfs_stat_number("1 (x)", 22), 0);
}

Test(procfs, status_values_stand_behind_whole_keys)
{
    static const char status[] = "Name:\tx\\nUid:\nUmask:\t0022\nTgid:\t5\nNSpid:\t5\t1\n";
    cr_assert(strncmp(hsd_procfs_status_value(status, "Tgid"), "5\n", 2) == 0);
    cr_assert(strncmp(hsd_procfs_status_value(status, "NSpid"), "5\t1\n", 4) == 0);
    cr_assert_null(hsd_procfs_status_value(status, "Uid"));
    cr_assert_null(hsd_procfs_status_value(status, "pid"));
    cr_assert_null(hsd_procfs_status_value("", "Name"));
}

Test(procfs, numbers_fit_or_are_none)
{
    uint64_t number = 0;
    cr_assert(hsd_procfs_number("18446744073709551615 ", &number) && number == UINT64_MAX);
    cr_assert_not(hsd_procfs_number("18446744073709551616", &number));
    cr_assert_not(hsd_procfs_number("", &number));
    cr_assert_not(hsd_procfs_number("-1", &number));
}

Test(procfs, files_are_read_up_to_a_limit)
{
    size_t size = 0;
    char *text = hsd_procfs_read("/proc/self/stat", 3, &size);
    cr_assert(text != NULL && size == 3 && text[3] == '\0');
    free(text);
    cr_assert_null(hsd_procfs_read("/proc/self/nothing", 100, &size));
    cr_assert_null(hsd_procfs_read("/proc/self", 100, &size));
}

Test(answer, is_one_of_two_words)
{
    const char *sentence = NULL;
    cr_assert_eq(hsd_answer_parse("ok", &sentence), HSD_ANSWER_OK);
    cr_assert_eq(hsd_answer_parse("error no", &sentence), HSD_ANSWER_ERROR);
    cr_assert_str_eq(sentence, "no");
    cr_assert_eq(hsd_answer_parse("error ", &sentence), HSD_ANSWER_NONE);
    cr_assert_eq(hsd_answer_parse("errors", &sentence), HSD_ANSWER_NONE);
    cr_assert_eq(hsd_answer_parse("ok ", &sentence), HSD_ANSWER_NONE);
    cr_assert_eq(hsd_answer_parse("", &sentence), HSD_ANSWER_NONE);
}

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void says(const char *text, const char *container, const char *unit)
{
    hsd_groups groups;
    hsd_groups_parse(&groups, text);
    cr_expect_str_eq(groups.container, container, "%s", text);
    cr_expect_str_eq(groups.unit, unit, "%s", text);
}

Test(groups, name_containers_and_units)
{
    says("0::/system.slice/shop.service\n", "", "shop.service");
    says("0::/system.slice/docker-" ID ".scope\n", ID, "");
    says("12:memory:/docker/" ID "\n11:cpu:/docker/" ID "\n", ID, "");
    says("0::/kubepods.slice/kubepods-pod1.slice/cri-containerd-" ID ".scope\n", ID, "");
    says("0::/user.slice/user-1000.slice/user@1000.service/app.slice/shop.service", "", "shop.service");
}

Test(groups, are_none_where_nothing_says_so)
{
    says("", "", "");
    says("0::/\n", "", "");
    says("0::/docker/0" ID "\n", "", ""); /* 65 digits */
    says("0::/a.service.d/b\n", "", "");  /* no end of a part */
}
