/* Captures rewritten in memory, and as text. See rewritten.h. */
#include "unit/symbols/rewritten.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hsdiff/dump.h>

#include "base/buffer.h"
#include "core/layout.h"

rewritten rewritten_of(const void *bytes, size_t size, hsd_rewrite_fn replace, void *context)
{
    return rewritten_labels_of(bytes, size, replace, NULL, context);
}

rewritten rewritten_labels_of(const void *bytes, size_t size, hsd_rewrite_fn replace, hsd_rewrite_label_fn label,
                              void *context)
{
    rewritten r = {.size = 0};
    memfile in = memfile_of(bytes, size), out = memfile_of("", 0);
    const int in_fd = open(in.path, O_RDONLY | O_CLOEXEC), out_fd = open(out.path, O_WRONLY | O_CLOEXEC);
    cr_assert(in_fd >= 0 && out_fd >= 0);
    hsd_error_init(&r.err);
    r.status = hsd_rewrite_labels(in_fd, out_fd, replace, label, context, NULL, &r.result, &r.err);
    close(in_fd);
    close(out_fd);
    r.bytes = memfile_read_all(out.path, &r.size);
    memfile_close(&in);
    memfile_close(&out);
    return r;
}

void rewritten_free(rewritten *r)
{
    free(r->bytes);
    *r = (rewritten){.size = 0};
}

static hsd_status gather(void *context, const char *bytes, size_t size, hsd_error *err)
{
    return hsd_buffer_append(context, bytes, size, err);
}

char *text_of_capture(const void *bytes, size_t size, hsd_damage damage)
{
    hsd_buffer text = {0};
    hsd_capture *capture;
    hsd_error err;
    memfile file = memfile_of(bytes, size);
    hsd_status status = hsd_capture_open(&capture, file.path, damage, NULL, &err);
    if (status == HSD_OK) {
        status = hsd_capture_dump(capture, gather, &text, &err);
        if (status == HSD_OK) status = hsd_buffer_append(&text, "", 1, &err);
        hsd_capture_close(capture);
    }
    memfile_close(&file);
    if (status == HSD_OK) return (char *)text.data;
    hsd_buffer_release(&text);
    return NULL;
}

uint64_t faults_of_capture(const void *bytes, size_t size)
{
    hsd_verify_result verified;
    hsd_error err;
    memfile file = memfile_of(bytes, size);
    const hsd_status status = hsd_capture_verify(file.path, NULL, NULL, NULL, &verified, &err);
    memfile_close(&file);
    return status == HSD_OK ? verified.faults : UINT64_MAX;
}

static bool begins(const char *line, const char *word) { return strncmp(line, word, strlen(word)) == 0; }

/* Bytes of an escaped text, up to its closing quote. */
static size_t count_bytes(const char *at)
{
    size_t count = 0;
    for (; *at != '"'; count++)
        at += *at != '\\' ? 1 : at[1] == 'x' ? 4 : 2;
    return count;
}

char *mark_names(const char *text, const char *mark)
{
    hsd_buffer out = {0};
    const char *const text_end = text + strlen(text);
    for (const char *line = text; *line != '\0';) {
        const char *end =
            (const char *)memchr(line, '\n', (size_t)(text_end - line)) + 1; /* strchr() is held to look at all of it */
        const char *quote = memchr(line, '"', (size_t)(end - line));
        const char *cut = line; /* what is copied up to */
        const bool has_room = quote != NULL && count_bytes(quote + 1) < HSC_MAX_TEXT_BYTES;
        if ((begins(line, "string ") || begins(line, "type ")) && has_room) {
            hsd_buffer_append(&out, line, (size_t)(quote + 1 - line), NULL);
            hsd_buffer_append(&out, mark, strlen(mark), NULL);
            cut = quote + 1;
        }
        const char *blocks = begins(line, "read ") ? strstr(line, " blocks=") : NULL;
        if (blocks != NULL) {
            hsd_buffer_append(&out, cut, (size_t)(blocks - cut), NULL);
        } else if (!begins(line, "end 10 ")) {
            hsd_buffer_append(&out, cut, (size_t)(end - cut), NULL);
        }
        line = end;
    }
    cr_assert_eq(hsd_buffer_append(&out, "", 1, NULL), HSD_OK);
    return (char *)out.data;
}
