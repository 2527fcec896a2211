/*
 * What redaction reads: keys, texts and previews of any bytes, captures, and reports whose pseudonyms are turned back.
 * A text is redacted alike each time, within its bounds, and allocates as it did; what was redacted is a capture that
 * can be redacted again; an unredacted report without its names is the report.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/allocators.h"
#include "core/layout.h"
#include "redact/key.h"
#include "redact/values.h"
#include "support/memfile.h"
#include "support/reseal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const hsd_redact_key key = {.bytes = {1, 2, 3, 4}};

static void check_key(hsd_text text)
{
    hsd_redact_key read;
    hsd_error err;
    hsd_error_init(&err);
    if (hsd_redact_key_parse(&read, text.data, text.size, &err) != HSD_OK &&
        (err.status != HSD_E_NOT_THIS_FORMAT || err.offset_bytes > text.size))
        abort();
}

static void check_text(hsd_renamer *r, hsd_text text)
{
    static char first[HSD_RENAME_RESULT_BYTES + 1];
    hsd_text made;
    if (hsd_rename_text(r, text, &made, NULL) != HSD_OK) return;
    if (made.size > HSD_RENAME_RESULT_BYTES || (made.size == 0) != (text.size == 0)) abort();
    if (made.size > 0) memcpy(first, made.data, made.size);
    first[made.size] = '\0';
    char *given = malloc(text.size + 1);
    if (given != NULL) {
        memcpy(given, text.data, text.size);
        given[text.size] = '\0';
        if (hsd_function_allocates(given) != hsd_function_allocates(first)) abort();
        free(given);
    }
    const size_t size = made.size;
    if (hsd_rename_text(r, text, &made, NULL) == HSD_OK && (made.size != size || memcmp(first, made.data, size) != 0))
        abort();
    hsd_rename_product(r, text, &made, NULL);
}

static void check_preview(hsd_renamer *r, hsd_text text)
{
    hsd_buffer out = {0};
    if (text.size > HSC_MAX_VALUE_BYTES) text.size = HSC_MAX_VALUE_BYTES;
    if (hsd_rename_preview(r, text, &out, NULL) == HSD_OK && out.size > HSC_MAX_VALUE_BYTES) abort();
    hsd_buffer_release(&out);
}

/* The copy, to be freed; NULL where there is none. */
static uint8_t *redacted(const uint8_t *data, size_t size, size_t *copied)
{
    hsd_error err;
    uint8_t *bytes = NULL;
    memfile in = memfile_of(data, size), out = memfile_of("", 0);
    const int fd = open(out.path, O_WRONLY | O_CLOEXEC);
    hsd_error_init(&err);
    if (hsd_redact(in.fd, fd, &key, NULL, NULL, NULL, &err) == HSD_OK) {
        bytes = memfile_read_all(out.path, copied);
    } else if (err.text[0] == '\0') {
        abort();
    }
    close(fd);
    memfile_close(&in);
    memfile_close(&out);
    return bytes;
}

static hsd_status count_bytes(void *context, const void *data, size_t size, hsd_error *err)
{
    (void)data, (void)err;
    *(size_t *)context += size;
    return HSD_OK;
}

static void check_report(const uint8_t *report, size_t report_size, const uint8_t *capture, size_t size)
{
    memfile in = memfile_of(capture, size);
    hsd_unredact_result result = {0};
    size_t written = 0;
    hsd_error err;
    hsd_error_init(&err);
    const hsd_status status =
        hsd_unredact((const char *)report, report_size, &in.fd, 1, &key, NULL, count_bytes, &written, &result, &err);
    if (status == HSD_OK && result.changed == 0 && written != report_size) abort();
    if (status != HSD_OK && err.text[0] == '\0') abort();
    memfile_close(&in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t first_size, second_size;
    hsd_renamer renamer;
    if (size < 8) return 0;
    uint8_t *bytes = malloc(size);
    if (bytes == NULL) return 0;
    memcpy(bytes, data, size);
    hsd_renamer_init(&renamer, &key, NULL, 0);
    const hsd_text text = {(const char *)bytes, size < HSC_MAX_TEXT_BYTES ? size : HSC_MAX_TEXT_BYTES};
    check_key(text);
    check_text(&renamer, text);
    check_preview(&renamer, text);
    hsd_renamer_release(&renamer);
    if (data[size / 2] % 2 != 0) reseal(bytes, size);
    uint8_t *first = redacted(bytes, size, &first_size);
    if (first != NULL) {
        uint8_t *second = redacted(first, first_size, &second_size);
        if (second == NULL) abort();
        check_report(first, first_size, bytes, size); /* stored blocks have the pseudonyms as they are */
        free(second);
    }
    free(first);
    free(bytes);
    return 0;
}
