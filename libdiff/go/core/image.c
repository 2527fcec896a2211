/*
 * The core, its notes, and the executable. See gocore.h.
 *
 * Which executable: --exe, else the file that the core says was mapped where the program begins (NT_FILE, NT_AUXV).
 * That it is the very build is held against the build id, which Go puts into the first page of the program so that
 * cores have it.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "base/fail.h"
#include "base/search.h"
#include "go/core/gocore.h"

enum {
    NOTE_STATUS = 1,
    NOTE_PROCESS = 3,
    NOTE_VECTOR = 6,
    NOTE_FILES = 0x46494c45,
    VECTOR_ENTRY = 9,
    VECTOR_RANDOM = 25
};
enum { REGISTERS_AT = 112, MOST_THREADS = 1 << 20, MOST_FILES = 1 << 20, BUILD_ID_BYTES = 256 };

static uint64_t number_image(const uint8_t *at, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)at[i] << 8 * i;
    return value;
}

/* Bytes of a note; false past its end. */
static bool read_note(const gocore *go, const hsd_elf_note *note, uint64_t at, void *out, size_t size)
{
    if (at > note->bytes || size > note->bytes - at) return false;
    return go->core.input.read(go->core.input.context, note->offset + at, out, size, NULL) == HSD_OK;
}

static bool read_note_word(const gocore *go, const hsd_elf_note *note, uint64_t at, uint64_t *out)
{
    uint8_t bytes[8];
    if (!read_note(go, note, at, bytes, sizeof bytes)) return false;
    *out = number_image(bytes, 8);
    return true;
}

/* ---- notes ---- */

static hsd_status take_thread(gocore *go, const hsd_elf_note *note, hsd_error *err)
{
    const bool is_arm = go->core.machine == GOCORE_AARCH64;
    gocore_thread thread = {0};
    if ((!is_arm && go->core.machine != GOCORE_X86_64) || go->thread_count >= MOST_THREADS) return HSD_OK;
    const unsigned sp = is_arm ? 31 : 19, pc = is_arm ? 32 : 16, bp = is_arm ? 29 : 4;
    if (!read_note_word(go, note, REGISTERS_AT + 8 * sp, &thread.sp) ||
        !read_note_word(go, note, REGISTERS_AT + 8 * pc, &thread.pc) ||
        !read_note_word(go, note, REGISTERS_AT + 8 * bp, &thread.bp))
        return HSD_OK;
    HSD_TRY(hsd_import_grow((void **)&go->threads, &go->thread_room, go->thread_count, sizeof thread, err));
    go->threads[go->thread_count++] = thread;
    return HSD_OK;
}

static void take_process(gocore *go, const hsd_elf_note *note)
{
    uint8_t pid[4];
    if (read_note(go, note, 24, pid, sizeof pid)) go->pid = number_image(pid, 4);
    if (!read_note(go, note, 40, go->process_name, sizeof go->process_name - 1)) go->process_name[0] = '\0';
}

static void take_vector(gocore *go, const hsd_elf_note *note)
{
    uint64_t kind, value;
    for (uint64_t at = 0; read_note_word(go, note, at, &kind) && read_note_word(go, note, at + 8, &value) && kind != 0;
         at += 16) {
        if (kind == VECTOR_ENTRY) go->entry = value;
        if (kind == VECTOR_RANDOM) go->random_address = value;
    }
}

/* The path of the file at this number of the list, behind the table. */
static void take_path(gocore *go, const hsd_elf_note *note, uint64_t at, uint64_t wanted)
{
    size_t used = 0;
    char piece[512];
    for (size_t size; at < note->bytes; at += size) {
        size = (size_t)hsd_min_u64(sizeof piece, note->bytes - at);
        if (!read_note(go, note, at, piece, size)) return;
        for (size_t i = 0; i < size; i++) {
            if (wanted == 0 && used < sizeof go->program_path) go->program_path[used++] = piece[i];
            if (piece[i] == '\0' && wanted-- == 0) return;
        }
    }
    go->program_path[0] = '\0';
}

