/*
 * What other processes write and libdiff/live reads, on any bytes: lines of /proc, command lines, the answers of an
 * agent, a JVM and a .NET runtime, the counters of a JVM. Views lie inside what was given, names have no folder, and
 * nothing is both an answer and none.
 */
#include <stdlib.h>
#include <string.h>

#include "live/answer.h"
#include "live/dotnet/dotnet_socket.h"
#include "live/facts.h"
#include "live/jvm/attach.h"
#include "live/jvm/perfdata.h"
#include "live/node/inspector_port.h"
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

/* Where sockets listen, what group a process is in, what is said of an inspector. */
static void look_at_places(const char *text)
{
    hsd_inspector_port port = {0};
    hsd_groups groups;
    uint64_t inode = 0;
    for (int is_v6 = 0; is_v6 < 2; is_v6++)
        if (hsd_inspector_tcp_line(text, is_v6 != 0, &port, &inode)) expect(port.is_v6 == (is_v6 != 0));
    const int named = hsd_inspector_word_port(text);
    expect(named >= -1 && named <= 65535);
    hsd_groups_parse(&groups, text);
    const size_t size = strlen(groups.container);
    expect(size == 0 || (size == 64 && strspn(groups.container, "0123456789abcdef") == size));
    expect(strlen(groups.unit) < sizeof groups.unit);
}

static void look_at_jvm(const char *text, const uint8_t *data, size_t size)
{
    static hsd_attach_answer answer;
    hsd_perfdata counters;
    hsd_origin_metric metrics[8];
    long result;
    if (hsd_attach_parse(&answer, text)) hsd_attach_result(&answer, &result);
    if (!hsd_perfdata_parse(&counters, data, size)) return;
    expect(strlen(counters.version) < sizeof counters.version);
    expect(hsd_perfdata_metrics(&counters, metrics, 8) <= 5);
}

/* More bytes change nothing once it is known what an answer is. */
static void look_at_dotnet(const uint8_t *data, size_t size)
{
    hsd_dotnet_answer known = HSD_DOTNET_MORE;
    for (size_t i = 0; i <= size && i <= HSD_DOTNET_ANSWER_BYTES; i++) {
        uint64_t number = 0;
        const hsd_dotnet_answer answer = hsd_dotnet_read_answer(data, i, &number);
        expect(known == HSD_DOTNET_MORE || known == answer);
        known = answer;
    }
    expect(size < HSD_DOTNET_ANSWER_BYTES || known != HSD_DOTNET_MORE);
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
    look_at_places(text);
    look_at_jvm(text, data, size);
    look_at_dotnet(data, size);
    look_at_words(data, size);
    free(text);
    return 0;
}
