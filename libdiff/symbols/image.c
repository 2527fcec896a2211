/*
 * The symbols of an ELF file. See image.h.
 *
 * All symbols go into one array for each kind, sorted by address, so that a look-up is a binary search. Symbols may lie
 * inside each other (labels of assembly, parts of a merged section): a look-up goes back over a few that end before the
 * address.
 */
#include "symbols/image.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/check.h"
#include "base/fail.h"
#include "base/search.h"
#include "elf/elf.h"

#define LOOK_BACK       64 /* symbols that a look-up goes over */
#define LOCAL_RANK      2
#define TEXT_TABLES_MAX 8u /* a sound file has two */
/* Sections of a sound file do not lie on one another: what is read of them is at most a few times the file. */
#define READS_OF_A_FILE 4u

typedef struct symbol {
    uint64_t address, size;
    const char *name; /* in a table of texts */
    int32_t file; /* of what a file has for itself: where its name stands in that table, from this one on; 0 = none */
    uint8_t rank; /* smaller is better */
    bool is_in_files; /* others are called so in other files */
} symbol;

typedef struct symbol_list {
    symbol *at;
    size_t count, capacity;
} symbol_list;

typedef struct range {
    uint64_t low, high;
} range;

/* A section that is kept. */
typedef struct loaded {
    uint32_t section;
    hsd_buffer bytes;
} loaded;

struct hsd_image {
    hsd_elf elf;
    loaded texts[TEXT_TABLES_MAX];
    size_t text_count;
    uint64_t bytes_left; /* that may be read */
    symbol_list symbols[HSD_SYMBOL_KINDS];
    uint64_t memory_bytes, taken_bytes;
    range thread_template, relro;
    uint64_t thread_end; /* of the template, as threads have it: aligned */
};

bool hsd_image_build_id(int fd, char digits[HSD_BUILD_ID_DIGITS + 1])
{
    hsd_elf elf;
    digits[0] = '\0';
    if (hsd_elf_open_fd(&elf, fd, false, NULL) != HSD_OK) return false;
    hsd_elf_build_id(&elf, digits, HSD_BUILD_ID_DIGITS + 1);
    hsd_elf_close(&elf);
    return true;
}

/* ---- sections ---- */

/* What cannot be read is empty. HSD_E_NOMEM. */
static hsd_status load(hsd_image *image, const hsd_elf_section *section, hsd_buffer *out, hsd_error *err)
{
    if (section->bytes > image->bytes_left) return HSD_OK;
    image->bytes_left -= section->bytes;
    const hsd_status status = hsd_elf_append(&image->elf, section, image->elf.input.bytes, out, err);
    if (status == HSD_E_NOMEM) return status;
    if (status != HSD_OK) hsd_buffer_clear(out);
    return HSD_OK;
}

/* The texts that a table's names are in, and a NUL behind them; *out is NULL where there are none. */
static hsd_status texts_of(hsd_image *image, uint32_t link, const hsd_buffer **out, hsd_error *err)
{
    *out = NULL;
    for (size_t i = 0; i < image->text_count; i++)
        if (image->texts[i].section == link) *out = &image->texts[i].bytes;
    if (*out != NULL || link >= image->elf.section_count || image->elf.sections[link].type != SHT_STRTAB ||
        image->text_count == TEXT_TABLES_MAX)
        return HSD_OK;
    loaded *added = &image->texts[image->text_count++];
    added->section = link;
    HSD_TRY(load(image, &image->elf.sections[link], &added->bytes, err));
    *out = &added->bytes;
    return hsd_buffer_append(&added->bytes, "", 1, err);
}

/* NULL where there is no name. */
static const char *name_at(const hsd_buffer *texts, uint32_t at)
{
    if (texts == NULL || at >= texts->size || texts->data[at] == '\0') return NULL;
    return (const char *)texts->data + at;
}

/* ---- symbols ---- */

static int kind_of(const hsd_elf_entry *entry)
{
    switch (entry->kind) {
    case HSD_ELF_FUNCTION:
    case HSD_ELF_INDIRECT: return HSD_SYMBOL_FUNCTION;
    case HSD_ELF_OBJECT:
    case HSD_ELF_COMMON: return HSD_SYMBOL_OBJECT;
    case HSD_ELF_THREAD_OBJECT: return HSD_SYMBOL_THREAD_OBJECT;
    default: return -1;
    }
}

