/*
 * ELF files through libelf. See image.h.
 *
 * All symbols go into one array for each kind, sorted by address, so that a look-up is a binary search. Symbols may lie
 * inside each other (labels of assembly, parts of a merged section): a look-up goes back over a few that end before the
 * address.
 */
#include "symbols/image.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef HSD_HAVE_DW
#include <gelf.h>

#include "base/array.h"
#include "base/check.h"
#include "base/fail.h"
#include "base/search.h"

#define NOTE_BYTES_MAX ((size_t)1 << 20)
#define LOOK_BACK      64 /* symbols that a look-up goes over */

typedef struct symbol {
    uint64_t address, size;
    const char *name; /* in the file's own string table */
    uint8_t rank;     /* smaller is better */
} symbol;

typedef struct symbol_list {
    symbol *at;
    size_t count, capacity;
} symbol_list;

typedef struct range {
    uint64_t low, high;
} range;

struct hsd_image {
    int fd;
    Elf *elf;
    symbol_list symbols[HSD_SYMBOL_KINDS];
    uint64_t memory_bytes, taken_bytes;
    range thread_template, relro;
};

bool hsd_image_is_supported(void) { return elf_version(EV_CURRENT) != EV_NONE; }

/* ---- build id ---- */

static bool find_id(Elf_Data *data, char digits[HSD_BUILD_ID_DIGITS + 1])
{
    static const char hexadecimal[] = "0123456789abcdef";
    GElf_Nhdr note;
    size_t at = 0, next, name, id;
    if (data == NULL || data->d_buf == NULL || data->d_size > NOTE_BYTES_MAX) return false;
    for (; (next = gelf_getnote(data, at, &note, &name, &id)) > 0; at = next) {
        if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 || note.n_descsz == 0 ||
            note.n_descsz > HSD_BUILD_ID_DIGITS / 2 || memcmp((const char *)data->d_buf + name, "GNU", 4) != 0)
            continue;
        const uint8_t *bytes = (const uint8_t *)data->d_buf + id;
        for (size_t i = 0; i < note.n_descsz; i++) {
            digits[2 * i] = hexadecimal[bytes[i] >> 4];
            digits[2 * i + 1] = hexadecimal[bytes[i] & 15];
        }
        digits[2 * (size_t)note.n_descsz] = '\0';
        return true;
    }
    return false;
}

static void find_build_id(Elf *elf, char digits[HSD_BUILD_ID_DIGITS + 1])
{
    size_t count = 0;
    GElf_Phdr segment;
    GElf_Shdr header;
    digits[0] = '\0';
    /* Sections first: in a file of debug information alone the segments lead to bytes that are not there. */
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section)) != NULL;) {
        if (gelf_getshdr(section, &header) == NULL || header.sh_type != SHT_NOTE) continue;
        if (header.sh_size <= NOTE_BYTES_MAX && find_id(elf_getdata(section, NULL), digits)) return;
    }
    if (elf_getphdrnum(elf, &count) != 0) return;
    for (size_t i = 0; i < count && i < PN_XNUM; i++) {
        if (gelf_getphdr(elf, (int)i, &segment) == NULL || segment.p_type != PT_NOTE ||
            segment.p_filesz > NOTE_BYTES_MAX)
            continue;
        const Elf_Type type = segment.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR;
        if (find_id(elf_getdata_rawchunk(elf, (int64_t)segment.p_offset, segment.p_filesz, type), digits)) return;
    }
}

bool hsd_image_build_id(int fd, char digits[HSD_BUILD_ID_DIGITS + 1])
{
    digits[0] = '\0';
    if (!hsd_image_is_supported()) return false;
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    const bool is_elf = elf != NULL && elf_kind(elf) == ELF_K_ELF;
    if (is_elf) find_build_id(elf, digits);
    elf_end(elf);
    return is_elf;
}

/* ---- symbols ---- */

static int kind_of(const GElf_Sym *entry)
{
    switch (GELF_ST_TYPE(entry->st_info)) {
    case STT_FUNC:
    case STT_GNU_IFUNC: return HSD_SYMBOL_FUNCTION;
    case STT_OBJECT:
    case STT_COMMON: return HSD_SYMBOL_OBJECT;
    case STT_TLS: return HSD_SYMBOL_THREAD_OBJECT;
    default: return -1;
    }
}

