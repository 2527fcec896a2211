/*
 * One import of HPROF bytes in a test, by way of a file; see hprof_case.h.
 */
#include "unit/import/hprof_case.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

static void take_note(void *context, hsd_note_level level, const char *text)
{
    hprof_case *c = context;
    const size_t used = strlen(c->notes);
    snprintf(c->notes + used, sizeof c->notes - used, "%d %s\n", (int)level, text);
}

void case_import(hprof_case *c, const void *data, size_t size)
{
    char path[] = "/tmp/hsd-hprof-XXXXXX";
    const uint64_t little = UINT64_C(4) << 20; /* small buffers: a sanitizer takes long over large ones */
    const hsd_run run = {
        .memory_bytes = c->memory_bytes == 0 ? little : c->memory_bytes, .note = take_note, .note_context = c};
    int out = -1;
    const int fd = mkstemp(path);
    cr_assert(fd >= 0);
    cr_assert(write(fd, data, size) == (ssize_t)size);
    close(fd);
    c->notes[0] = '\0';
    hsd_error_init(&c->err);
    if (c->options.compression == 0) c->options.compression = 1;
    c->status = hsd_import_temp(path, &c->options, &run, &out, &c->result, &c->err);
    unlink(path);
    if (c->status != HSD_OK) {
        cr_assert(out == -1);
        cr_assert(c->err.text[0] != '\0', "a failure without a sentence");
        return;
    }
    cr_assert(view_open_fd(&c->view, out));
}

void case_import_form(hprof_case *c, const heap_form *form)
{
    hprof_writer w;
    heap_write(&w, form);
    case_import(c, w.data, w.size);
    hw_free(&w);
}

void case_close(hprof_case *c)
{
    if (c->view.capture != NULL) view_close(&c->view);
}

const view_object *case_object(const hprof_case *c, const heap_form *form, enum heap_object which)
{
    const view_object *object = view_find(&c->view, heap_id(form, which));
    cr_assert_not_null(object, "object %d is not in the capture", (int)which);
    return object;
}

view_label case_refers(const hprof_case *c, const view_object *from, const char *label, uint64_t to)
{
    const view_reference *reference = view_reference_of(&c->view, from, label, 0);
    cr_assert_not_null(reference, "no reference %s", label);
    cr_assert(reference->target == to, "%s leads to %#llx, not %#llx", label, (unsigned long long)reference->target,
              (unsigned long long)to);
    return view_label_of(&c->view, reference);
}

static size_t gzip_member(const uint8_t *data, size_t size, uint8_t *out, size_t capacity)
{
    z_stream stream = {0};
    cr_assert(deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    stream.next_in = (Bytef *)(uintptr_t)data;
    stream.avail_in = (uInt)size;
    stream.next_out = out;
    stream.avail_out = (uInt)capacity;
    cr_assert(deflate(&stream, Z_FINISH) == Z_STREAM_END);
    deflateEnd(&stream);
    return capacity - stream.avail_out;
}

void *case_gzip(const void *data, size_t size, size_t member_bytes, size_t *out_size)
{
    const size_t step = member_bytes == 0 ? size : member_bytes;
    const size_t members = step == 0 ? 1 : (size + step - 1) / step;
    const size_t capacity = size * 2 + members * 64 + 64;
    uint8_t *out = malloc(capacity);
    cr_assert_not_null(out);
    *out_size = 0;
    for (size_t at = 0; at < size || *out_size == 0; at += step) {
        const size_t part = size - at < step ? size - at : step;
        *out_size += gzip_member((const uint8_t *)data + at, part, out + *out_size, capacity - *out_size);
        if (step == 0) break;
    }
    return out;
}