static void take_files(gocore *go, const hsd_elf_note *note)
{
    uint64_t count, begin, end;
    if (go->import->options->executable != NULL || !read_note_word(go, note, 0, &count) || count > MOST_FILES) return;
    for (uint64_t i = 0; i < count; i++) {
        if (!read_note_word(go, note, 16 + 24 * i, &begin) || !read_note_word(go, note, 24 + 24 * i, &end)) return;
        if (go->entry < begin || go->entry >= end) continue;
        take_path(go, note, 16 + 24 * count, i);
        go->program_path[sizeof go->program_path - 1] = '\0';
        return;
    }
}

static hsd_status take_notes(gocore *go, bool is_second_look, hsd_error *err)
{
    for (uint32_t i = 0; i < go->core.segment_count; i++) {
        const hsd_elf_segment *segment = &go->core.segments[i];
        hsd_elf_note note;
        if (segment->type != HSD_ELF_NOTE) continue;
        for (uint64_t at = segment->offset;
             hsd_elf_next_note(&go->core, &at, segment->offset + segment->file_bytes, 4, &note);) {
            if (strcmp(note.name, "CORE") != 0) continue;
            if (is_second_look && note.type == NOTE_FILES) take_files(go, &note);
            if (is_second_look) continue;
            if (note.type == NOTE_STATUS) HSD_TRY(take_thread(go, &note, err));
            if (note.type == NOTE_PROCESS) take_process(go, &note);
            if (note.type == NOTE_VECTOR) take_vector(go, &note);
        }
    }
    return HSD_OK;
}

/* ---- memory ---- */

