/*
 * What other processes write and libdiff/live reads, on any bytes: lines of /proc, command lines, the answer of an
 * agent. Views lie inside what was given, names have no folder, and nothing is both an answer and none.
 */
#include <stdlib.h>
#include <string.h>

#include "live/answer.h"
#include "live/facts.h"
#include "live/procfs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool is_so)
{
    if (!is_so) abort();
}

static void look_at_lines(const char *text)
{
    static const char *const keys[] = {"Name", "Uid", "NSpid", "SigCgt", "", "Tgid"};
    size_t size = 0;
    uint64_t number = 0;
    const char *end = text + strlen(text), *last = hsd_procfs_last_part(text, &size);
    expect(last >= text && last + size <= end && memchr(last, '/', size) == NULL);
    if (hsd_procfs_maps_line_is(text, "libjvm.so", false)) expect(hsd_procfs_maps_line_is(text, "libjvm", true));
    if (hsd_procfs_unix_line_is(text, "hsdiff/1/native/7")) expect(strstr(text, "@hsdiff/1/native/7") != NULL);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const char *value = hsd_procfs_status_value(text, keys[i]);
        expect(value == NULL || (value >= text && value <= end));
    }
    for (unsigned field = 0; field < 60; field++)
        hsd_procfs_stat_number(text, field);
    if (hsd_procfs_number(text, &number)) expect(text[0] >= '0' && text[0] <= '9');
}

static void look_at_answer(const char *text)
{
    const char *sentence = NULL;
    const hsd_answer answer = hsd_answer_parse(text, &sentence);
    expect((answer == HSD_ANSWER_ERROR) == (sentence[0] != '\0'));
    expect(sentence[0] == '\0' || sentence == text + 6);
}

/* The executable up to the first NUL, the words of the command line behind it. */
static void look_at_words(const uint8_t *data, size_t size)
{
    hsd_process_facts facts = {.pid = 1};
    char name[64];
    const uint8_t *nul = memchr(data, '\0', size);
    const size_t first = nul == NULL ? size : (size_t)(nul - data);
    const size_t exe = first < sizeof facts.executable - 1 ? first : sizeof facts.executable - 1;
    memcpy(facts.executable, data, exe);
    memcpy(facts.command, data, exe < sizeof facts.command - 1 ? exe : sizeof facts.command - 1);
    if (nul != NULL) {
        const size_t rest = size - first - 1, most = sizeof facts.arguments - 2;
        memcpy(facts.arguments, nul + 1, rest < most ? rest : most);
    }
    hsd_facts_script(&facts, name, sizeof name);
    expect(strlen(name) < sizeof name && strchr(name, '/') == NULL);
    if (name[0] != '\0') expect(strlen(name) == sizeof name - 1 || hsd_facts_is_called(&facts, name));
    hsd_process_own_name(&facts, name, sizeof name);
    expect(strlen(name) < sizeof name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (text == NULL) return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    look_at_lines(text);
    look_at_answer(text);
    look_at_words(data, size);
    free(text);
    return 0;
}