static uint8_t rank_of(const GElf_Sym *entry)
{
    const unsigned binding = GELF_ST_BIND(entry->st_info);
    return binding == STB_GLOBAL ? 0 : binding == STB_WEAK ? 1 : 2;
}

static hsd_status add_symbol(hsd_image *image, int kind, const symbol *added, hsd_error *err)
{
    symbol_list *list = &image->symbols[kind];
    if (list->count == list->capacity) {
        const uint64_t capacity = hsd_array_next(list->capacity, list->count + 1, 256);
        image->taken_bytes += (capacity - list->capacity) * sizeof *list->at;
        if (image->taken_bytes > image->memory_bytes)
            return hsd_fail(err, HSD_E_OVER_BUDGET, "its symbols take more than %llu MiB",
                            (unsigned long long)(image->memory_bytes >> 20));
        HSD_TRY(HSD_ARRAY_GROW(list->at, list->capacity, capacity, 0, "symbols", err));
    }
    list->at[list->count++] = *added;
    return HSD_OK;
}

static hsd_status read_table(hsd_image *image, Elf_Scn *section, const GElf_Shdr *header, hsd_error *err)
{
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Sym entry;
    if (data == NULL || data->d_buf == NULL || header->sh_entsize == 0) return HSD_OK;
    const size_t count = data->d_size / gelf_fsize(image->elf, ELF_T_SYM, 1, EV_CURRENT);
    for (size_t i = 1; i < count && i <= INT32_MAX; i++) {
        if (gelf_getsym(data, (int)i, &entry) == NULL) break;
        const int kind = kind_of(&entry);
        if (kind < 0 || entry.st_shndx == SHN_UNDEF || entry.st_shndx == SHN_ABS) continue;
        const char *name = elf_strptr(image->elf, header->sh_link, entry.st_name);
        if (name == NULL || name[0] == '\0') continue;
        const uint64_t base = kind == HSD_SYMBOL_THREAD_OBJECT ? image->thread_template.low : 0;
        const symbol found = {
            .address = entry.st_value + base, .size = entry.st_size, .name = name, .rank = rank_of(&entry)};
        HSD_TRY(add_symbol(image, kind, &found, err));
    }
    return HSD_OK;
}

/* Words that the loader fills: those that a symbol says the name of. */
static hsd_status read_imports(hsd_image *image, Elf_Scn *section, const GElf_Shdr *header, hsd_error *err)
{
    GElf_Shdr table_header;
    GElf_Rela entry;
    GElf_Sym named;
    Elf_Data *data = elf_getdata(section, NULL);
    Elf_Scn *table = elf_getscn(image->elf, header->sh_link);
    if (data == NULL || table == NULL || gelf_getshdr(table, &table_header) == NULL ||
        table_header.sh_type != SHT_DYNSYM)
        return HSD_OK;
    Elf_Data *symbols = elf_getdata(table, NULL);
    const size_t count = data->d_size / gelf_fsize(image->elf, ELF_T_RELA, 1, EV_CURRENT);
    for (size_t i = 0; symbols != NULL && i < count && i <= INT32_MAX; i++) {
        if (gelf_getrela(data, (int)i, &entry) == NULL) break;
        const unsigned kind = (unsigned)GELF_R_TYPE(entry.r_info);
        if (kind != R_X86_64_JUMP_SLOT && kind != R_X86_64_GLOB_DAT) continue;
        if (GELF_R_SYM(entry.r_info) > INT32_MAX || gelf_getsym(symbols, (int)GELF_R_SYM(entry.r_info), &named) == NULL)
            continue;
        const char *name = elf_strptr(image->elf, table_header.sh_link, named.st_name);
        if (name == NULL || name[0] == '\0') continue;
        const symbol found = {.address = entry.r_offset, .size = sizeof(uint64_t), .name = name};
        HSD_TRY(add_symbol(image, HSD_SYMBOL_IMPORT, &found, err));
    }
    return HSD_OK;
}

static bool is_x86_64(const hsd_image *image)
{
    const Elf64_Ehdr *header = elf64_getehdr(image->elf);
    return header != NULL && header->e_machine == EM_X86_64;
}

