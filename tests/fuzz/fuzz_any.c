/*
 * Any file as the command takes it: what it is, its content says; a foreign dump is imported; the capture is held
 * against every rule of FORMAT.md, has the objects and bytes that the import told of, and is asked what is on top and
 * what changed since itself, which is nothing. A file that is a capture already has its checksums made right, and may
 * be refused by any of these. The last byte chooses the options.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hsdiff/diff.h>
#include <hsdiff/import.h>
#include <hsdiff/report.h>
#include <hsdiff/top.h>

#include "support/memfile.h"
#include "support/reseal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(condition, ...)                                                                                          \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: not so: %s: ", __FILE__, __LINE__, #condition);                                    \
            fprintf(stderr, __VA_ARGS__);                                                                              \
            fputc('\n', stderr);                                                                                       \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

/* Below what makes threads. */
static const hsd_run run = {.memory_bytes = UINT64_C(32) << 20, .threads = 1, .temp_dir = "/dev/shm"};

static int open_nothing(void *context, const char *path)
{
    (void)context, (void)path;
    errno = ENOENT;
    return -1;
}

/* What bytes of an input can bring about; anything else is of our own making. */
static bool is_refusal(hsd_status status, const hsd_error *err)
{
    return err->text[0] != '\0' && status < 0 && status != HSD_E_IO && status != HSD_E_NOMEM &&
           status != HSD_E_CANCELLED && status != HSD_E_NOT_FOUND && status != HSD_E_MISUSE;
}

static hsd_status drop(void *context, const void *data, size_t size, hsd_error *err)
{
    (void)context, (void)data, (void)size, (void)err;
    return HSD_OK;
}

/* An imported capture is never refused as damaged. */
static bool is_answered(hsd_status status, bool is_imported, const hsd_error *err)
{
    if (status == HSD_OK) return true;
    CHECK(is_refusal(status, err), "%s: %s", hsd_status_name(status), err->text);
    CHECK(!is_imported || status == HSD_E_OVER_BUDGET || status == HSD_E_UNSUPPORTED, "%s: %s", hsd_status_name(status),
          err->text);
    return false;
}

static void ask_top(hsd_capture *capture, bool is_imported)
{
    hsd_top *top;
    hsd_error err;
    const hsd_top_options options = {.struct_bytes = sizeof options, .objects = 5};
    const hsd_report_options form = {.struct_bytes = sizeof form, .top = HSD_TOP_ALL};
    hsd_error_init(&err);
    if (!is_answered(hsd_top_run(&top, capture, &options, &run, &err), is_imported, &err)) return;
    CHECK(hsd_report_format_find("json")->write_top(top, &form, drop, NULL, &err) == HSD_OK, "%s", err.text);
    hsd_top_free(top);
}

static void ask_diff(hsd_capture *before, hsd_capture *after, bool is_imported)
{
    hsd_diff *diff;
    hsd_error err;
    const hsd_report_options form = {.struct_bytes = sizeof form, .top = HSD_TOP_ALL, .tree = true};
    hsd_error_init(&err);
    if (!is_answered(hsd_diff_run(&diff, before, after, NULL, &run, &err), is_imported, &err)) return;
    CHECK(diff->total.before.objects == diff->total.after.objects &&
              diff->total.before.bytes == diff->total.after.bytes,
          "%llu objects of %llu bytes since themselves, %llu of %llu", (unsigned long long)diff->total.after.objects,
          (unsigned long long)diff->total.after.bytes, (unsigned long long)diff->total.before.objects,
          (unsigned long long)diff->total.before.bytes);
    CHECK(hsd_report_format_find("json")->write_diff(diff, &form, drop, NULL, &err) == HSD_OK, "%s", err.text);
    hsd_diff_free(diff);
}

static hsd_capture *open_again(const char *path, bool is_imported)
{
    hsd_capture *capture;
    hsd_error err;
    hsd_error_init(&err);
    const hsd_status status = hsd_capture_open(&capture, path, HSD_DAMAGE_REFUSE, &run, &err);
    if (status == HSD_OK) return capture;
    CHECK(capture == NULL && !is_imported && is_refusal(status, &err), "%s: %s", hsd_status_name(status), err.text);
    return NULL;
}

static void ask(const char *path, const hsd_import_result *imported)
{
    hsd_capture *one = open_again(path, imported != NULL), *other = open_again(path, imported != NULL);
    if (one != NULL && other != NULL) {
        const hsd_capture_info *info = hsd_capture_get_info(one);
        const uint64_t objects = info->objects - info->pseudo_objects + info->summary_objects,
                       bytes = info->bytes + info->summary_bytes;
        /* what lies outside the heap counts with it, or apart */
        const bool is_same_size =
            imported == NULL || imported->bytes == bytes || imported->bytes == bytes + info->native_bytes;
        CHECK(imported == NULL ||
                  (objects == imported->objects && is_same_size && info->is_complete == imported->is_complete),
              "%s: %llu objects of %llu bytes, and the import told of %llu of %llu", imported->format,
              (unsigned long long)objects, (unsigned long long)bytes, (unsigned long long)imported->objects,
              (unsigned long long)imported->bytes);
        ask_top(one, imported != NULL);
        ask_diff(one, other, imported != NULL);
    }
    hsd_capture_close(one);
    hsd_capture_close(other);
}

static void fail_rule(void *context, const char *rule, uint64_t offset_bytes, uint64_t block, const char *text)
{
    const hsd_import_result *imported = context;
    /* ids are what the dump says */
    if (strcmp(rule, "6.6") == 0 && (strstr(text, "stands there twice") || strstr(text, "the same ") == text)) return;
    CHECK(imported == NULL, "%s: rule %s, byte %llu, block %llu: %s", imported->format, rule,
          (unsigned long long)offset_bytes, (unsigned long long)block, text);
}

static void ask_imported(int fd, hsd_import_result *imported)
{
    char path[64];
    hsd_error err;
    hsd_error_init(&err);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const hsd_status status = hsd_capture_verify(path, &run, fail_rule, imported, NULL, &err);
    CHECK(status == HSD_OK, "%s: %s: %s", imported->format, hsd_status_name(status), err.text);
    ask(path, imported);
}

static void ask_foreign(const memfile *file, unsigned choice)
{
    int fd;
    hsd_error err;
    hsd_import_result imported;
    const hsd_import_options options = {.struct_bytes = sizeof options,
                                        .salvage = (choice & 1) != 0,
                                        .summary_only = (choice & 6) == 6,
                                        .with_values = (choice & 8) != 0,
                                        .dump_number = choice >> 4 & 3,
                                        .open_file = open_nothing};
    hsd_error_init(&err);
    const hsd_status status = hsd_import_temp(file->path, &options, &run, &fd, &imported, &err);
    if (status == HSD_OK) {
        ask_imported(fd, &imported);
        close(fd);
    } else {
        CHECK(is_refusal(status, &err), "%s: %s", hsd_status_name(status), err.text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return 0;
    uint8_t *bytes = malloc(size);
    if (bytes == NULL) return 0;
    memcpy(bytes, data, size);
    const bool is_capture = hsd_capture_probe(bytes, size);
    if (is_capture && data[size / 2] % 4 != 0) reseal(bytes, size);
    memfile file = memfile_of(bytes, size);
    if (is_capture)
        ask(file.path, NULL);
    else
        ask_foreign(&file, data[size - 1]);
    memfile_close(&file);
    free(bytes);
    return 0;
}
