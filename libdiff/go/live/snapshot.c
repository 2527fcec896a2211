#define _GNU_SOURCE /* process_vm_readv */
/*
 * See snapshot.h. Go reserves much more than it uses: pages that were never touched are neither read nor written.
 *
 *      head │ one program header for the notes, one for each mapping │ notes │ from the next page on: mappings, one behind the other
 */
#include "go/live/snapshot.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/array.h"
#include "base/check.h"
#include "base/fail.h"

#define PIECE_BYTES ((size_t)1 << 20)
enum { PAGE = 4096, PAGES_AT_ONCE = 512, MOST_MAPPINGS = 60000, MOST_VECTOR = 4096 };
enum { REGISTERS_AT = 112, PROCESS_BYTES = 136, PROCESS_PID = 24, PROCESS_NAME = 40, NOTE_HEAD = 12 + 8 };
#if defined(__aarch64__)
enum { MACHINE = EM_AARCH64 };
#else
enum { MACHINE = EM_X86_64 };
#endif

typedef struct mapping {
    uint64_t begin, end, offset;
    bool is_of_file; /* pages that were not touched are those of the file */
} mapping;

typedef struct snapshot {
    hsd_live *live;
    const hsd_stopped *stopped;
    hsd_temp *out;
    mapping *mappings;
    size_t count, room;
    uint64_t at;    /* where the next bytes go */
    int pagemap_fd; /* -1: all pages are read */
    uint8_t *piece;
} snapshot;

/* ---- mappings ---- */

static bool is_wanted_go_snapshot(const char *rights, const char *path, const char *program)
{
    if (rights[0] != 'r' || rights[3] != 'p' || rights[2] == 'x' || strncmp(path, "/dev/", 5) == 0) return false;
    if (strcmp(path, "[vvar]") == 0 || strcmp(path, "[vvar_vclock]") == 0 || strcmp(path, "[vsyscall]") == 0)
        return false;
    return rights[1] == 'w' || path[0] != '/' || strcmp(path, program) == 0;
}

static hsd_status add_mapping(snapshot *s, mapping one, hsd_error *err)
{
    if (s->count >= MOST_MAPPINGS)
        return hsd_fail(err, HSD_E_NOMEM, "out of memory: process %ld has too many mappings", s->live->facts->pid);
    HSD_TRY(HSD_ARRAY_GROW(s->mappings, s->room, s->count + 1, 256, "the mappings of a process", err));
    s->mappings[s->count++] = one;
    return HSD_OK;
}

static hsd_status read_mappings(snapshot *s, hsd_error *err)
{
    char path[48], line[4608], rights[8], name[4096];
    hsd_status status = HSD_OK;
    snprintf(path, sizeof path, "/proc/%ld/maps", s->live->facts->pid);
    FILE *maps = fopen(path, "re");
    if (maps == NULL) return hsd_fail_errno(err, errno, "cannot read %s", path);
    while (status == HSD_OK && fgets(line, sizeof line, maps) != NULL) {
        mapping one = {0};
        name[0] = '\0';
        const int got =
            sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %*s %*s %*s %4095[^\n]", &one.begin, &one.end, rights, name);
        if (got < 3 || one.end <= one.begin || !is_wanted_go_snapshot(rights, name, s->live->facts->executable))
            continue;
        one.is_of_file = name[0] == '/';
        status = add_mapping(s, one, err);
    }
    fclose(maps);
    return status;
}

/* ---- head and notes ---- */

static hsd_status put_go_snapshot(snapshot *s, const void *data, size_t size, hsd_error *err)
{
    HSD_TRY(hsd_temp_write(s->out, s->at, data, size, err));
    s->at += size;
    return HSD_OK;
}

static size_t padded(size_t size) { return (size + 3) & ~(size_t)3; }