static int compare(const void *a, const void *b)
{
    const symbol *x = a, *y = b;
    if (x->address != y->address) return x->address < y->address ? -1 : 1;
    /* Worst first: a search from behind meets the best of one address first. */
    if (x->rank != y->rank) return x->rank > y->rank ? -1 : 1;
    const size_t x_length = strlen(x->name), y_length = strlen(y->name);
    if (x_length != y_length) return x_length > y_length ? -1 : 1;
    return -strcmp(x->name, y->name);
}

static hsd_status read_symbols(hsd_image *image, hsd_error *err)
{
    GElf_Shdr header;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(image->elf, section)) != NULL;) {
        if (gelf_getshdr(section, &header) == NULL) continue;
        if (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM)
            HSD_TRY(read_table(image, section, &header, err));
        if (header.sh_type == SHT_RELA && is_x86_64(image)) HSD_TRY(read_imports(image, section, &header, err));
    }
    for (int kind = 0; kind < HSD_SYMBOL_KINDS; kind++) {
        symbol_list *list = &image->symbols[kind];
        if (list->count > 1) qsort(list->at, list->count, sizeof *list->at, compare);
    }
    return HSD_OK;
}

static void read_segments(hsd_image *image)
{
    size_t count = 0;
    GElf_Phdr segment;
    if (elf_getphdrnum(image->elf, &count) != 0) return;
    for (size_t i = 0; i < count && i < PN_XNUM; i++) {
        if (gelf_getphdr(image->elf, (int)i, &segment) == NULL) continue;
        range found = {segment.p_vaddr, 0};
        if (!hsd_add_u64(segment.p_vaddr, segment.p_memsz, &found.high)) continue;
        if (segment.p_type == PT_TLS) image->thread_template = found;
        if (segment.p_type == PT_GNU_RELRO) image->relro = found;
    }
}

hsd_status hsd_image_open(hsd_image **out, int fd, uint64_t memory_bytes, hsd_error *err)
{
    hsd_image *image = calloc(1, sizeof *image);
    *out = NULL;
    if (image == NULL) {
        close(fd);
        return hsd_fail_nomem(err, "symbols");
    }
    image->fd = fd;
    image->memory_bytes = memory_bytes;
    if (hsd_image_is_supported()) image->elf = elf_begin(fd, ELF_C_READ, NULL);
    hsd_status status = HSD_OK;
    if (image->elf == NULL || elf_kind(image->elf) != ELF_K_ELF) {
        status = hsd_fail(err, HSD_E_NOT_THIS_FORMAT, "is no ELF file");
    } else {
        read_segments(image);
        status = read_symbols(image, err);
    }
    if (status == HSD_OK) {
        *out = image;
    } else {
        hsd_image_close(image);
    }
    return status;
}

/* How many symbols begin at or before the address. */
static size_t count_before(const symbol_list *list, uint64_t address)
{
    size_t low;
    HSD_UPPER_BOUND(low, 0, list->count, list->at[low].address, address);
    return low;
}

const char *hsd_image_find(const hsd_image *image, hsd_symbol_kind kind, uint64_t address)
{
    const symbol_list *list = &image->symbols[kind];
    const size_t end = count_before(list, address);
    for (size_t i = end; i > 0 && end - i < LOOK_BACK; i--) {
        const symbol *s = &list->at[i - 1];
        if (address - s->address < s->size) return s->name;
    }
    /* Functions of assembly have no size: they go on to the next one. */
    if (kind == HSD_SYMBOL_FUNCTION && end > 0 && list->at[end - 1].size == 0) return list->at[end - 1].name;
    return NULL;
}

bool hsd_image_is_relro(const hsd_image *image, uint64_t address)
{
    return address >= image->relro.low && address < image->relro.high;
}

