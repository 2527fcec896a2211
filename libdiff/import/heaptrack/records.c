/*
 * The lines of a file of heaptrack. Nearly all of them make or free one of an allocation ("+ 1d", "- 1d"): those are
 * read in a loop of their own, as long as they lie in the window.
 */
#include <inttypes.h>
#include <string.h>

#include "base/check.h"
#include "import/heaptrack/heaptrack.h"

enum { PROGRESS_EVERY = 256, COUNT_BYTES = 20 }; /* the longest "+ …" of 16 digits, and its end */

static int hex_value(uint8_t c)
{
    if (c >= '0' && c <= '9') return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool hsd_ht_take_number(hsd_bytes *text, uint64_t *out)
{
    size_t at = 0, from;
    uint64_t number = 0;
    while (at < text->size && text->data[at] == ' ')
        at++;
    for (from = at; at < text->size && at - from < 17; at++) {
        const int digit = hex_value(text->data[at]);
        if (digit < 0) break;
        number = number << 4 | (uint64_t)digit;
    }
    if (at == from || at - from > 16 || (at < text->size && text->data[at] != ' ')) return false;
    while (at < text->size && text->data[at] == ' ')
        at++;
    *text = (hsd_bytes){text->data + at, text->size - at};
    *out = number;
    return true;
}

/* "v 10400 3", and then one of the lines that follow it. */
unsigned hsd_ht_probe(const uint8_t *prefix, size_t size)
{
    hsd_bytes line = {prefix, size};
    const uint8_t *end = memchr(prefix, '\n', size < 64 ? size : 64);
    uint64_t version, form;
    if (end == NULL || prefix[0] != 'v' || prefix[1] != ' ') return 0;
    line = (hsd_bytes){prefix + 2, (size_t)(end - prefix) - 2};
    if (line.size > 0 && line.data[line.size - 1] == '\r') line.size--;
    if (!hsd_ht_take_number(&line, &version) || (line.size > 0 && !hsd_ht_take_number(&line, &form))) return 0;
    const size_t left = size - (size_t)(end + 1 - prefix);
    return version >= 0x10000 && line.size == 0 && left > 1 && strchr("XxIscSA", end[1]) != NULL && end[2] == ' ' ? 40
                                                                                                                  : 0;
}

/* ---- the head ---- */

static hsd_status take_version(ht *h, hsd_bytes text, hsd_error *err)
{
    uint64_t program;
    h->version = HT_OLDEST;
    if (!hsd_ht_take_number(&text, &program)) return hsd_ht_corrupt(h, "it has no version", err);
    if (text.size > 0 && !hsd_ht_take_number(&text, &h->version)) return hsd_ht_corrupt(h, "it has no version", err);
    if (h->version > HT_NEWEST) {
        hsd_fail(err, HSD_E_TOO_NEW, "this file of heaptrack is of form %" PRIu64 ", and forms up to %d are known",
                 h->version, HT_NEWEST);
        hsd_error_set_hint(err, "a newer hsdiff may read it");
        return HSD_E_TOO_NEW;
    }
    if (h->version >= HT_OLDEST) return HSD_OK;
    return hsd_fail(err, HSD_E_UNSUPPORTED, "this file of heaptrack is of form 0, of before heaptrack 1.0");
}

static hsd_status refuse_raw(hsd_error *err)
{
    hsd_fail(err, HSD_E_UNSUPPORTED, "this file of heaptrack has addresses that are not interpreted");
    hsd_error_set_hint(
        err, "let heaptrack put names to them, on the machine where it was taken: heaptrack --interpret FILE");
    return HSD_E_UNSUPPORTED;
}

static void keep_program(ht *h, hsd_bytes text)
{
    const size_t size = (size_t)hsd_min_u64(text.size, sizeof h->program - 1);
    memcpy(h->program, text.data, size);
    h->program[size] = '\0';
}

/* ---- what is made and freed ---- */

static void make_one(ht *h, uint64_t number)
{
    ht_allocation *row = &h->allocations[number];
    row->live++;
    h->bytes = hsd_add_saturating(h->bytes, row->bytes);
    h->peak_bytes = hsd_max_u64(h->peak_bytes, h->bytes);
}

static void free_one(ht *h, uint64_t number)
{
    ht_allocation *row = &h->allocations[number];
    if (row->live == 0) {
        h->strange_frees++;
        return;
    }
    row->live--;
    h->bytes -= hsd_min_u64(h->bytes, row->bytes);
}

static hsd_status take_count(ht *h, uint8_t letter, hsd_bytes text, hsd_error *err)
{
    uint64_t number;
    if (!hsd_ht_take_number(&text, &number)) return hsd_ht_corrupt(h, "an allocation has no number", err);
    if (text.size > 0) return refuse_raw(err); /* size, stack, address */
    if (number >= h->allocation_count) return hsd_ht_corrupt(h, "an allocation is made that is not there", err);
    if (letter == '+')
        make_one(h, number);
    else
        free_one(h, number);
    return HSD_OK;
}

/* As many such lines as lie in the window; what looks otherwise is left where it is. */
static void take_counts(ht *h)
{
    hsd_source *source = h->source;
    const uint8_t *at = source->at, *const end = source->end;
    while (end - at > COUNT_BYTES && (at[0] == '+' || at[0] == '-') && at[1] == ' ') {
        const uint8_t *digit = at + 2;
        uint64_t number = 0;
        for (int value; digit - at < 10 && (value = hex_value(*digit)) >= 0; digit++)
            number = number << 4 | (uint64_t)value;
        if (*digit != '\n' || digit == at + 2 || number >= h->allocation_count) break;
        if (at[0] == '+')
            make_one(h, number);
        else
            free_one(h, number);
        at = digit + 1;
    }
    source->at = at;
}

/* ---- lines ---- */

/* "s c make_order()": since form 3 of so many bytes, among which may be ends of lines. Of one that goes beyond its line
 * the rest is taken from the source. */
static hsd_status take_string(ht *h, hsd_bytes text, hsd_error *err)
{
    uint64_t size = 0;
    size_t at = 0;
    if (h->version < HT_SIZED) return hsd_ht_put_string(h, text, err);
    while (at < text.size && text.data[at] != ' ')
        at++;
    hsd_bytes number = {text.data, at};
    if (!hsd_ht_take_number(&number, &size) || (at == text.size && size > 0))
        return hsd_ht_corrupt(h, "a string has no size", err);
    at += at < text.size;
    if (size == text.size - at) return hsd_ht_put_string(h, (hsd_bytes){text.data + at, text.size - at}, err);
    if (size < text.size - at) return hsd_ht_corrupt(h, "a string is longer than its size", err);
    /* The window still has what was taken of it. */
    uint64_t rest = size - (text.size - at) - 1;
    HSD_TRY(hsd_ht_put_string(h, (hsd_bytes){text.data + at, text.size - at}, err));
    HSD_TRY(hsd_source_skip(h->source, rest, err));
    hsd_import_line line;
    const hsd_status status = hsd_import_next_line(h->source, &line, "this file of heaptrack", err);
    if (status == HSD_OK && line.text.size > 0) return hsd_ht_corrupt(h, "a string is longer than its size", err);
    return status < 0 ? status : HSD_OK;
}

static hsd_status take_line(ht *h, hsd_error *err)
{
    const hsd_bytes line = h->line.text;
    uint64_t number;
    if (line.size == 0) return HSD_OK;
    if (line.data[0] == '#') {
        h->has_end |= line.size > 6 && memcmp(line.data, "# ips:", 6) == 0;
        return HSD_OK;
    }
    hsd_bytes rest = {line.data + 2, line.size < 2 ? 0 : line.size - 2};
    if (h->version == 0 && line.data[0] != 'v') return hsd_ht_corrupt(h, "it does not begin with its version", err);
    switch (line.data[0]) {
    case 'v': return take_version(h, rest, err);
    case 'X': keep_program(h, rest); return HSD_OK;
    case 's': return take_string(h, rest, err);
    case 'i': return hsd_ht_put_place(h, rest, err);
    case 't': return hsd_ht_put_stack(h, rest, err);
    case 'a': return hsd_ht_put_allocation(h, rest, err);
    case '+':
    case '-': return take_count(h, line.data[0], rest, err);
    case 'R':
        if (hsd_ht_take_number(&rest, &number)) h->rss_pages = number;
        return HSD_OK;
    case 'I':
        if (hsd_ht_take_number(&rest, &number)) h->page_bytes = number;
        return HSD_OK;
    case 'c':
    case 'S':
    case 'A': return HSD_OK;
    case 'x':
    case 'm': return refuse_raw(err);
    default: h->unreadable++; return HSD_OK;
    }
}

static hsd_status fail_cut_heaptrack(const ht *h, hsd_error *err)
{
    hsd_fail_at(err, HSD_E_TRUNCATED, hsd_source_offset(h->source), "this file of heaptrack ends before its end");
    hsd_import_hint_partial(err);
    return HSD_E_TRUNCATED;
}

hsd_status hsd_ht_read(ht *h, hsd_error *err)
{
    hsd_source *source = h->source;
    hsd_status status = HSD_OK;
    for (uint64_t lines = 0; status == HSD_OK; lines++) {
        take_counts(h);
        status = hsd_import_next_line(source, &h->line, "this file of heaptrack", err);
        if (status != HSD_OK) break;
        if (!h->line.is_whole) return fail_cut_heaptrack(h, err); /* half of a number may be missing */
        HSD_TRY(take_line(h, err));
        if (lines % PROGRESS_EVERY == 0)
            HSD_TRY(hsd_progress(h->import->reporter, "import", hsd_source_offset(source), source->total_bytes, err));
    }
    if (status < 0) return status;
    return h->has_end ? HSD_OK : fail_cut_heaptrack(h, err);
}