static uint8_t rank_of(const hsd_elf_entry *entry)
{
    return entry->binding == HSD_ELF_GLOBAL ? 0 : entry->binding == HSD_ELF_WEAK ? 1 : LOCAL_RANK;
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

typedef struct table_reading {
    hsd_image *image;
    const hsd_buffer *texts;
    const char *file; /* the last that was named */
} table_reading;

/* "queue.c". Of what the linker put together of many files, "a.ltrans0.o", "<artificial>", and of what compilers make
 * of a module, "shop.3fa4-cgu.0", nobody knows which it was. */
static const char *source_of(const char *file)
{
    const char *folder = file == NULL ? NULL : strrchr(file, '/');
    const char *name = folder != NULL ? folder + 1 : file;
    const char *extension = name == NULL ? NULL : strrchr(name, '.');
    const bool is_source = extension != NULL && extension > name && extension[1] != '\0' &&
                           strchr("cCmMdfF", extension[1]) != NULL && strlen(extension) <= 4;
    return is_source ? name : NULL;
}

static hsd_status take_symbol(void *context, const hsd_elf_entry *entry, hsd_error *err)
{
    table_reading *r = context;
    const int kind = kind_of(entry);
    if (entry->kind == HSD_ELF_FILE) r->file = source_of(name_at(r->texts, entry->name));
    if (kind < 0 || entry->section == HSD_ELF_UNDEFINED || entry->section == HSD_ELF_ABSOLUTE) return HSD_OK;
    const char *name = name_at(r->texts, entry->name);
    if (name == NULL) return HSD_OK;
    const uint64_t base = kind == HSD_SYMBOL_THREAD_OBJECT ? r->image->thread_template.low : 0;
    symbol found = {.address = entry->value + base, .size = entry->bytes, .name = name, .rank = rank_of(entry)};
    const ptrdiff_t distance = found.rank == LOCAL_RANK && r->file != NULL ? r->file - name : 0;
    if (distance >= INT32_MIN && distance <= INT32_MAX) found.file = (int32_t)distance;
    return add_symbol(r->image, kind, &found, err);
}

static hsd_status read_table(hsd_image *image, const hsd_elf_section *table, hsd_error *err)
{
    table_reading r = {.image = image};
    if (table->entry_bytes == 0 || table->bytes > image->bytes_left) return HSD_OK;
    image->bytes_left -= table->bytes;
    HSD_TRY(texts_of(image, table->link, &r.texts, err));
    const hsd_status status = hsd_elf_each_symbol(&image->elf, table, take_symbol, &r, err);
    return status == HSD_E_NOMEM || status == HSD_E_OVER_BUDGET ? status : HSD_OK;
}

/* ---- imports ---- */

static bool is_x86_64(const hsd_image *image) { return image->elf.is_64_bits && image->elf.machine == HSD_ELF_X86_64; }

/* Words that the loader fills: those that a symbol says the name of. */
static hsd_status take_imports(hsd_image *image, const hsd_buffer *relocations, const hsd_buffer *symbols,
                               const hsd_buffer *texts, hsd_error *err)
{
    const size_t entry_bytes = hsd_elf_entry_bytes(&image->elf), count = symbols->size / entry_bytes;
    for (size_t at = 0; at + sizeof(Elf64_Rela) <= relocations->size; at += sizeof(Elf64_Rela)) {
        const uint64_t place = hsd_elf_number(&image->elf, relocations->data + at, 8);
        const uint64_t kind = hsd_elf_number(&image->elf, relocations->data + at + 8, 4);
        const uint64_t number = hsd_elf_number(&image->elf, relocations->data + at + 12, 4);
        if ((kind != R_X86_64_JUMP_SLOT && kind != R_X86_64_GLOB_DAT) || number >= count) continue;
        const hsd_elf_entry named = hsd_elf_entry_at(&image->elf, symbols->data + number * entry_bytes);
        const char *name = name_at(texts, named.name);
        if (name == NULL) continue;
        const symbol found = {.address = place, .size = sizeof(uint64_t), .name = name};
        HSD_TRY(add_symbol(image, HSD_SYMBOL_IMPORT, &found, err));
    }
    return HSD_OK;
}

static hsd_status read_imports(hsd_image *image, const hsd_elf_section *section, hsd_error *err)
{
    hsd_buffer relocations = {0}, symbols = {0};
    const hsd_buffer *texts = NULL;
    const hsd_elf_section *table =
        section->link < image->elf.section_count ? &image->elf.sections[section->link] : NULL;
    if (table == NULL || table->type != HSD_ELF_DYNAMIC_SYMBOLS) return HSD_OK;
    hsd_status status = texts_of(image, table->link, &texts, err);
    if (status == HSD_OK) status = load(image, section, &relocations, err);
    if (status == HSD_OK) status = load(image, table, &symbols, err);
    if (status == HSD_OK) status = take_imports(image, &relocations, &symbols, texts, err);
    hsd_buffer_release(&relocations);
    hsd_buffer_release(&symbols);
    return status;
}

/* ---- opening ---- */

static int compare_image(const void *a, const void *b)
{
    const symbol *x = a, *y = b;
    if (x->address != y->address) return x->address < y->address ? -1 : 1;
    /* Worst first: a search from behind meets the best of one address first. */
    if (x->rank != y->rank) return x->rank > y->rank ? -1 : 1;
    const size_t x_length = strlen(x->name), y_length = strlen(y->name);
    if (x_length != y_length) return x_length > y_length ? -1 : 1;
    return -strcmp(x->name, y->name);
}

/* ---- names that several files have ---- */

/* "cache" of "cache.0", a variable of a function. */
static size_t plain_bytes(const char *name) { return strcspn(name, "."); }

static int compare_names(const void *a, const void *b)
{
    const symbol *x = *(symbol *const *)a, *y = *(symbol *const *)b;
    const size_t x_bytes = plain_bytes(x->name), y_bytes = plain_bytes(y->name);
    if (x_bytes != y_bytes) return x_bytes < y_bytes ? -1 : 1;
    const int order = memcmp(x->name, y->name, x_bytes);
    return order != 0 ? order : strcmp(x->name + x->file, y->name + y->file);
}

static bool is_called_alike(const symbol *a, const symbol *b)
{
    const size_t bytes = plain_bytes(a->name);
    return bytes == plain_bytes(b->name) && memcmp(a->name, b->name, bytes) == 0;
}

static void mark_names(symbol **by_name, size_t count)
{
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && is_called_alike(by_name[first], by_name[end]);)
            end++;
        const symbol *a = by_name[first], *b = by_name[end - 1]; /* the first and the last of their files */
        const bool are_several = plain_bytes(a->name) > 0 && strcmp(a->name + a->file, b->name + b->file) != 0;
        for (size_t i = first; i < end; i++)
            by_name[i]->is_in_files = are_several;
    }
}

