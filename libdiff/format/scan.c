/*
 * Walking a file from header to header, and finding the next header behind damage. See scan.h.
 *
 *      | header | block 0 | block 1 | ??????? | block 3 | …
 *                                   ^ no header here: look for the next "HSBK" whose checksum holds
 *
 * A chance match is one in 2^64, so what is found is a block of this very capture: the seed of the checksum is its id.
 */
#include "format/scan.h"

#include <stdlib.h>
#include <string.h>

#define WINDOW_BYTES ((size_t)1 << 18)

void hsd_scan_begin(hsd_scan *scan, const hsd_file *file)
{
    *scan = (hsd_scan){.file = file, .offset_bytes = file->header.header_bytes};
}

void hsd_scan_finish(hsd_scan *scan)
{
    free(scan->window);
    scan->window = NULL;
}

/* Looks through one window; *found is the place of a header, or `size` when there is none. */
static size_t look_through(const hsd_scan *scan, size_t size)
{
    hsd_block_header header;
    hsd_fault ignored;
    const uint8_t *at = scan->window;
    const uint8_t *end = at + size;
    while (end - at >= HSC_BLOCK_HEADER_BYTES) {
        at = memchr(at, HSC_BLOCK_MAGIC[0], (size_t)(end - at) - (HSC_BLOCK_HEADER_BYTES - 1));
        if (at == NULL) return size;
        if (hsd_block_header_parse(at, scan->file->header.seed, &header, &ignored) == HSD_OK)
            return (size_t)(at - scan->window);
        at++;
    }
    return size;
}

/* The offset of the next intact header from `from` on, or the end of the file. */
static hsd_status find_header(hsd_scan *scan, uint64_t from, uint64_t *found, hsd_fault *fault)
{
    const uint64_t size = scan->file->input.size_bytes;
    if (scan->window == NULL) scan->window = malloc(WINDOW_BYTES);
    if (scan->window == NULL)
        return hsd_fault_set(fault, HSD_E_NOMEM, NULL, "no memory to look through a damaged file");
    *found = size;
    while (from < size && size - from >= HSC_BLOCK_HEADER_BYTES) {
        const size_t bytes = size - from < WINDOW_BYTES ? (size_t)(size - from) : WINDOW_BYTES;
        const hsd_status status = hsd_input_read(&scan->file->input, from, scan->window, bytes, &fault->error);
        if (status != HSD_OK) return hsd_fault_set(fault, status, "4.1", "%s", fault->error.text);
        const size_t at = look_through(scan, bytes);
        if (at < bytes) {
            *found = from + at;
            return HSD_OK;
        }
        if (bytes == size - from) return HSD_OK;
        from += bytes - (HSC_BLOCK_HEADER_BYTES - 1); /* a header may lie across two windows */
    }
    return HSD_OK;
}

/* True if nothing but zeros follows: a file that was cut off by a crash may have its full length. */
static hsd_status is_zero_from(hsd_scan *scan, uint64_t from, bool *is_zero, hsd_fault *fault)
{
    const uint64_t size = scan->file->input.size_bytes;
    *is_zero = from < size;
    while (*is_zero && from < size) {
        const size_t bytes = size - from < WINDOW_BYTES ? (size_t)(size - from) : WINDOW_BYTES;
        const hsd_status status = hsd_input_read(&scan->file->input, from, scan->window, bytes, &fault->error);
        if (status != HSD_OK) return hsd_fault_set(fault, status, "4.1", "%s", fault->error.text);
        *is_zero = scan->window[0] == 0 && memcmp(scan->window, scan->window + 1, bytes - 1) == 0;
        from += bytes;
    }
    return HSD_OK;
}

/* The file ends here, or, of its full length, holds nothing but zeros from here on. */
static hsd_status cut_format_scan(hsd_scan *scan, hsd_scan_step *step, bool is_zero)
{
    char digits[HSD_DIGITS_BYTES];
    const uint64_t size = scan->file->input.size_bytes;
    const uint64_t at = is_zero ? step->offset_bytes : size;
    step->kind = HSD_SCAN_CUT;
    step->bytes = size - step->offset_bytes;
    step->fault.offset_bytes = at;
    step->fault.block = scan->next_number;
    hsd_fault_set(&step->fault, HSD_E_TRUNCATED, "2.1", "was cut off at byte %s, %s block %llu%s",
                  hsd_group_digits(digits, at), is_zero ? "before" : "inside", (unsigned long long)scan->next_number,
                  is_zero ? ": the rest of the file is zeros" : "");
    scan->offset_bytes = size;
    return HSD_OK;
}

