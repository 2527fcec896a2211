/*
 * Configurations that are read: what each key becomes, and what is left out.
 */
#include <dirent.h>

#include "unit/check/kit.h"

static const char whole[] = "# limits of the shop\n"
                            "check:\n"
                            "  ignore: ['^luv\\.timer', 'Tmp*']\n"
                            "  min: 64 KiB\n"
                            "  warmup: 2\n"
                            "  one_off: 1 MiB\n"
                            "rules:\n"
                            "  - name: whole heap\n"
                            "    metric: total.bytes\n"
                            "    max_growth: [16 MiB, 5 %]\n"
                            "  - name: sessions are released\n"
                            "    type: Session\n"
                            "    each: yes\n"
                            "    metric: objects\n"
                            "    max_growth: 0\n"
                            "    level: warn\n"
                            "  - holder: 'global *'\n"
                            "    max_growth: 0.05 % per round\n"
                            "  - root: /^Thread/\n"
                            "    metric: new.bytes\n"
                            "    max_growth: 64 KiB per round\n"
                            "    level: off\n"
                            "  - metric: metric:process.rss\n"
                            "    max_growth: 20 MB\n"
                            "allow:\n"
                            "  - type: CacheEntry\n"
                            "    reason: filled on the first request\n"
                            "    up_to: 2 MiB\n"
                            "    until: 2027-03-31\n"
                            "  - root: '*'\n"
                            "    reason: \"a\\nb\"\n";

Test(config, reads_every_key)
{
    hsd_check_config *config = kit_config(whole);
    IS(config->name, ".hsdiff.yml");
    cr_assert_not(config->is_built_in);
    cr_assert_eq(config->ignore_count, 2);
    IS(config->ignore[0], "^luv\\.timer");
    IS(config->ignore[1], "Tmp*");
    cr_assert(config->has_min && config->has_warmup);
    cr_assert_eq(config->min_bytes, 65536);
    cr_assert_eq(config->warmup, 2);
    cr_assert_eq(config->one_off_bytes, MIB);
    cr_assert_eq(config->rule_count, 5);
    cr_assert_eq(config->allow_count, 2);
    hsd_check_config_free(config);
}

Test(config, reads_rules)
{
    hsd_check_config *config = kit_config(whole);
    const hsd_rule *rule = &config->rules[0];
    IS(rule->name, "whole heap");
    cr_assert_eq(rule->subject, HSD_SUBJECT_HEAP);
    cr_assert_eq(rule->measure, HSD_MEASURE_BYTES);
    cr_assert_eq(rule->limit_count, 2);
    cr_assert_eq(rule->limits[0].amount, 16 * MIB);
    cr_assert_eq(rule->limits[1].unit, HSD_LIMIT_PERCENT);
    cr_assert_eq(rule->line, 8);
    rule++;
    cr_assert_eq(rule->subject, HSD_SUBJECT_TYPE);
    IS(rule->pattern, "Session");
    cr_assert(rule->is_each);
    cr_assert_eq(rule->measure, HSD_MEASURE_OBJECTS);
    cr_assert_eq(rule->limits[0].amount, 0);
    cr_assert_eq(rule->level, HSD_LEVEL_WARN);
    rule++;
    cr_assert_eq(rule->subject, HSD_SUBJECT_HOLDER);
    cr_assert(rule->is_each);
    cr_assert_eq(rule->limits[0].unit, HSD_LIMIT_PERCENT_PER_ROUND);
    cr_assert_eq(rule->limits[0].amount, 500);
    rule++;
    cr_assert_eq(rule->subject, HSD_SUBJECT_ROOT);
    cr_assert_eq(rule->measure, HSD_MEASURE_NEW_BYTES);
    cr_assert_eq(rule->level, HSD_LEVEL_OFF);
    rule++;
    cr_assert_eq(rule->measure, HSD_MEASURE_CAPTURE);
    IS(rule->capture_metric, "process.rss");
    hsd_check_config_free(config);
}

Test(config, reads_allowances)
{
    hsd_check_config *config = kit_config(whole);
    IS(config->allow[0].pattern, "CacheEntry");
    IS(config->allow[0].reason, "filled on the first request");
    cr_assert_eq(config->allow[0].up_to_bytes, 2 * MIB);
    cr_assert_eq(config->allow[0].until_day, 20908);
    cr_assert_eq(config->allow[0].line, 26);
    cr_assert_eq(config->allow[1].subject, HSD_SUBJECT_ROOT);
    cr_assert_eq(config->allow[1].up_to_bytes, UINT64_MAX);
    cr_assert_eq(config->allow[1].until_day, INT32_MAX);
    IS(config->allow[1].reason, "a\nb");
    hsd_check_config_free(config);
}

