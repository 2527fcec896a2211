/* Two captures or heap dumps of any runtime: how much grew, and what holds most of it. */
#include <stdio.h>

#include <hsdiff/diff.h>
#include <hsdiff/open.h>
#include <hsdiff/report.h>

int main(int argc, char **argv)
{
    hsd_capture *before = NULL, *after = NULL;
    hsd_diff *diff = NULL;
    hsd_error err;
    hsd_error_init(&err);
    if (argc != 3) {
        fprintf(stderr, "usage: diff BEFORE AFTER\n");
        return 2;
    }
    if (hsd_open(&before, argv[1], NULL, NULL, NULL, &err) == HSD_OK &&
        hsd_open(&after, argv[2], NULL, NULL, NULL, &err) == HSD_OK &&
        hsd_diff_run(&diff, before, after, NULL, NULL, &err) == HSD_OK) {
        char growth[HSD_NUMBER_CHARS];
        printf("the live heap grew by %s\n", hsd_format_bytes_signed(growth, hsd_change_bytes(&diff->total)));
        if (diff->holder_count > 0)
            printf("%s of it hangs from %s\n", hsd_format_bytes_signed(growth, diff->holders[0].growth_bytes),
                   diff->holders[0].root.data);
    } else {
        fprintf(stderr, "%s: %s\n%s\n", err.file, err.text, err.hint);
    }
    const int status = diff != NULL ? 0 : 1;
    hsd_diff_free(diff);
    hsd_capture_close(before);
    hsd_capture_close(after);
    return status;
}
