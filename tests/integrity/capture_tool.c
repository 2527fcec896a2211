/*
 * What a script needs of the library, one call each:
 *
 *      capture_tool dump FILE              the text form on standard output
 *      capture_tool partial FILE           the same of what is intact
 *      capture_tool salvage FILE OUT
 *      capture_tool verify FILE            one line a fault: RULE OFFSET TEXT
 *
 * Exit status: 0; 1 when verify found faults; 3 when the library refused, with its sentence on standard error.
 */
#include <stdio.h>
#include <string.h>

#include <hsdiff/dump.h>

static hsd_status put(void *context, const char *bytes, size_t size, hsd_error *err)
{
    (void)context;
    return fwrite(bytes, 1, size, stdout) == size ? HSD_OK : hsd_fail(err, HSD_E_IO, "cannot write");
}

static void tell(void *context, const char *rule, uint64_t offset_bytes, uint64_t block, const char *text)
{
    (void)context, (void)block;
    printf("%s %llu %s\n", rule, (unsigned long long)offset_bytes, text);
}

static hsd_status dump(const char *path, hsd_damage damage, hsd_error *err)
{
    hsd_capture *capture;
    HSD_TRY(hsd_capture_open(&capture, path, damage, NULL, err));
    const hsd_status status = hsd_capture_dump(capture, put, NULL, err);
    hsd_capture_close(capture);
    return status;
}

int main(int argc, char **argv)
{
    hsd_error err;
    hsd_status status = HSD_E_MISUSE;
    hsd_verify_result verified = {0};
    hsd_error_init(&err);
    hsd_fail(&err, status, "usage: capture_tool dump|partial|verify FILE | salvage FILE OUT");
    const char *command = argc > 2 ? argv[1] : "";
    if (strcmp(command, "dump") == 0) status = dump(argv[2], HSD_DAMAGE_REFUSE, &err);
    if (strcmp(command, "partial") == 0) status = dump(argv[2], HSD_DAMAGE_SKIP, &err);
    if (strcmp(command, "verify") == 0) status = hsd_capture_verify(argv[2], NULL, tell, NULL, &verified, &err);
    if (strcmp(command, "salvage") == 0 && argc > 3)
        status = hsd_capture_salvage(argv[2], argv[3], true, NULL, NULL, &err);
    if (status != HSD_OK) {
        fprintf(stderr, "%s: %s\n", err.file, err.text);
        return 3;
    }
    return verified.faults > 0;
}
