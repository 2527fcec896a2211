/*
 * Configurations that are refused: each fault names its line and its fix, and a word that was nearly right the one that
 * was meant.
 */
#include "unit/check/kit.h"

static void refuses(const char *config_text, const char *text, const char *hint)
{
    hsd_check_config *config = (void *)1;
    hsd_error err;
    hsd_error_init(&err);
    const hsd_status status = hsd_check_config_read(&config, config_text, strlen(config_text), "my.yml", &err);
    cr_assert_eq(status, HSD_E_CORRUPT, "%s: %s\n%s", hsd_status_name(status), err.text, config_text);
    cr_assert_null(config);
    cr_assert_str_eq(err.file, "my.yml");
    cr_assert_str_eq(err.text, text);
    cr_assert_not_null(strstr(err.hint, hint), "hint '%s' lacks '%s'", err.hint, hint);
    cr_assert_null(strchr(err.text, '\n'));
}

/* A rule with a fault in its line 4 or so. */
#define RULE "rules:\n  - name: a\n    max_growth: 0\n"

Test(config_errors, unknown_keys_with_the_nearest_known_one)
{
    refuses("rules:\n  - name: a\n    max_grow: 5\n", "has an unknown key 'max_grow' in line 3",
            "Did you mean max_growth? Known keys of a rule: name, type, root, holder, site, each, metric, max_growth, "
            "level.");
    refuses("chekc:\n  min: 1\n", "has an unknown key 'chekc' in line 1", "Did you mean check?");
    refuses("check:\n  minimum: 1\n", "has an unknown key 'minimum' in line 2",
            "Known keys of check: ignore, min, warmup, one_off.");
    refuses("allow:\n  - typ: A\n", "has an unknown key 'typ' in line 2", "Did you mean type?");
    refuses("frobnicate: 1\n", "has an unknown key 'frobnicate' in line 1",
            "Known keys of a configuration: check, rules, allow.");
}

Test(config_errors, shapes_that_are_not_expected)
{
    refuses("just a text\n", "has a text where the keys of a configuration are expected, in line 1",
            "known keys: check, rules, allow");
    refuses("- a\n- b\n", "has a list where the keys of a configuration are expected, in line 1", "key: value");
    refuses("check: 5\n", "has a text where the keys of check are expected, in line 1", "ignore");
    refuses("rules:\n  name: a\n", "has no list behind 'rules' in line 2", "- name: whole heap");
    refuses("rules:\n  - a\n", "has a text where the keys of a rule are expected, in line 2", "max_growth");
    refuses("rules: []\n", "has no rule behind 'rules' in line 1", "--init");
    refuses("allow: no\n", "has no list behind 'allow' in line 1", "- type: CacheEntry");
    refuses("check:\n  ignore: {a: b}\n", "has no list behind 'ignore' in line 2", "- 'luv.timer*'");
    refuses("rules:\n  - name: [a]\n    max_growth: 0\n", "has a list where 'name' needs a text, in line 2",
            "one text");
    refuses("rules:\n  - type: {a: b}\n    max_growth: 0\n", "has keys where 'type' needs a text, in line 2",
            "one text");
    refuses("rules:\n  - name: ''\n    max_growth: 0\n", "has an empty text where 'name' needs a text, in line 2",
            "one text");
    refuses("rules:\n  - name: a\n    max_growth:\n", "has no value behind 'max_growth' in line 3",
            "leave the key out");
}

Test(config_errors, what_yaml_has_and_a_configuration_has_not)
{
    refuses("check: &a\n  min: 1\n", "has an anchor (&) in line 1", "Write the value out");
    refuses("rules:\n  - &r {name: a}\n", "has an anchor (&) in line 2", "Write the value out");
    refuses("check:\n  min: *a\n", "has an alias (*) in line 2", "quote a pattern");
    refuses("rules:\n  - type: *Session\n", "has an alias (*) in line 2", "type: '*Session'");
    refuses("check:\n  min: !!int 5\n", "has a tag (!) in line 2", "Leave the tag out");
    refuses("check: !x {min: 1}\n", "has a tag (!) in line 1", "Leave the tag out");
    refuses("check: {min: 1}\n---\ncheck: {min: 1}\n", "has a second document in line 2", "Keep one");
    refuses("check:\n  min: 1\n  min: 2\n", "has 'min' a second time in line 3", "in line 2 already");
    refuses("check:\n  ? [a]\n  : b\n", "has a key that is no text in line 2", "Quote what begins with [");
    refuses("rules: [\n", "is no YAML in line 2: did not find expected node content", "indent with blanks");
    refuses("check:\n\tmin: 1\n", "is no YAML in line 2: found character that cannot start any token", "not with tabs");
    refuses("rules:\n  - type: @x\n", "is no YAML in line 2: found character that cannot start any token",
            "quote texts that begin with");
    refuses("check:\n  min: \xff\n", "is no UTF-8 text in line 2: invalid leading UTF-8 octet", "Save it as UTF-8");
    refuses("check:\n  min: \x01\n", "is no UTF-8 text in line 2: control characters are not allowed", "double quotes");
}