static hsd_status put_note(snapshot *s, uint32_t kind, const void *data, size_t size, hsd_error *err)
{
    const Elf64_Nhdr head = {.n_namesz = 5, .n_descsz = (uint32_t)size, .n_type = kind};
    const char name[8] = "CORE", zeros[4] = "";
    HSD_TRY(put_go_snapshot(s, &head, sizeof head, err));
    HSD_TRY(put_go_snapshot(s, name, sizeof name, err));
    HSD_TRY(put_go_snapshot(s, data, size, err));
    return put_go_snapshot(s, zeros, padded(size) - size, err);
}

static hsd_status put_process(snapshot *s, hsd_error *err)
{
    uint8_t process[PROCESS_BYTES] = {0};
    const int32_t pid = (int32_t)s->live->facts->pid;
    memcpy(process + PROCESS_PID, &pid, sizeof pid);
    snprintf((char *)process + PROCESS_NAME, 16, "%.15s", s->live->facts->command);
    return put_note(s, NT_PRPSINFO, process, sizeof process, err);
}

static hsd_status put_threads(snapshot *s, hsd_error *err)
{
    uint8_t status[REGISTERS_AT + HSD_REGISTER_BYTES + 8] = {0};
    for (size_t i = 0; i < s->stopped->count; i++) {
        const hsd_stopped_thread *thread = &s->stopped->threads[i];
        if (!thread->is_stopped) continue;
        memcpy(status + REGISTERS_AT, thread->registers, thread->register_bytes);
        HSD_TRY(put_note(s, NT_PRSTATUS, status, REGISTERS_AT + thread->register_bytes + 8, err));
    }
    return HSD_OK;
}

static hsd_status put_vector(snapshot *s, hsd_error *err)
{
    char path[48];
    uint8_t vector[MOST_VECTOR];
    snprintf(path, sizeof path, "/proc/%ld/auxv", s->live->facts->pid);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t got = fd < 0 ? -1 : read(fd, vector, sizeof vector);
    const int error = errno;
    if (fd >= 0) close(fd);
    return got < 0 ? hsd_fail_errno(err, error, "cannot read %s", path)
                   : put_note(s, NT_AUXV, vector, (size_t)got, err);
}

static hsd_status put_notes(snapshot *s, hsd_error *err)
{
    s->at = sizeof(Elf64_Ehdr) + (s->count + 1) * sizeof(Elf64_Phdr);
    HSD_TRY(put_process(s, err));
    HSD_TRY(put_threads(s, err));
    return put_vector(s, err);
}

static hsd_status put_head(snapshot *s, uint64_t notes_end, hsd_error *err)
{
    const uint64_t notes_at = sizeof(Elf64_Ehdr) + (s->count + 1) * sizeof(Elf64_Phdr);
    const Elf64_Ehdr head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                             .e_type = ET_CORE,
                             .e_machine = MACHINE,
                             .e_version = EV_CURRENT,
                             .e_phoff = sizeof(Elf64_Ehdr),
                             .e_ehsize = sizeof(Elf64_Ehdr),
                             .e_phentsize = sizeof(Elf64_Phdr),
                             .e_phnum = (uint16_t)(s->count + 1)};
    const Elf64_Phdr notes = {.p_type = PT_NOTE, .p_offset = notes_at, .p_filesz = notes_end - notes_at};
    s->at = 0;
    HSD_TRY(put_go_snapshot(s, &head, sizeof head, err));
    HSD_TRY(put_go_snapshot(s, &notes, sizeof notes, err));
    for (size_t i = 0; i < s->count; i++) {
        const mapping *one = &s->mappings[i];
        const uint64_t size = one->end - one->begin;
        const Elf64_Phdr load = {.p_type = PT_LOAD,
                                 .p_flags = PF_R | PF_W,
                                 .p_offset = one->offset,
                                 .p_vaddr = one->begin,
                                 .p_filesz = size,
                                 .p_memsz = size,
                                 .p_align = PAGE};
        HSD_TRY(put_go_snapshot(s, &load, sizeof load, err));
    }
    return HSD_OK;
}

/* ---- memory ---- */

