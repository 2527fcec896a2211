/*
 * Go, of which nothing need be prepared: the program is stopped as by a debugger while its memory is copied into a file
 * without a name on this side, in the form of a core; then it goes on, and the importer of cores reads that, with types
 * and names by the DWARF of the program.
 */
#include "live/way.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/note.h"
#include "elf/elf.h"
#include "go/live/snapshot.h"
#include "live/command.h"
#include "live/facts.h"

/* ---- one capture_go_way ---- */

static hsd_status take_go_way(hsd_live *live, hsd_temp *core, hsd_error *err)
{
    hsd_stopped stopped;
    const uint64_t began = hsd_now_ns();
    hsd_status status = hsd_stopped_take(&stopped, live->facts, err);
    if (status == HSD_OK) status = hsd_go_snapshot(live, &stopped, core, err);
    hsd_stopped_release(&stopped);
    live->result->pause_ns = hsd_now_ns() - began;
    return status;
}

static size_t tell_metrics(void *context, hsd_origin_metric *out, size_t most)
{
    const hsd_live *live = context;
    if (most == 0) return 0;
    out[0] = (hsd_origin_metric){"capture.pause", "ns", live->result->pause_ns};
    return 1;
}

static hsd_status capture_go_way(hsd_live *live, hsd_error *err)
{
    char program[64];
    hsd_temp core;
    snprintf(program, sizeof program, "/proc/%ld/exe", live->facts->pid);
    const hsd_import_origin origin = {.metrics = tell_metrics, .context = live};
    const hsd_import_options options = {.origin = &origin,
                                        .executable = program,
                                        .with_values = live->options->with_values,
                                        .compression = live->options->compression};
    HSD_TRY(hsd_temp_open(&core, live->space, err));
    hsd_status status = take_go_way(live, &core, err);
    if (status == HSD_OK) status = hsd_live_import_file(live, core.fd, "gocore", &options, err);
    hsd_temp_close(&core);
    return status;
}

/* ---- whose way it is ---- */

static bool has_debug_info(const char *program)
{
    hsd_elf elf;
    if (hsd_elf_open_file(&elf, program, NULL) != HSD_OK) return false;
    const bool found = elf.is_64_bits && (hsd_elf_section_named(&elf, ".debug_info") != NULL ||
                                          hsd_elf_section_named(&elf, ".zdebug_info") != NULL);
    hsd_elf_close(&elf);
    return found;
}

/* The commands `go run` and `go test` leave debug info out. What they build lies in a folder of theirs,
 * /tmp/go-build123/b001/exe/shop and /tmp/go-build123/b001/shop.test, or, from Go 1.24 on, what `go run` has built in
 * its cache: …/3f/3f…9c-d/shop, 64 digits. */
static bool is_in_cache(const char *path, const char *name)
{
    enum { DIGITS = 64 };
    const size_t folder = (size_t)(name - path);
    if (folder < DIGITS + 4 || memcmp(name - 3, "-d/", 3) != 0 || name[-4 - DIGITS] != '/') return false;
    return strspn(name - 3 - DIGITS, "0123456789abcdef") == DIGITS;
}

static void hint_at_build(const hsd_process_facts *facts, hsd_error *err)
{
    static const char suffix[] = ".test";
    const char *path = facts->executable, *slash = strrchr(path, '/'), *name = slash == NULL ? path : slash + 1;
    const bool is_built = strstr(path, "/go-build") != NULL;
    const char *dot = strrchr(name, '.');
    if ((is_built && strstr(path, "/exe/") != NULL) || is_in_cache(path, name))
        hsd_error_set_hint(err, "`go run` leaves it out: go build, and start what that builds");
    else if (is_built && dot != NULL && strcmp(dot, suffix) == 0)
        hsd_error_set_hint(err, "`go test` leaves it out: go test -c, and start what that builds");
    else if (strcmp(name, "go") == 0)
        hsd_error_set_hint(err, "it is the go command: hsdiff ps shows the program that it runs");
    else
        hsd_error_set_hint(err,
                           "take a core, gcore %ld, and import it with the program as it was before strip: --exe "
                           "PROGRAM. With -ldflags \"-s -w\" there is none: build without, and strip a copy. Or let "
                           "it write its heap: runtime/debug.WriteHeapDump (doc/capture-go.md)",
                           facts->pid);
}

static hsd_gate look_go_way(const hsd_process_facts *facts, hsd_process *process, hsd_error *err)
{
    char program[64];
    if (!hsd_facts_is_go(facts)) return HSD_GATE_NOT_MINE;
    snprintf(program, sizeof program, "/proc/%ld/exe", facts->pid);
    snprintf(process->runtime, sizeof process->runtime, "Go");
    if (has_debug_info(program)) return HSD_GATE_OPEN;
    hsd_fail(err, HSD_E_UNSUPPORTED,
             "process %ld (%s) is a program of Go without debug info, by which alone its memory can be read",
             facts->pid, process->name);
    hint_at_build(facts, err);
    return HSD_GATE_CLOSED;
}

/* It needs nothing at its start. */
static bool prepare_go_way(const char *const *command, hsd_set_variable_fn set, void *context, hsd_status *status,
                           hsd_error *err)
{
    (void)set, (void)context, (void)err;
    *status = HSD_OK;
    return hsd_command_look(command[0]) == HSD_COMMAND_GO;
}

const hsd_way hsd_way_go = {
    .name = "go",
    .summary = "Go with debug info: stopped for a moment, its memory copied and read as a core",
    .stored = "shapes only: no strings, keys or field values",
    .look = look_go_way,
    .capture = capture_go_way,
    .prepare = prepare_go_way,
};