static int by_address(const void *a, const void *b)
{
    const hsd_elf_segment *x = a, *y = b;
    if (x->address != y->address) return x->address < y->address ? -1 : 1;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static hsd_status sort_loads(gocore *go, hsd_error *err)
{
    go->loads = calloc((size_t)go->core.segment_count + 1, sizeof *go->loads);
    if (go->loads == NULL) return hsd_fail_nomem(err, "segments");
    for (uint32_t i = 0; i < go->core.segment_count; i++) {
        const hsd_elf_segment *segment = &go->core.segments[i];
        if (segment->type != HSD_ELF_LOAD) continue;
        if (segment->file_bytes > 0) go->loads[go->load_count++] = *segment;
    }
    if (go->load_count > 1) qsort(go->loads, go->load_count, sizeof *go->loads, by_address);
    return HSD_OK;
}

/* What was written by the program stands in the core; pages that it only read may stand in the executable alone. */
static bool locate_image(void *context, uint64_t address, goplace *place)
{
    gocore *go = context;
    uint32_t low;
    HSD_UPPER_BOUND(low, 0, go->load_count, go->loads[low].address, address);
    const hsd_elf_segment *load = low == 0 ? NULL : &go->loads[low - 1];
    if (load != NULL && address - load->address < load->file_bytes) {
        *place = (goplace){&go->core_blocks, load->offset + (address - load->address),
                           load->file_bytes - (address - load->address)};
        return true;
    }
    uint64_t left;
    const hsd_elf_segment *segment = hsd_elf_segment_at(&go->program, address - go->typing.bias, &left);
    if (segment == NULL || (segment->flags & HSD_ELF_WRITABLE) != 0) return false;
    *place = (goplace){&go->program_blocks, segment->offset + (address - go->typing.bias - segment->address), left};
    return true;
}

/* ---- the executable ---- */

static hsd_status no_program(const gocore *go, hsd_error *err)
{
    const hsd_status status = err == NULL ? HSD_E_IO : err->status;
    char why[256] = "";
    if (err != NULL) memcpy(why, err->text, hsd_min_u64(strlen(err->text), sizeof why - 1));
    if (go->program_path[0] == '\0') {
        hsd_fail(err, HSD_E_UNSUPPORTED, "this core does not say of what program it is");
    } else if (go->import->options->executable == NULL) {
        hsd_fail(err, HSD_E_UNSUPPORTED, "this core is of a program that cannot be read: %s: %s", go->program_path,
                 why);
    } else {
        hsd_fail(err, status, "the program of --exe, %s: %s", go->program_path, why);
        return status;
    }
    hsd_error_set_hint(err, "name it: --exe PROGRAM");
    return HSD_E_UNSUPPORTED;
}

static hsd_status refuse_other(const gocore *go, hsd_error *err)
{
    const char *slash = strrchr(go->program_path, '/'), *name = slash == NULL ? go->program_path : slash + 1;
    if (go->import->options->executable != NULL) {
        hsd_fail(err, HSD_E_UNSUPPORTED, "what --exe names is of no Go program: %s", go->program_path);
        hsd_error_set_hint(err, "name the program of Go that the core is of: of other programs hsdiff reads no cores, "
                                "but those of Python, and has captures from before the end: hsdiff capture --every 60s "
                                "-o run/ -- COMMAND");
        return HSD_E_UNSUPPORTED;
    }
    hsd_fail(err, HSD_E_UNSUPPORTED, "hsdiff reads cores of Go and Python, and this is one of another program: %s",
             go->program_path);
    if (strcmp(name, "java") == 0)
        hsd_error_set_hint(err,
                           "make a heap dump of it: jhsdb jmap --binaryheap --dumpfile heap.hprof --exe %s --core CORE",
                           go->program_path);
    else
        hsd_error_set_hint(
            err, "it does not say which blocks are in use, or who allocated them: have captures from before the "
                 "program ends, hsdiff capture --every 60s -o run/ -- COMMAND");
    return HSD_E_UNSUPPORTED;
}

static hsd_status refuse_program(const gocore *go, hsd_error *err)
{
    const bool is_go = hsd_elf_section_named(&go->program, ".gopclntab") != NULL ||
                       hsd_elf_section_named(&go->program, ".data.rel.ro.gopclntab") != NULL ||
                       hsd_elf_section_named(&go->program, ".note.go.buildid") != NULL;
    if (!is_go) return refuse_other(go, err);
    hsd_fail(err, HSD_E_NOT_FOUND, "%s has no symbols or no DWARF, without which its core cannot be read",
             go->program_path);
    hsd_error_set_hint(err, "name the program as it was before strip: --exe PROGRAM. With -ldflags \"-s -w\" there is "
                            "none, and another build will not do: build without, and strip a copy");
    return HSD_E_NOT_FOUND;
}

static hsd_status open_program(gocore *go, hsd_error *err)
{
    static const char *const names[GOCORE_SYMBOLS] = {
        "runtime.mheap_", "runtime.firstmoduledata", "runtime.allgs",     "runtime.buildVersion", "runtime.types",
        "runtime.text",   "runtime.allfin",          "runtime.gcCleanups"};
    const uint64_t memory = go->import->memory_bytes;
    if (go->import->options->executable != NULL) {
        const size_t size = strnlen(go->import->options->executable, sizeof go->program_path - 1);
        memcpy(go->program_path, go->import->options->executable, size);
    }
    for (int i = 0; i < GOCORE_SYMBOLS; i++)
        go->symbols[i].name = names[i];
    const bool is_open = go->program_path[0] != '\0' &&
                         hsd_goprogram_open(&go->program, go->program_path, go->import->options, err) == HSD_OK;
    if (!is_open) return no_program(go, err);
    hsd_status status = hsd_elf_find_symbols(&go->program, go->symbols, GOCORE_SYMBOLS, memory / 8, err);
    if (status == HSD_OK && go->symbols[SYM_HEAP].address == 0) status = HSD_E_NOT_FOUND;
    if (status == HSD_E_NOT_FOUND) return refuse_program(go, err);
    if (status == HSD_OK)
        status = hsd_go_types_read(&go->typing.types, &go->program, go->symbols[SYM_TYPES].address, memory / 8, err);
    if (status == HSD_OK)
        status = hsd_go_lines_read(&go->typing.lines, &go->program, go->symbols[SYM_TEXT].address, memory / 8, err);
    if (status == HSD_E_NOT_FOUND) return refuse_program(go, err);
    return status;
}

static hsd_status refuse_build(const gocore *go, hsd_error *err)
{
    hsd_fail(err, HSD_E_UNSUPPORTED, "this core is of another build than %s", go->program_path);
    hsd_error_set_hint(err, "name the program that the core is of: --exe PROGRAM");
    return HSD_E_UNSUPPORTED;
}

static hsd_status check_build(gocore *go, hsd_error *err)
{
    uint8_t here[BUILD_ID_BYTES], there[BUILD_ID_BYTES];
    const hsd_elf_section *note = hsd_elf_section_named(&go->program, ".note.go.buildid");
    if (note == NULL || note->bytes > sizeof here || note->offset > go->program.input.bytes ||
        note->bytes > go->program.input.bytes - note->offset)
        return HSD_OK;
    const size_t size = (size_t)note->bytes;
    HSD_TRY(go->program.input.read(go->program.input.context, note->offset, here, size, err));
    for (uint32_t i = 0; i < go->load_count;
         i++) { /* in the core alone, not where `locate` falls back to the executable */
        const hsd_elf_segment *load = &go->loads[i];
        const uint64_t address = note->address + go->typing.bias;
        if (address < load->address || address - load->address >= load->file_bytes ||
            size > load->file_bytes - (address - load->address))
            continue;
        const hsd_status status =
            hsd_goblocks_read(&go->core_blocks, load->offset + (address - load->address), there, size, err);
        if (status < 0) return status;
        if (status == HSD_OK && memcmp(here, there, size) != 0) return refuse_build(go, err);
    }
    return HSD_OK;
}

static hsd_status read_version(gocore *go, hsd_error *err)
{
    uint64_t text = 0, size = 0;
    HSD_TRY(hsd_gomemory_word(&go->typing.memory, hsd_gocore_symbol(go, SYM_VERSION), &text, err));
    HSD_TRY(hsd_gomemory_word(&go->typing.memory, hsd_gocore_symbol(go, SYM_VERSION) + 8, &size, err));
    const size_t kept = (size_t)hsd_min_u64(size, sizeof go->version - 1);
    const hsd_status status = hsd_gomemory_read(&go->typing.memory, text, go->version, kept, err);
    if (status < 0) return status;
    if (status == HSD_END || strncmp(go->version, "go1.", 4) != 0) return refuse_build(go, err);
    for (const char *digit = go->version + 4; *digit >= '0' && *digit <= '9' && go->minor < 1000; digit++)
        go->minor = go->minor * 10 + (unsigned)(*digit - '0');
    return HSD_OK;
}

/* ---- all ---- */

static hsd_status open_core(gocore *go, hsd_error *err)
{
    hsd_source *source = go->import->source;
    hsd_elf_input input;
    const bool is_packed = go->import->file != NULL && go->import->file != source;
    if (is_packed || (!source->is_borrowed && source->total_bytes == 0)) {
        hsd_fail(err, HSD_E_UNSUPPORTED, "a core is read here and there, and this is %s",
                 is_packed ? "packed" : "no regular file");
        hsd_error_set_hint(err, is_packed ? "decompress it first: gunzip -c core.gz > core"
                                          : "write it into a file first: cat > core");
        return HSD_E_UNSUPPORTED;
    }
    HSD_TRY(hsd_goinput_over(&input, source, source->total_bytes, err));
    HSD_TRY(hsd_elf_open(&go->core, &input, err));
    HSD_TRY(hsd_elf_expect(&go->core, err));
    if (go->core.is_cut && !go->import->options->salvage) {
        hsd_fail(err, HSD_E_TRUNCATED, "the core is cut off");
        hsd_import_hint_partial(err);
        return HSD_E_TRUNCATED;
    }
    go->is_cut = go->core.is_cut;
    HSD_TRY(sort_loads(go, err));
    const uint64_t memory = go->import->memory_bytes;
    HSD_TRY(hsd_goblocks_open(&go->core_blocks, &input, hsd_min_u64(memory / 8, UINT64_C(128) << 20), err));
    HSD_TRY(take_notes(go, false, err));
    return take_notes(go, true, err);
}

hsd_status hsd_gocore_open(gocore *go, hsd_error *err)
{
    HSD_TRY(open_core(go, err));
    HSD_TRY(open_program(go, err));
    HSD_TRY(hsd_goblocks_open(&go->program_blocks, &go->program.input,
                              hsd_min_u64(go->import->memory_bytes / 32, UINT64_C(8) << 20), err));
    go->typing.bias = go->program.type == HSD_ELF_SHARED && go->entry != 0 ? go->entry - go->program.entry : 0;
    go->typing.memory = (gomemory){.locate = locate_image, .context = go};
    HSD_TRY(check_build(go, err));
    return read_version(go, err);
}

void hsd_gocore_close(gocore *go)
{
    hsd_gotyping_close(&go->typing);
    hsd_goblocks_close(&go->core_blocks);
    hsd_goblocks_close(&go->program_blocks);
    hsd_elf_close(&go->program);
    hsd_elf_close(&go->core);
    free(go->loads);
    free(go->threads);
}
