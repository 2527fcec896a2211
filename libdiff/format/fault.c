/* Wording of broken rules, in one place so that all of them read alike. See fault.h. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <hsdiff/run.h>

#include "format/fault.h"

hsd_status hsd_fault_set(hsd_fault *fault, hsd_status status, const char *rule, const char *format, ...)
{
    va_list args;
    fault->status = status;
    fault->rule = rule;
    va_start(args, format);
    if (vsnprintf(fault->text, sizeof fault->text, format, args) < 0) fault->text[0] = '\0';
    va_end(args);
    return status;
}

hsd_status hsd_fault_over_budget(hsd_fault *fault, const char *what, uint64_t budget_bytes)
{
    fault->budget_bytes = budget_bytes < HSD_MEMORY_MIN_BYTES ? HSD_MEMORY_MIN_BYTES : budget_bytes;
    return hsd_fault_set(fault, HSD_E_OVER_BUDGET, NULL, "%s needs more memory: %llu MiB suffice", what,
                         (unsigned long long)(fault->budget_bytes >> 20) + 1);
}

const char *hsd_group_digits(char text[HSD_DIGITS_BYTES], uint64_t value)
{
    char *at = text + HSD_DIGITS_BYTES;
    unsigned digits = 0;
    *--at = '\0';
    do {
        if (digits > 0 && digits % 3 == 0) *--at = ',';
        *--at = (char)('0' + value % 10);
        value /= 10;
        digits++;
    } while (value > 0);
    return memmove(text, at, (size_t)(text + HSD_DIGITS_BYTES - at));
}

/* "x.hs" -> "x-part.hs"; anything else gets the ending behind it. */
static void name_salvaged(char *out, size_t size, const char *file)
{
    const size_t length = strlen(file);
    const size_t stem = length > 3 && strcmp(file + length - 3, ".hs") == 0 ? length - 3 : length;
    snprintf(out, size, "%.*s-part.hs", (int)stem, file);
}

void hsd_fault_hint(const char *file, hsd_error *err)
{
    char part[200];
    if (file == NULL || strlen(file) > 180 || strcmp(file, "-") == 0) {
        hsd_error_set_hint(err, "to use what is there: --partial");
        return;
    }
    name_salvaged(part, sizeof part, file);
    hsd_error_set_hint(err, "to use what is there: --partial; to keep a clean copy: hsdiff salvage %s -o %s", file,
                       part);
}

static hsd_status raise_damage(const hsd_fault *fault, hsd_error *err)
{
    if (fault->block == HSD_NO_BLOCK) {
        return hsd_fail_at(err, fault->status, fault->offset_bytes, "damaged: %s (FORMAT.md %s)", fault->text,
                           fault->rule);
    }
    return hsd_fail_at(err, fault->status, fault->offset_bytes, "block %llu is damaged: %s (FORMAT.md %s)",
                       (unsigned long long)fault->block, fault->text, fault->rule);
}

hsd_status hsd_fault_raise(const hsd_fault *fault, const char *file, hsd_error *err)
{
    if (!hsd_fault_is_of_bytes(fault)) {
        if (err != NULL && fault->error.status == fault->status) {
            *err = fault->error;
        } else {
            hsd_fail(err, fault->status, "%s", fault->text);
        }
        if (fault->status == HSD_E_OVER_BUDGET) {
            hsd_error_set_hint(err, "--memory %lluM", (unsigned long long)(fault->budget_bytes >> 20) + 1);
        }
    } else if (fault->status == HSD_E_CORRUPT) {
        raise_damage(fault, err);
        hsd_fault_hint(file, err);
    } else {
        hsd_fail_at(err, fault->status, fault->offset_bytes, "%s", fault->text);
        if (fault->status == HSD_E_TRUNCATED) hsd_fault_hint(file, err);
    }
    hsd_error_set_file(err, file);
    return fault->status;
}