size_t hsd_image_code(const hsd_image *image, uint64_t address, uint8_t *out, size_t room)
{
    GElf_Shdr header;
    if (!is_x86_64(image)) return 0;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(image->elf, section)) != NULL;) {
        if (gelf_getshdr(section, &header) == NULL || header.sh_type != SHT_PROGBITS ||
            (header.sh_flags & SHF_EXECINSTR) == 0)
            continue;
        if ((header.sh_flags & SHF_COMPRESSED) != 0 || address < header.sh_addr ||
            address - header.sh_addr >= header.sh_size)
            continue;
        const uint64_t skipped = address - header.sh_addr;
        uint64_t offset;
        if (!hsd_add_u64(header.sh_offset, skipped, &offset) || offset > INT64_MAX) return 0;
        const ssize_t got = pread(image->fd, out, (size_t)hsd_min_u64(room, header.sh_size - skipped), (off_t)offset);
        return got > 0 ? (size_t)got : 0;
    }
    return 0;
}

/* ---- DWARF ---- */

static uint64_t section_bytes(Elf_Scn *section, const GElf_Shdr *header)
{
    GElf_Chdr compressed;
    if ((header->sh_flags & SHF_COMPRESSED) == 0) return header->sh_size;
    return gelf_getchdr(section, &compressed) != NULL ? compressed.ch_size : UINT64_MAX;
}

uint64_t hsd_image_debug_bytes(const hsd_image *image)
{
    size_t names;
    GElf_Shdr header;
    uint64_t bytes = 0;
    bool has_info = false;
    if (elf_getshdrstrndx(image->elf, &names) != 0) return 0;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(image->elf, section)) != NULL;) {
        if (gelf_getshdr(section, &header) == NULL || header.sh_type == SHT_NOBITS) continue;
        const char *name = elf_strptr(image->elf, names, header.sh_name);
        if (name == NULL) continue;
        /* Names in another file: what is here leads there. The old form of compression does not say what it grows to.
         */
        if (strcmp(name, ".gnu_debugaltlink") == 0 || strncmp(name, ".zdebug", 7) == 0) return 0;
        if (strncmp(name, ".debug_", 7) != 0) continue;
        has_info |= strcmp(name, ".debug_info") == 0;
        bytes = hsd_add_saturating(bytes, section_bytes(section, &header));
    }
    return has_info ? bytes : 0;
}

/* ---- a copy of the DWARF ---- */

#define SECTIONS_MAX  64u
#define PADDING_BYTES 64u

typedef struct copied {
    Elf64_Shdr headers[SECTIONS_MAX + 2]; /* the empty one, sections, their names */
    size_t count;
    hsd_buffer names, bytes;
} copied;

/* Appends with zeros behind. *offset is where it begins. */
static hsd_status append_padded(hsd_buffer *out, const void *data, size_t size, uint64_t *offset, hsd_error *err)
{
    static const uint8_t zeros[PADDING_BYTES];
    *offset = out->size;
    HSD_TRY(hsd_buffer_append(out, data, size, err));
    return hsd_buffer_append(out, zeros, PADDING_BYTES - out->size % 16, err);
}

/* False when the section cannot be read, and the copy would be none. */
static bool copy_section(copied *c, Elf_Scn *section, const char *name, hsd_status *status, hsd_error *err)
{
    GElf_Shdr header;
    uint64_t offset;
    if (gelf_getshdr(section, &header) == NULL) return false;
    if ((header.sh_flags & SHF_COMPRESSED) != 0 && elf_compress(section, 0, 0) < 0) return false;
    const Elf_Data *data = elf_rawdata(section, NULL);
    if (data == NULL || (data->d_buf == NULL && data->d_size > 0) || c->count > SECTIONS_MAX) return false;
    Elf64_Shdr *copy = &c->headers[c->count++];
    *copy = (Elf64_Shdr){
        .sh_name = (Elf64_Word)c->names.size, .sh_type = SHT_PROGBITS, .sh_size = data->d_size, .sh_addralign = 1};
    *status = append_padded(&c->bytes, data->d_buf, data->d_size, &offset, err);
    copy->sh_offset = offset;
    if (*status == HSD_OK) *status = hsd_buffer_append(&c->names, name, strlen(name) + 1, err);
    return *status == HSD_OK;
}

static bool copy_sections(copied *c, Elf *elf, hsd_status *status, hsd_error *err)
{
    size_t names;
    GElf_Shdr header;
    if (elf_getshdrstrndx(elf, &names) != 0) return false;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section)) != NULL;) {
        if (gelf_getshdr(section, &header) == NULL || header.sh_type == SHT_NOBITS) continue;
        const char *name = elf_strptr(elf, names, header.sh_name);
        if (name == NULL || strncmp(name, ".debug_", 7) != 0) continue;
        if (!copy_section(c, section, name, status, err)) return false;
    }
    return true;
}

