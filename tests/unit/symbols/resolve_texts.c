/*
 * Resolves texts, one a line of standard input, and prints them: how the tests of the symbol layer ask it.
 *
 *      hsd_resolve_texts [--pid N] [FOLDER …]
 *      hsd_resolve_texts --spell                 names of a demangler, as they are shown
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/resolver.h"
#include "symbols/spelling.h"

static int fail(const hsd_error *err)
{
    fprintf(stderr, "%s: %s; %s\n", hsd_status_name(err->status), err->text, err->hint);
    return 1;
}

static hsd_status resolve_all(hsd_resolver *resolver, hsd_error *err)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t size;
    hsd_status status = HSD_OK;
    while (status == HSD_OK && (size = getline(&line, &room, stdin)) > 0) {
        hsd_text text = {line, (size_t)size - (line[size - 1] == '\n')};
        status = hsd_resolver_replace(resolver, text, &text, err);
        if (status == HSD_OK) printf("%.*s\n", (int)text.size, text.data);
    }
    free(line);
    return status;
}

static int spell_all(void)
{
    char *line = NULL;
    size_t room = 0;
    hsd_buffer out = {0};
    hsd_status status = HSD_OK;
    while (status == HSD_OK && getline(&line, &room, stdin) > 0) {
        line[strcspn(line, "\n")] = '\0';
        hsd_buffer_clear(&out);
        status = hsd_spell(&out, line, NULL);
        if (status == HSD_OK) printf("%.*s\n", (int)out.size, (const char *)out.data);
    }
    hsd_buffer_release(&out);
    free(line);
    return status == HSD_OK ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--spell") == 0) return spell_all();
    hsd_symbol_options options = {.directories = (const char *const *)argv + 1, .directory_count = (size_t)argc - 1};
    hsd_resolver resolver;
    hsd_reporter reporter;
    hsd_error err;
    if (argc > 2 && strcmp(argv[1], "--pid") == 0) {
        options.pid = strtol(argv[2], NULL, 10);
        options.directories += 2;
        options.directory_count -= 2;
    }
    hsd_error_init(&err);
    hsd_reporter_init(&reporter, NULL);
    const uint64_t started_ns = hsd_now_ns();
    hsd_status status = hsd_resolver_open(&resolver, &options, UINT64_C(1) << 30, &reporter, &err);
    if (status == HSD_OK) status = resolve_all(&resolver, &err);
    const hsd_symbol_result *r = &resolver.result;
    if (status == HSD_OK)
        fprintf(stderr, "%llu names, %llu resolved, %llu modules, %llu found, %llu ms\n", (unsigned long long)r->names,
                (unsigned long long)r->resolved, (unsigned long long)r->modules, (unsigned long long)r->modules_found,
                (unsigned long long)((hsd_now_ns() - started_ns) / 1000000));
    hsd_resolver_close(&resolver);
    hsd_reporter_release(&reporter);
    return status == HSD_OK ? 0 : fail(&err);
}
