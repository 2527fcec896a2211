/* Values of options that are more than a text, a number, a size or a time. */
#include "options/values.h"

#include <stdlib.h>
#include <string.h>

bool cli_set_top(cli_options *options, const char *value)
{
    if (strcmp(value, "all") == 0) {
        options->top = UINT64_MAX;
        return true;
    }
    char *end;
    if (value[0] < '1' || value[0] > '9') return false;
    options->top = strtoull(value, &end, 10);
    return *end == 0;
}

/* "2" for both inputs, "1,2" for each its own. */
bool cli_set_dump(cli_options *options, const char *value)
{
    char *end;
    unsigned long numbers[2];
    if (value[0] < '1' || value[0] > '9') return false;
    numbers[0] = numbers[1] = strtoul(value, &end, 10);
    if (*end == ',') {
        if (end[1] < '1' || end[1] > '9') return false;
        numbers[1] = strtoul(end + 1, &end, 10);
    }
    if (*end != 0 || numbers[0] > 1000000 || numbers[1] > 1000000) return false;
    options->dump_numbers[0] = (unsigned)numbers[0];
    options->dump_numbers[1] = (unsigned)numbers[1];
    return true;
}

bool cli_set_level(cli_options *options, const char *value)
{
    char *end;
    if (value[0] < '0' || value[0] > '9') return false;
    options->level = strtoull(value, &end, 10);
    options->has_level = true;
    return *end == 0 && options->level <= 19;
}

bool cli_set_threads(cli_options *options, const char *value)
{
    char *end;
    if (value[0] < '1' || value[0] > '9') return false;
    options->threads = strtoull(value, &end, 10);
    return *end == 0 && options->threads <= 1024;
}

bool cli_set_key(cli_options *options, const char *value)
{
    if (hsd_key_type_bytes(value) == 0) return false;
    options->keys[options->key_count++] = value;
    return true;
}

bool cli_set_label(cli_options *options, const char *value)
{
    if (value[0] == 0) return false;
    options->labels[options->label_count++] = value;
    return true;
}

bool cli_set_also(cli_options *options, const char *value)
{
    const char *equals = strchr(value, '=');
    if (!equals || equals == value || equals[1] == 0 || strcmp(equals + 1, "-") == 0) return false;
    options->also[options->also_count++] = value;
    return true;
}

bool cli_set_html(cli_options *options, const char *value)
{
    if (value[0] == 0 || strcmp(value, "-") == 0) return false;
    options->html = value;
    return true;
}

bool cli_set_symbols(cli_options *options, const char *value)
{
    if (value[0] == 0) return false;
    options->symbols[options->symbol_count++] = value;
    return true;
}

bool cli_set_pid(cli_options *options, const char *value)
{
    char *end;
    if (value[0] < '1' || value[0] > '9') return false;
    options->pid = strtoull(value, &end, 10);
    return *end == 0 && options->pid <= INT32_MAX;
}

bool cli_set_port(cli_options *options, const char *value)
{
    char *end;
    if (value[0] < '1' || value[0] > '9') return false;
    options->port = strtoull(value, &end, 10);
    return *end == 0 && options->port <= UINT16_MAX;
}

bool cli_set_idle(cli_options *options, const char *value)
{
    options->never_idle = strcmp(value, "never") == 0;
    return options->never_idle || (cli_parse_duration(value, &options->idle_ms) && options->idle_ms > 0);
}

/* What may follow the number: nothing, or a percent sign. */
static bool is_percent_end(const char *end)
{
    if (*end == ' ') end++;
    if (*end == '%') end++;
    return *end == 0;
}

/* "1%", "0.5 %" or "1": up to 100, in thousandths. */
bool cli_set_budget(cli_options *options, const char *value)
{
    char *end;
    if (value[0] < '0' || value[0] > '9') return false;
    const unsigned long whole = strtoul(value, &end, 10);
    unsigned long tenths = 0;
    if (*end == '.') {
        if (end[1] < '0' || end[1] > '9') return false;
        tenths = (unsigned long)(end[1] - '0');
        end += 2;
    }
    if (!is_percent_end(end) || whole > 100) return false;
    options->watch.budget_permille = (unsigned)(whole * 10 + tenths);
    return options->watch.budget_permille > 0 && options->watch.budget_permille <= 1000;
}

bool cli_set_near(cli_options *options, const char *value)
{
    char *end;
    if (value[0] < '1' || value[0] > '9') return false;
    const unsigned long percent = strtoul(value, &end, 10);
    options->watch.near_percent = (unsigned)(percent <= 100 ? percent : 0);
    return is_percent_end(end) && options->watch.near_percent > 0;
}

bool cli_set_warmup(cli_options *options, const char *value)
{
    char *end;
    if (value[0] < '0' || value[0] > '9') return false;
    options->warmup = strtoull(value, &end, 10);
    options->has_warmup = true;
    return *end == 0 && options->warmup < 1000;
}
