/*
 * The check without memory: whichever allocation fails, the call fails with HSD_E_NOMEM and leaks nothing (the
 * sanitizer looks).
 */
#include <errno.h>

#include "support/fault.h"
#include "unit/check/kit.h"

static const char text[] = "check: {ignore: [Tmp*, /^x/]}\n"
                           "rules:\n"
                           "  - {max_growth: 0}\n"
                           "  - {type: /A/, each: true, max_growth: 0}\n"
                           "  - {holder: /global/, max_growth: 0, level: warn}\n"
                           "allow:\n"
                           "  - {type: Nobody, reason: x}\n"
                           "  - {holder: /Nobody/, reason: x}\n"
                           "  - {root: Nobody, reason: x, until: 1999-01-02}\n";

static hsd_type_row types[2];
static hsd_holder holders[1];
static hsd_step path[1];
static hsd_diff diff;

static hsd_status discard(void *context, const void *data, size_t size, hsd_error *err)
{
    (void)context, (void)data, (void)size, (void)err;
    return HSD_OK;
}

static hsd_status work(hsd_error *err)
{
    hsd_check_config *config;
    hsd_check *check = NULL;
    hsd_status status = hsd_check_config_read(&config, text, strlen(text), "my.yml", err);
    if (status == HSD_OK) status = hsd_check_run(&check, config, &diff, NULL, NULL, err);
    if (status == HSD_OK) status = hsd_check_config_suggest(&diff, NULL, discard, NULL, NULL, err);
    hsd_check_free(check);
    hsd_check_config_free(config);
    return status;
}

Test(memory, every_allocation_may_fail)
{
    types[0] = sample_type("A", 0, MIB);
    types[1] = sample_type("Tmp1", 0, MIB);
    path[0] = sample_step("", "A");
    holders[0] = sample_holder("global", path, 1, (int64_t)MIB);
    diff = sample_diff(types, 2, NULL, 0);
    sample_hold(&diff, holders, 1);
    uint64_t at = 1;
    for (;; at++) {
        hsd_error err;
        hsd_error_init(&err);
        hsd_fault_reset();
        hsd_fault_arm(HSD_FAULT_MALLOC, at, false, ENOMEM);
        const hsd_status status = work(&err);
        const bool has_struck = hsd_fault_strikes() > 0;
        hsd_fault_reset();
        if (!has_struck) {
            cr_assert_eq(status, HSD_OK, "%s", err.text);
            break;
        }
        cr_assert_eq(status, HSD_E_NOMEM, "allocation %llu: %s", (unsigned long long)at, err.text);
        cr_assert_neq(err.text[0], '\0');
    }
    cr_assert_gt(at, 8);
}