/* Where there is not the memory for it, none is marked. */
static hsd_status find_names_of_files(hsd_image *image, symbol_list *list, hsd_error *err)
{
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++)
        count += list->at[i].file != 0;
    if (count < 2 || image->taken_bytes + count * sizeof(symbol *) > image->memory_bytes) return HSD_OK;
    symbol **by_name = malloc(count * sizeof *by_name);
    if (by_name == NULL) return hsd_fail_nomem(err, "symbols");
    count = 0;
    for (size_t i = 0; i < list->count; i++)
        if (list->at[i].file != 0) by_name[count++] = &list->at[i];
    qsort(by_name, count, sizeof *by_name, compare_names);
    mark_names(by_name, count);
    free(by_name);
    return HSD_OK;
}

static hsd_status read_symbols(hsd_image *image, hsd_error *err)
{
    for (uint32_t i = 0; i < image->elf.section_count; i++) {
        const hsd_elf_section *section = &image->elf.sections[i];
        if (section->type == HSD_ELF_SYMBOLS || section->type == HSD_ELF_DYNAMIC_SYMBOLS)
            HSD_TRY(read_table(image, section, err));
        if (section->type == HSD_ELF_RELOCATIONS && is_x86_64(image)) HSD_TRY(read_imports(image, section, err));
    }
    for (int kind = 0; kind < HSD_SYMBOL_KINDS; kind++) {
        symbol_list *list = &image->symbols[kind];
        if (list->count > 1) qsort(list->at, list->count, sizeof *list->at, compare_image);
    }
    HSD_TRY(find_names_of_files(image, &image->symbols[HSD_SYMBOL_OBJECT], err));
    return find_names_of_files(image, &image->symbols[HSD_SYMBOL_THREAD_OBJECT], err);
}

