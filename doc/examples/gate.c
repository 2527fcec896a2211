/*
 * A leak gate in a test of one's own: the rules that are built in, as `hsdiff check` has them. Ends with the status of
 * that command: 0 passed, 1 a rule failed, 2 an error, 3 the captures cannot be judged.
 */
#include <stdio.h>
#include <time.h>

#include <hsdiff/check.h>
#include <hsdiff/open.h>

static void tell(const hsd_check *check)
{
    for (size_t i = 0; i < check->problem_count; i++)
        printf("cannot be judged: %s\n", check->problems[i].data);
    for (size_t i = 0; i < check->row_count; i++)
        if (check->rows[i].outcome == HSD_CHECK_FAIL) printf("failed: %s\n", check->rows[i].rule->name.data);
}

int main(int argc, char **argv)
{
    hsd_capture *before = NULL, *after = NULL;
    hsd_diff *diff = NULL;
    hsd_check_config *config = NULL;
    hsd_check *check = NULL;
    hsd_check_options options = HSD_OPTIONS_INIT(hsd_check_options);
    hsd_error err;
    int status = 2;
    options.today = (int32_t)(time(NULL) / 86400); /* allowances run out */
    hsd_error_init(&err);
    if (argc != 3) {
        fprintf(stderr, "usage: gate BEFORE AFTER\n");
        return 2;
    }
    if (hsd_open(&before, argv[1], NULL, NULL, NULL, &err) == HSD_OK &&
        hsd_open(&after, argv[2], NULL, NULL, NULL, &err) == HSD_OK &&
        hsd_diff_run(&diff, before, after, NULL, NULL, &err) == HSD_OK &&
        hsd_check_config_default(&config, false, &err) == HSD_OK &&
        hsd_check_run(&check, config, diff, NULL, &options, &err) == HSD_OK) {
        tell(check);
        status = hsd_check_exit(check);
    } else {
        fprintf(stderr, "%s: %s\n", err.file, err.text);
    }
    hsd_check_free(check);
    hsd_check_config_free(config);
    hsd_diff_free(diff);
    hsd_capture_close(before);
    hsd_capture_close(after);
    return status;
}