Test(config, names_rules_by_what_they_say)
{
    hsd_check_config *config = kit_config("rules:\n"
                                          "  - {type: Session, metric: objects, max_growth: 0}\n"
                                          "  - {type: Session, max_growth: 0}\n"
                                          "  - {type: '*', each: true, metric: new.bytes, max_growth: 0}\n"
                                          "  - {root: 'Thread 1', metric: new.objects, max_growth: 0}\n"
                                          "  - {holder: \"a\\0b\", max_growth: 0}\n"
                                          "  - {metric: survived.bytes, max_growth: 0}\n"
                                          "  - {metric: new.types, max_growth: 0}\n"
                                          "  - {metric: 'metric:gc count', max_growth: 0}\n"
                                          "  - {max_growth: 0}\n");
    IS(config->rules[0].name, "Session objects");
    IS(config->rules[1].name, "Session bytes");
    IS(config->rules[2].name, "each * new bytes");
    IS(config->rules[3].name, "root Thread 1 new objects");
    cr_assert_eq(config->rules[4].name.size, strlen("holder a_b bytes"));
    IS(config->rules[5].name, "survived.bytes");
    IS(config->rules[6].name, "new.types");
    IS(config->rules[7].name, "metric:gc count");
    IS(config->rules[8].name, "total.bytes");
    hsd_check_config_free(config);
}

Test(config, may_be_empty_or_without_rules)
{
    static const char *const texts[] = {"",
                                        "\n",
                                        "# nothing\n",
                                        "---\n",
                                        "check:\n  min: 1 MiB\n",
                                        "\xef\xbb\xbf"
                                        "check: {warmup: 0}\n"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        hsd_check_config *config = kit_config(texts[i]);
        cr_assert_eq(config->rule_count, 0);
        cr_assert_eq(config->one_off_bytes, UINT64_MAX);
        hsd_check_config_free(config);
    }
}

Test(config, takes_one_ignored_type_without_a_list)
{
    hsd_check_config *config = kit_config("check: {ignore: Tmp*}\n");
    cr_assert_eq(config->ignore_count, 1);
    IS(config->ignore[0], "Tmp*");
    hsd_check_config_free(config);
    config = kit_config("check: {ignore: []}\n");
    cr_assert_eq(config->ignore_count, 0);
    hsd_check_config_free(config);
}

Test(config, built_in_rules_are_rules)
{
    for (int is_series = 0; is_series < 2; is_series++) {
        hsd_check_config *config;
        hsd_error err;
        cr_assert_eq(hsd_check_config_default(&config, is_series, &err), HSD_OK);
        cr_assert(config->is_built_in);
        IS(config->name, "built-in rules");
        cr_assert_gt(config->rule_count, 0);
        cr_assert_eq(config->rules[0].subject, HSD_SUBJECT_HEAP);
        for (size_t i = 0; i < config->rule_count; i++) {
            cr_assert_eq(config->rules[i].line, 0);
            cr_assert_gt(config->rules[i].limit_count, 0);
        }
        hsd_check_config_free(config);
    }
    hsd_check_config_free(NULL);
}

Test(config, says_how_many_captures_are_left_out)
{
    hsd_check_config *config = kit_config("check: {}\n");
    hsd_error err;
    uint32_t warmup;
    cr_assert_eq(hsd_check_warmup(config, 3, &warmup, &err), HSD_OK);
    cr_assert_eq(warmup, 0);
    cr_assert_eq(hsd_check_warmup(config, 4, &warmup, &err), HSD_OK);
    cr_assert_eq(warmup, 1);
    hsd_check_config_free(config);
    config = kit_config("check: {warmup: 3}\n");
    cr_assert_eq(hsd_check_warmup(config, 5, &warmup, &err), HSD_OK);
    cr_assert_eq(warmup, 3);
    hsd_error_init(&err);
    cr_assert_eq(hsd_check_warmup(config, 4, &warmup, &err), HSD_E_CORRUPT);
    cr_assert_str_eq(err.text, "has a warmup of 3 captures, and there are 4: two at least must be left");
    cr_assert_str_eq(err.file, ".hsdiff.yml");
    hsd_check_config_free(config);
}

/* The corpus of the fuzzer: what begins with "good" is read, what begins with "bad" is refused with a line and a fix.
 * */
Test(config, reads_the_good_and_refuses_the_bad_of_the_corpus)
{
    const char *source = getenv("HSD_SOURCE_DIR");
    if (source == NULL) cr_skip("HSD_SOURCE_DIR is not set");
    char folder[1024], path[2048];
    static char text[65536];
    size_t good = 0, bad = 0;
    snprintf(folder, sizeof folder, "%s/tests/fuzz/corpus/config", source);
    DIR *files = opendir(folder);
    cr_assert_not_null(files, "%s", folder);
    for (const struct dirent *entry; (entry = readdir(files)) != NULL;) {
        hsd_check_config *config;
        hsd_error err;
        if (strncmp(entry->d_name, "good", 4) != 0 && strncmp(entry->d_name, "bad", 3) != 0) continue;
        const bool is_good = entry->d_name[0] == 'g';
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        FILE *file = fopen(path, "rb");
        cr_assert_not_null(file);
        const size_t size = fread(text, 1, sizeof text, file);
        fclose(file);
        hsd_error_init(&err);
        const hsd_status status = hsd_check_config_read(&config, text, size, entry->d_name, &err);
        cr_assert_eq(status, is_good ? HSD_OK : HSD_E_CORRUPT, "%s: %s", entry->d_name, err.text);
        if (!is_good)
            cr_assert(strstr(err.text, " in line ") != NULL && err.hint[0] != '\0', "%s: %s", entry->d_name, err.text);
        *(is_good ? &good : &bad) += 1;
        hsd_check_config_free(config);
    }
    closedir(files);
    cr_assert(good >= 5 && bad >= 5, "%zu good, %zu bad", good, bad);
}
