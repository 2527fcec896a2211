/*
 * Filling an hsd_error. Nothing here allocates, so that the story of a failed allocation can be
 * told; sentences too long for the struct are cut. The text is built beside the error first, because
 * callers like to wrap: hsd_fail(err, s, "reading the index: %s", err->text).
 */
#include <hsdiff/status.h>

#include <stdio.h>
#include <string.h>

static void copy_text(char *to, size_t size, const char *from)
{
    const size_t length = strnlen(from, size - 1);
    memcpy(to, from, length);
    to[length] = '\0';
}

void hsd_error_init(hsd_error *err)
{
    if (err == NULL) return;
    memset(err, 0, sizeof *err);
    err->offset_bytes = HSD_NO_OFFSET;
}

__attribute__((format(printf, 5, 0))) static void fill(hsd_error *err, hsd_status status, int sys_errno,
                                                       uint64_t offset_bytes, const char *format, va_list args)
{
    char text[sizeof err->text];
    if (vsnprintf(text, sizeof text, format, args) < 0) text[0] = '\0';
    if (sys_errno != 0) {
        char reason[128];
        if (strerror_r(sys_errno, reason, sizeof reason) != 0) snprintf(reason, sizeof reason, "error %d", sys_errno);
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, ": %s", reason);
    }
    err->status = status;
    err->sys_errno = sys_errno;
    err->offset_bytes = offset_bytes;
    err->hint[0] = '\0';
    copy_text(err->text, sizeof err->text, text);
}

hsd_status hsd_fail(hsd_error *err, hsd_status status, const char *format, ...)
{
    if (err == NULL) return status;
    va_list args;
    va_start(args, format);
    fill(err, status, 0, HSD_NO_OFFSET, format, args);
    va_end(args);
    return status;
}

hsd_status hsd_fail_at(hsd_error *err, hsd_status status, uint64_t offset_bytes, const char *format, ...)
{
    if (err == NULL) return status;
    va_list args;
    va_start(args, format);
    fill(err, status, 0, offset_bytes, format, args);
    va_end(args);
    return status;
}

hsd_status hsd_fail_errno(hsd_error *err, int sys_errno, const char *format, ...)
{
    if (err == NULL) return HSD_E_IO;
    va_list args;
    va_start(args, format);
    fill(err, HSD_E_IO, sys_errno, HSD_NO_OFFSET, format, args);
    va_end(args);
    return HSD_E_IO;
}

void hsd_error_set_file(hsd_error *err, const char *file)
{
    if (err == NULL || file == NULL || err->file[0] != '\0') return;
    copy_text(err->file, sizeof err->file, file);
}

void hsd_error_set_hint(hsd_error *err, const char *format, ...)
{
    if (err == NULL) return;
    char hint[sizeof err->hint];
    va_list args;
    va_start(args, format);
    if (vsnprintf(hint, sizeof hint, format, args) < 0) hint[0] = '\0';
    va_end(args);
    copy_text(err->hint, sizeof err->hint, hint);
}

const char *hsd_status_name(hsd_status status)
{
    switch (status) {
    case HSD_OK: return "ok";
    case HSD_END: return "end";
    case HSD_E_IO: return "io";
    case HSD_E_NOMEM: return "no_memory";
    case HSD_E_NOT_THIS_FORMAT: return "not_this_format";
    case HSD_E_TOO_NEW: return "too_new";
    case HSD_E_CORRUPT: return "corrupt";
    case HSD_E_TRUNCATED: return "truncated";
    case HSD_E_OVER_BUDGET: return "over_budget";
    case HSD_E_UNSUPPORTED: return "unsupported";
    case HSD_E_CANCELLED: return "cancelled";
    case HSD_E_MISUSE: return "misuse";
    case HSD_E_NOT_FOUND: return "not_found";
    }
    return "unknown";
}