/* The names of the sections, the headers, and at last the first header, in its place. */
static hsd_status finish_copy(copied *c, const Elf64_Ehdr *of, hsd_error *err)
{
    uint64_t names, headers;
    HSD_TRY(append_padded(&c->bytes, c->names.data, c->names.size, &names, err));
    c->headers[c->count++] =
        (Elf64_Shdr){.sh_type = SHT_STRTAB, .sh_offset = names, .sh_size = c->names.size, .sh_addralign = 1};
    HSD_TRY(append_padded(&c->bytes, c->headers, c->count * sizeof c->headers[0], &headers, err));
    Elf64_Ehdr header = {.e_type = ET_DYN,
                         .e_machine = of->e_machine,
                         .e_version = EV_CURRENT,
                         .e_shoff = headers,
                         .e_ehsize = sizeof header,
                         .e_shentsize = sizeof c->headers[0],
                         .e_shnum = (Elf64_Half)c->count,
                         .e_shstrndx = (Elf64_Half)(c->count - 1)};
    memcpy(header.e_ident, of->e_ident, EI_NIDENT);
    memcpy(c->bytes.data, &header, sizeof header);
    return HSD_OK;
}

hsd_status hsd_image_copy_debug(const hsd_image *image, hsd_buffer *out, hsd_error *err)
{
    const unsigned order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
    const Elf64_Ehdr *of = elf64_getehdr(image->elf);
    hsd_status status = HSD_OK;
    uint64_t offset;
    if (of == NULL || of->e_ident[EI_DATA] != order) return HSD_OK;
    copied *c = calloc(1, sizeof *c);
    if (c == NULL) return hsd_fail_nomem(err, "lines");
    c->count = 1;
    status = append_padded(&c->bytes, &(Elf64_Ehdr){.e_type = ET_NONE}, sizeof(Elf64_Ehdr), &offset, err);
    if (status == HSD_OK) status = hsd_buffer_append(&c->names, "", 1, err);
    const bool is_whole = status == HSD_OK && copy_sections(c, image->elf, &status, err);
    if (is_whole) status = finish_copy(c, of, err);
    if (is_whole && status == HSD_OK) {
        *out = c->bytes;
        c->bytes = (hsd_buffer){0};
    }
    hsd_buffer_release(&c->names);
    hsd_buffer_release(&c->bytes);
    free(c);
    return status;
}

void hsd_image_close(hsd_image *image)
{
    if (image == NULL) return;
    for (int kind = 0; kind < HSD_SYMBOL_KINDS; kind++)
        free(image->symbols[kind].at);
    elf_end(image->elf);
    close(image->fd);
    free(image);
}

#else

bool hsd_image_is_supported(void) { return false; }

bool hsd_image_build_id(int fd, char digits[HSD_BUILD_ID_DIGITS + 1])
{
    (void)fd;
    digits[0] = '\0';
    return false;
}

hsd_status hsd_image_open(hsd_image **out, int fd, uint64_t memory_bytes, hsd_error *err)
{
    (void)memory_bytes;
    *out = NULL;
    close(fd);
    return hsd_fail(err, HSD_E_UNSUPPORTED, "this build has no libelf");
}

const char *hsd_image_find(const hsd_image *image, hsd_symbol_kind kind, uint64_t address)
{
    (void)image, (void)kind, (void)address;
    return NULL;
}

size_t hsd_image_code(const hsd_image *image, uint64_t address, uint8_t *out, size_t room)
{
    (void)image, (void)address, (void)out, (void)room;
    return 0;
}

bool hsd_image_is_relro(const hsd_image *image, uint64_t address)
{
    (void)image, (void)address;
    return false;
}

uint64_t hsd_image_debug_bytes(const hsd_image *image)
{
    (void)image;
    return 0;
}

hsd_status hsd_image_copy_debug(const hsd_image *image, hsd_buffer *out, hsd_error *err)
{
    (void)image, (void)out, (void)err;
    return HSD_OK;
}

void hsd_image_close(hsd_image *image) { (void)image; }

#endif