Test(config_errors, bounds_of_the_file)
{
    static char deep[256], wide[32768];
    size_t used = 0;
    hsd_check_config *config;
    hsd_error err;
    for (int i = 0; i < 17; i++)
        deep[i] = '[';
    refuses(deep, "has more than 16 levels in line 1", "three");
    for (int i = 0; i <= 1000; i++)
        used += (size_t)snprintf(wide + used, sizeof wide - used, "k%d: 1\n", i);
    refuses(wide, "has more than 1,000 keys in one place in line 1001", "- name:");
    char *big = malloc(HSD_CHECK_CONFIG_MOST + 1);
    cr_assert_not_null(big);
    memset(big, '#', HSD_CHECK_CONFIG_MOST + 1);
    hsd_error_init(&err);
    cr_assert_eq(hsd_check_config_read(&config, big, HSD_CHECK_CONFIG_MOST + 1, "my.yml", &err), HSD_E_CORRUPT);
    cr_assert_str_eq(err.text, "is larger than 1 MiB");
    cr_assert_eq(hsd_check_config_read(&config, big, HSD_CHECK_CONFIG_MOST, "my.yml", &err), HSD_OK);
    hsd_check_config_free(config);
    for (size_t i = 0; i + 1 < HSD_CHECK_CONFIG_MOST; i += 2)
        memcpy(big + i, i == 0 ? " [" : "a,", 2);
    cr_assert_eq(hsd_check_config_read(&config, big, HSD_CHECK_CONFIG_MOST, "my.yml", &err), HSD_E_CORRUPT);
    cr_assert_str_eq(err.text, "has more than 100,000 values in line 1");
    free(big);
}

Test(config_errors, lists_have_bounds)
{
    char *text = malloc(1 << 20);
    cr_assert_not_null(text);
    size_t used = (size_t)snprintf(text, 32, "check:\n  ignore:\n");
    for (int i = 0; i <= 1000; i++)
        used += (size_t)snprintf(text + used, 32, "  - t%d\n", i);
    refuses(text, "has 1001 items behind 'ignore' in line 3, more than 1,000", "covers many");
    free(text);
}

Test(config_errors, metrics)
{
    refuses("rules:\n  - metric: total.byte\n    max_growth: 0\n", "has an unknown metric 'total.byte' in line 2",
            "Did you mean total.bytes? Known ones: total.bytes, total.objects, bytes, objects, new.bytes");
    refuses("rules:\n  - metric: 'metric:'\n    max_growth: 0\n", "has an unknown metric 'metric:' in line 2",
            "metric:NAME");
    refuses("rules:\n  - type: A\n    metric: total.bytes\n    max_growth: 0\n",
            "has the metric total.bytes of a type in line 3, which there is not",
            "Of a type: bytes, objects, new.bytes");
    refuses("rules:\n  - root: A\n    metric: unreached.bytes\n    max_growth: 0\n",
            "has the metric unreached.bytes of a root in line 3, which there is not",
            "Of a root: bytes, objects, new.bytes, new.objects.");
    refuses("rules:\n  - holder: A\n    metric: metric:rss\n    max_growth: 0\n",
            "has the metric metric:NAME of a holder in line 3, which there is not", "Of a holder");
}

Test(config_errors, limits)
{
    refuses("rules:\n  - name: a\n", "has a rule without a limit in line 2", "max_growth: 16 MiB");
    refuses("rules:\n  - name: a\n    max_growth: []\n", "has a rule without a limit in line 2", "max_growth: 16 MiB");
    refuses("rules:\n  - name: a\n    max_growth: lots\n", "has 'lots' where 'max_growth' needs a limit, in line 3",
            "Write a size (16 MiB)");
    refuses("rules:\n  - name: a\n    max_growth: 16 mb\n", "has '16 mb' where 'max_growth' needs a limit, in line 3",
            "16 MiB");
    refuses("rules:\n  - name: a\n    max_growth: -1\n", "has '-1' where 'max_growth' needs a limit, in line 3",
            "Limits begin at 0");
    refuses("rules:\n  - name: a\n    max_growth: 0.00001 %\n",
            "has '0.00001 %' where 'max_growth' needs a limit, in line 3", "4 of a percentage");
    refuses("rules:\n  - name: a\n    max_growth: 99 EiB\n", "has '99 EiB' where 'max_growth' needs a limit, in line 3",
            "Write a size");
    refuses("rules:\n  - name: a\n    max_growth: 99999999 TiB\n",
            "has '99999999 TiB' where 'max_growth' needs a limit, in line 3", "level: off");
    refuses("rules:\n  - name: a\n    max_growth: [1, [2]]\n", "has a list where 'max_growth' needs a text, in line 3",
            "one text");
    refuses("rules:\n  - name: a\n    max_growth: [1, 2, 3, 4, 5]\n", "has 5 limits in line 3, more than 4",
            "strictest");
    refuses("rules:\n  - type: A\n    metric: objects\n    max_growth: 16 MiB\n",
            "has '16 MiB' where 'max_growth' needs a limit, in line 4", "Write a count (500)");
}