static void look_at_segments(hsd_image *image)
{
    for (uint32_t i = 0; i < image->elf.segment_count; i++) {
        const hsd_elf_segment *segment = &image->elf.segments[i];
        const range found = {segment->address, segment->address + segment->memory_bytes};
        if (segment->type == HSD_ELF_THREADS) {
            const uint64_t step = segment->alignment > 1 ? segment->alignment : 1;
            image->thread_template = found;
            image->thread_end = segment->address + (segment->memory_bytes + step - 1) / step * step;
        }
        if (segment->type == HSD_ELF_RELRO) image->relro = found;
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
    image->memory_bytes = memory_bytes;
    hsd_status status = hsd_elf_open_fd(&image->elf, fd, true, err);
    if (status == HSD_OK) {
        image->bytes_left = hsd_min_u64(image->elf.input.bytes, UINT64_MAX / READS_OF_A_FILE) * READS_OF_A_FILE;
        look_at_segments(image);
        status = read_symbols(image, err);
    }
    if (status == HSD_OK) {
        *out = image;
    } else {
        hsd_image_close(image);
    }
    return status;
}

/* ---- looking up ---- */

/* How many symbols begin at or before the address. */
static size_t count_before(const symbol_list *list, uint64_t address)
{
    size_t low;
    HSD_UPPER_BOUND(low, 0, list->count, list->at[low].address, address);
    return low;
}

static const symbol *find_symbol(const symbol_list *list, size_t end, uint64_t address)
{
    for (size_t i = end; i > 0 && end - i < LOOK_BACK; i--)
        if (address - list->at[i - 1].address < list->at[i - 1].size) return &list->at[i - 1];
    return NULL;
}

const char *hsd_image_file_of(const hsd_image *image, hsd_symbol_kind kind, uint64_t address)
{
    const symbol_list *list = &image->symbols[kind];
    const symbol *found = find_symbol(list, count_before(list, address), address);
    return found != NULL && found->is_in_files ? found->name + found->file : NULL;
}

const char *hsd_image_find(const hsd_image *image, hsd_symbol_kind kind, uint64_t address)
{
    const symbol_list *list = &image->symbols[kind];
    const size_t end = count_before(list, address);
    const symbol *found = find_symbol(list, end, address);
    if (found != NULL) return found->name;
    /* Functions of assembly have no size: they go on to the next one. */
    if (kind == HSD_SYMBOL_FUNCTION && end > 0 && list->at[end - 1].size == 0) return list->at[end - 1].name;
    return NULL;
}

bool hsd_image_is_relro(const hsd_image *image, uint64_t address)
{
    return address >= image->relro.low && address < image->relro.high;
}

uint64_t hsd_image_thread_begin(const hsd_image *image) { return image->thread_template.low; }

uint64_t hsd_image_thread_end(const hsd_image *image) { return image->thread_end; }

bool hsd_image_is_mute(const hsd_image *image)
{
    return image->symbols[HSD_SYMBOL_FUNCTION].count == 0 && hsd_image_debug_bytes(image) == 0;
}

size_t hsd_image_code(const hsd_image *image, uint64_t address, uint8_t *out, size_t room)
{
    const hsd_elf *elf = &image->elf;
    if (!is_x86_64(image)) return 0;
    for (uint32_t i = 0; i < elf->section_count; i++) {
        const hsd_elf_section *section = &elf->sections[i];
        if (section->type != HSD_ELF_IN_PROGRAM || (section->flags & HSD_ELF_CODE) == 0 ||
            (section->flags & HSD_ELF_PACKED) != 0 || address < section->address ||
            address - section->address >= section->bytes)
            continue;
        const uint64_t skipped = address - section->address;
        uint64_t offset;
        if (!hsd_add_u64(section->offset, skipped, &offset) || offset >= elf->input.bytes) return 0;
        const uint64_t have = hsd_min_u64(section->bytes - skipped, elf->input.bytes - offset);
        const size_t size = (size_t)hsd_min_u64(room, have);
        return elf->input.read(elf->input.context, offset, out, size, NULL) == HSD_OK ? size : 0;
    }
    return 0;
}

/* ---- DWARF ---- */

/* Of a section that has bytes in this file; "" for others. */
static const char *name_of(const hsd_elf *elf, const hsd_elf_section *section)
{
    const char *name = section->type != HSD_ELF_NO_BITS ? hsd_elf_section_name(elf, section) : NULL;
    return name != NULL ? name : "";
}

uint64_t hsd_image_debug_bytes(const hsd_image *image)
{
    const hsd_elf *elf = &image->elf;
    uint64_t bytes = 0;
    bool has_info = false;
    for (uint32_t i = 0; i < elf->section_count; i++) {
        const hsd_elf_section *section = &elf->sections[i];
        const char *name = name_of(elf, section);
        /* Names in another file: what is here leads there. The old form of compression does not say what it grows to.
         */
        if (strcmp(name, ".gnu_debugaltlink") == 0 || strncmp(name, ".zdebug", 7) == 0) return 0;
        if (strncmp(name, ".debug_", 7) != 0) continue;
        has_info |= strcmp(name, ".debug_info") == 0;
        bytes = hsd_add_saturating(bytes, hsd_elf_unpacked_bytes(elf, section));
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

static hsd_status pad(hsd_buffer *out, hsd_error *err)
{
    static const uint8_t zeros[PADDING_BYTES];
    return hsd_buffer_append(out, zeros, PADDING_BYTES - out->size % 16, err);
}

/* Appends with zeros behind. *offset is where it begins. */
static hsd_status append_padded(hsd_buffer *out, const void *data, size_t size, uint64_t *offset, hsd_error *err)
{
    *offset = out->size;
    HSD_TRY(hsd_buffer_append(out, data, size, err));
    return pad(out, err);
}

static hsd_status copy_section(copied *c, const hsd_elf *elf, const hsd_elf_section *section, uint64_t most_bytes,
                               hsd_error *err)
{
    const char *name = name_of(elf, section);
    const uint64_t offset = c->bytes.size;
    if (c->count > SECTIONS_MAX) return hsd_fail(err, HSD_E_UNSUPPORTED, "its sections are too many");
    HSD_TRY(hsd_elf_append(elf, section, most_bytes, &c->bytes, err));
    c->headers[c->count++] = (Elf64_Shdr){.sh_name = (Elf64_Word)c->names.size,
                                          .sh_type = SHT_PROGBITS,
                                          .sh_offset = offset,
                                          .sh_size = c->bytes.size - offset,
                                          .sh_addralign = 1};
    HSD_TRY(pad(&c->bytes, err));
    return hsd_buffer_append(&c->names, name, strlen(name) + 1, err);
}

static hsd_status copy_sections(copied *c, const hsd_image *image, hsd_error *err)
{
    const hsd_elf *elf = &image->elf;
    const uint64_t most_bytes = hsd_image_debug_bytes(image);
    for (uint32_t i = 0; i < elf->section_count; i++)
        if (strncmp(name_of(elf, &elf->sections[i]), ".debug_", 7) == 0)
            HSD_TRY(copy_section(c, elf, &elf->sections[i], most_bytes, err));
    return HSD_OK;
}

/* The names of the sections, the headers, and at last the first header, in its place. */
static hsd_status finish_copy(copied *c, const hsd_elf *of, hsd_error *err)
{
    uint64_t names, headers;
    HSD_TRY(append_padded(&c->bytes, c->names.data, c->names.size, &names, err));
    c->headers[c->count++] =
        (Elf64_Shdr){.sh_type = SHT_STRTAB, .sh_offset = names, .sh_size = c->names.size, .sh_addralign = 1};
    HSD_TRY(append_padded(&c->bytes, c->headers, c->count * sizeof c->headers[0], &headers, err));
    const Elf64_Ehdr header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
                                           of->is_big_endian ? ELFDATA2MSB : ELFDATA2LSB, EV_CURRENT},
                               .e_type = ET_DYN,
                               .e_machine = (Elf64_Half)of->machine,
                               .e_version = EV_CURRENT,
                               .e_shoff = headers,
                               .e_ehsize = sizeof header,
                               .e_shentsize = sizeof c->headers[0],
                               .e_shnum = (Elf64_Half)c->count,
                               .e_shstrndx = (Elf64_Half)(c->count - 1)};
    memcpy(c->bytes.data, &header, sizeof header);
    return HSD_OK;
}

static hsd_status make_copy(copied *c, const hsd_image *image, hsd_error *err)
{
    uint64_t offset;
    c->count = 1;
    HSD_TRY(append_padded(&c->bytes, &(Elf64_Ehdr){.e_type = ET_NONE}, sizeof(Elf64_Ehdr), &offset, err));
    HSD_TRY(hsd_buffer_append(&c->names, "", 1, err));
    HSD_TRY(copy_sections(c, image, err));
    return finish_copy(c, &image->elf, err);
}

hsd_status hsd_image_copy_debug(const hsd_image *image, hsd_buffer *out, hsd_error *err)
{
    const bool is_big_endian = __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__;
    if (!image->elf.is_64_bits || image->elf.is_big_endian != is_big_endian) return HSD_OK;
    copied *c = calloc(1, sizeof *c);
    if (c == NULL) return hsd_fail_nomem(err, "lines");
    const hsd_status status = make_copy(c, image, err);
    if (status == HSD_OK) {
        *out = c->bytes;
        c->bytes = (hsd_buffer){0};
    }
    hsd_buffer_release(&c->names);
    hsd_buffer_release(&c->bytes);
    free(c);
    return status == HSD_E_NOMEM ? status : HSD_OK;
}

void hsd_image_close(hsd_image *image)
{
    if (image == NULL) return;
    for (int kind = 0; kind < HSD_SYMBOL_KINDS; kind++)
        free(image->symbols[kind].at);
    for (size_t i = 0; i < image->text_count; i++)
        hsd_buffer_release(&image->texts[i].bytes);
    hsd_elf_close(&image->elf);
    free(image);
}