/* What cannot be read stays a hole: a page of a device, or one that went away. */
static hsd_status copy_go_snapshot(snapshot *s, const mapping *one, uint64_t begin, uint64_t end, hsd_error *err)
{
    while (begin < end) {
        const size_t size = (size_t)hsd_min_u64(PIECE_BYTES, end - begin);
        const struct iovec to = {s->piece, size}, from = {(void *)(uintptr_t)begin, size};
        const ssize_t got = process_vm_readv((pid_t)s->live->facts->pid, &to, 1, &from, 1, 0);
        if (got < 0 && errno != EFAULT)
            return hsd_fail_errno(err, errno, "cannot read the memory of process %ld", s->live->facts->pid);
        if (got > 0) HSD_TRY(hsd_temp_write(s->out, one->offset + (begin - one->begin), s->piece, (size_t)got, err));
        s->live->received_bytes += got > 0 ? (uint64_t)got : 0;
        begin += got > 0 ? (uint64_t)got : PAGE;
    }
    return HSD_OK;
}

/* Present, or in swap. */
static bool is_touched(uint64_t entry) { return entry >> 62 != 0; }

static hsd_status copy_pages(snapshot *s, const mapping *one, uint64_t begin, hsd_error *err)
{
    uint64_t entries[PAGES_AT_ONCE];
    const size_t wanted = (size_t)hsd_min_u64(PAGES_AT_ONCE, (one->end - begin) / PAGE);
    const ssize_t got =
        pread(s->pagemap_fd, entries, wanted * sizeof *entries, (off_t)(begin / PAGE * sizeof *entries));
    if (got != (ssize_t)(wanted * sizeof *entries)) return copy_go_snapshot(s, one, begin, begin + wanted * PAGE, err);
    for (size_t i = 0, first; i < wanted; i++) {
        if (!is_touched(entries[i])) continue;
        for (first = i; i < wanted && is_touched(entries[i]); i++)
            ;
        HSD_TRY(copy_go_snapshot(s, one, begin + first * PAGE, begin + i * PAGE, err));
    }
    return HSD_OK;
}

static hsd_status copy_mapping(snapshot *s, const mapping *one, hsd_error *err)
{
    if (one->is_of_file || s->pagemap_fd < 0) return copy_go_snapshot(s, one, one->begin, one->end, err);
    for (uint64_t begin = one->begin; begin < one->end; begin += (uint64_t)PAGES_AT_ONCE * PAGE)
        HSD_TRY(copy_pages(s, one, begin, err));
    return HSD_OK;
}

static hsd_status copy_memory(snapshot *s, uint64_t at, hsd_error *err)
{
    for (size_t i = 0; i < s->count; i++) {
        s->mappings[i].offset = at;
        at += s->mappings[i].end - s->mappings[i].begin;
        HSD_TRY(copy_mapping(s, &s->mappings[i], err));
    }
    if (ftruncate(s->out->fd, (off_t)at) != 0) return hsd_fail_errno(err, errno, "cannot write temporary data");
    return HSD_OK;
}

static hsd_status take_go_snapshot(snapshot *s, hsd_error *err)
{
    HSD_TRY(read_mappings(s, err));
    HSD_TRY(put_notes(s, err));
    const uint64_t notes_end = s->at;
    HSD_TRY(copy_memory(s, (notes_end + PAGE - 1) / PAGE * PAGE, err));
    return put_head(s, notes_end, err);
}

hsd_status hsd_go_snapshot(hsd_live *live, const hsd_stopped *stopped, hsd_temp *out, hsd_error *err)
{
    char path[48];
    snapshot s = {.live = live, .stopped = stopped, .out = out, .piece = malloc(PIECE_BYTES)};
    snprintf(path, sizeof path, "/proc/%ld/pagemap", live->facts->pid);
    s.pagemap_fd = open(path, O_RDONLY | O_CLOEXEC);
    const hsd_status status = s.piece == NULL ? hsd_fail_nomem(err, "a buffer for memory") : take_go_snapshot(&s, err);
    if (s.pagemap_fd >= 0) close(s.pagemap_fd);
    free(s.piece);
    free(s.mappings);
    return status;
}