/* Not a header: skip to the next one. */
static hsd_status skip_damage(hsd_scan *scan, hsd_scan_step *step)
{
    hsd_fault fault = {.block = HSD_NO_BLOCK};
    uint64_t found = 0;
    bool is_zero = false;
    hsd_status status = find_header(scan, step->offset_bytes + 1, &found, &fault);
    if (status == HSD_OK && found == scan->file->input.size_bytes)
        status = is_zero_from(scan, step->offset_bytes, &is_zero, &fault);
    if (status != HSD_OK) {
        step->fault = fault;
        return status;
    }
    if (is_zero) return cut_format_scan(scan, step, true);
    step->kind = HSD_SCAN_DAMAGE;
    step->bytes = found - step->offset_bytes;
    step->fault.block = scan->next_number;
    scan->offset_bytes = found;
    return HSD_OK;
}

/* The greatest first ordinal behind so many more missing blocks. A greater one is a number that nobody may make room
 * for. */
static uint64_t most_ordinal(const hsd_scan *scan, uint64_t missing)
{
    const uint64_t most = HSC_MAX_OBJECTS / HSC_MAX_RECORDS;
    return missing > most ? HSC_MAX_OBJECTS : scan->most_ordinal + missing * HSC_MAX_RECORDS;
}

/* Rules that need the blocks before: 4.5, and 4.10 as far as headers tell. */
static hsd_status check_order(const hsd_scan *scan, const hsd_block_header *header, hsd_fault *fault)
{
    if (header->number < scan->next_number || header->number == UINT64_MAX) {
        return hsd_fault_corrupt(fault, "4.5", "it is misplaced: block %llu stands before it",
                                 (unsigned long long)(scan->next_number - 1));
    }
    if (header->type != HSC_BLOCK_OBJECTS) return HSD_OK;
    if (header->first_ordinal + 1 < scan->next_ordinal)
        return hsd_fault_corrupt(fault, "4.10", "its ordinals do not follow those before it");
    if (header->first_ordinal > most_ordinal(scan, header->number - scan->next_number))
        return hsd_fault_corrupt(fault, "4.10", "its ordinals leave out more than the missing blocks can hold");
    return HSD_OK;
}

static hsd_status take_block(hsd_scan *scan, hsd_scan_step *step)
{
    const hsd_block_header *header = &step->header;
    step->kind = HSD_SCAN_BLOCK;
    step->ref = hsd_block_ref_of(header, step->offset_bytes);
    step->bytes = HSC_BLOCK_HEADER_BYTES + (uint64_t)header->stored_bytes;
    step->fault.block = header->number;
    scan->offset_bytes = hsd_block_ref_end(&step->ref);
    step->is_usable =
        hsd_block_header_check(header, &step->fault) == HSD_OK && check_order(scan, header, &step->fault) == HSD_OK;
    if (!step->is_usable) return HSD_OK;
    step->missing = header->number - scan->next_number;
    scan->most_ordinal = most_ordinal(scan, step->missing);
    scan->next_number = header->number + 1;
    if (header->type == HSC_BLOCK_OBJECTS)
        scan->next_ordinal = scan->most_ordinal = header->first_ordinal + header->record_count;
    scan->has_end = header->type == HSC_BLOCK_END;
    return HSD_OK;
}

hsd_status hsd_scan_next(hsd_scan *scan, hsd_scan_step *step)
{
    const uint64_t size = scan->file->input.size_bytes;
    *step = (hsd_scan_step){.offset_bytes = scan->offset_bytes};
    step->fault.offset_bytes = scan->offset_bytes;
    step->fault.block = HSD_NO_BLOCK;
    hsd_error_init(&step->fault.error);
    if (scan->has_end || scan->offset_bytes >= size) {
        step->kind = HSD_SCAN_END;
        step->bytes = size > scan->offset_bytes ? size - scan->offset_bytes : 0;
        return HSD_OK;
    }
    const hsd_status status = hsd_file_read_block_header(scan->file, scan->offset_bytes, &step->header, &step->fault);
    if (status == HSD_OK) return take_block(scan, step);
    if (status == HSD_E_TRUNCATED) return cut_format_scan(scan, step, false);
    if (status == HSD_E_CORRUPT) return skip_damage(scan, step);
    return status;
}