Test(config_errors, subjects_and_each)
{
    refuses("rules:\n  - type: A\n    root: B\n    max_growth: 0\n", "has two of type, root, holder and site in line 3",
            "two rules");
    refuses(RULE "    each: true\n", "has 'each' in line 4 in a rule about the whole heap", "type:, root: or holder:");
    refuses("rules:\n  - holder: A\n    each: false\n    max_growth: 0\n",
            "has 'each: false' in line 3 in a rule about holders", "root");
    refuses("rules:\n  - type: A\n    each: maybe\n    max_growth: 0\n", "has an unknown each 'maybe' in line 3",
            "true, false, yes, no");
    refuses(RULE "    level: eror\n", "has an unknown level 'eror' in line 4",
            "Did you mean error? Known ones: error, warn, off.");
}

Test(config_errors, patterns)
{
    refuses("rules:\n  - type: /(/\n    max_growth: 0\n",
            "has a pattern '/(/' behind 'type' that is no regular expression: Unmatched ( or \\(, in line 2",
            "POSIX extended");
    refuses("check:\n  ignore: ['[$']\n",
            "has a pattern '[$' behind 'ignore' that is no regular expression: Unmatched [, [^, [:, [., or "
            "[=, in line 2",
            "glob");
    refuses(
        "allow:\n  - root: /(a{99}){999}/\n    reason: x\n",
        "has a pattern '/(a{99}){999}/' behind 'root' that is no regular expression: it repeats too much, in line 2",
        "glob");
}

Test(config_errors, names)
{
    char text[600];
    refuses(RULE "  - name: a\n    max_growth: 1\n", "has two rules called 'a', in lines 2 and 4", "another");
    refuses("rules:\n  - {type: A, max_growth: 1}\n  - {type: A, max_growth: 2}\n",
            "has two rules called 'A bytes', in lines 2 and 3", "name:");
    snprintf(text, sizeof text, "rules:\n  - name: %0300d\n    max_growth: 1\n", 7);
    refuses(text, "has a name of 300 bytes in line 2", "below 200");
}

Test(config_errors, values_of_check)
{
    refuses("check:\n  min: small\n", "has 'small' where 'min' needs a size, in line 2", "16 MiB");
    refuses("check:\n  min: -1 B\n", "has '-1 B' where 'min' needs a size, in line 2", "Sizes begin at 0");
    refuses("check:\n  one_off: 1.5\n", "has '1.5' where 'one_off' needs a size, in line 2", "6 decimals");
    refuses("check:\n  min: 9999999999 GiB\n", "has '9999999999 GiB' where 'min' needs a size, in line 2", "largest");
    refuses("check:\n  warmup: some\n", "has 'some' where 'warmup' needs a count, in line 2", "warmup: 1");
}

Test(config_errors, allowances)
{
    refuses("allow:\n  - reason: x\n", "has nothing that says of what, in line 2", "type:, root:, holder: and site:");
    refuses("allow:\n  - type: A\n", "has growth that is allowed without a reason, in line 2", "reason:");
    refuses("allow:\n  - {type: A, reason: x, until: 2027-02-29}\n",
            "has '2027-02-29' where 'until' needs a day, in line 2", "2027-03-31");
    refuses("allow:\n  - {type: A, reason: x, up_to: 5 %}\n", "has '5 %' where 'up_to' needs a size, in line 2",
            "16 MiB");
}

Test(config_errors, foreign_words_are_cut_between_characters)
{
    char text[400] = "";
    size_t used = 0;
    hsd_check_config *config;
    hsd_error err;
    for (int i = 0; i < 50; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "\xc3\xa9");
    snprintf(text + used, sizeof text - used, "a: 1\n");
    memmove(text + 1, text, strlen(text) + 1);
    text[0] = 'x';
    hsd_error_init(&err);
    cr_assert_eq(hsd_check_config_read(&config, text, strlen(text), "my.yml", &err), HSD_E_CORRUPT);
    cr_assert_not_null(strstr(err.text, "\xc3\xa9' in line 1"), "%s", err.text);
}
