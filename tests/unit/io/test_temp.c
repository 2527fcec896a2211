/* Temporary files: nameless, counted, and failing with words that help. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/pages.h"
#include "base/worker.h"
#include "io/temp.h"
#include "support/fault.h"
#include "support/random.h"
#include "unit/io/scratch.h"

TestSuite(temp, .init = scratch_make, .fini = scratch_remove);

static hsd_temp_space space;

static void open_temp(hsd_temp *temp)
{
    hsd_temp_space_init(&space, scratch);
    cr_assert_eq(hsd_temp_open(temp, &space, NULL), HSD_OK);
}

static void check_private(const hsd_temp *temp)
{
    struct stat info;
    cr_assert_eq(fstat(temp->fd, &info), 0);
    cr_assert_eq(info.st_mode & 07777, 0600);
    cr_assert_eq(info.st_nlink, 0);
    cr_assert_eq(fcntl(temp->fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    cr_assert_eq(scratch_count(), 0);
}

Test(temp, has_no_name_and_no_other_readers)
{
    hsd_temp temp;
    open_temp(&temp);
    check_private(&temp);
    hsd_temp_close(&temp);
}

Test(temp, is_nameless_too_where_o_tmpfile_is_unknown)
{
    hsd_temp temp;
    hsd_temp_space_init(&space, scratch);
    hsd_fault_reset();
    hsd_fault_arm(HSD_FAULT_OPEN, 1, false, EOPNOTSUPP);
    cr_assert_eq(hsd_temp_open(&temp, &space, NULL), HSD_OK);
    cr_assert(space.has_no_tmpfile);
    check_private(&temp);
    hsd_temp_close(&temp);
    cr_assert_eq(hsd_temp_open(&temp, &space, NULL), HSD_OK);
    cr_assert_eq(hsd_fault_calls(HSD_FAULT_OPEN), 3, "the refusal is remembered");
    hsd_fault_reset();
    check_private(&temp);
    hsd_temp_close(&temp);
}

Test(temp, reads_back_what_was_written_anywhere)
{
    hsd_temp temp;
    open_temp(&temp);
    uint8_t data[10000], back[10000];
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)(i * 31);
    cr_assert_eq(hsd_temp_write(&temp, 5000, data, sizeof data, NULL), HSD_OK);
    cr_assert_eq(hsd_temp_write(&temp, 0, data, 5000, NULL), HSD_OK);
    cr_assert_eq(hsd_temp_write(&temp, 3, data, 0, NULL), HSD_OK);
    cr_assert_eq(hsd_temp_read(&temp, 5000, back, sizeof back, NULL), HSD_OK);
    cr_assert_eq(memcmp(data, back, sizeof data), 0);
    cr_assert_eq(temp.size_bytes, 15000);
    hsd_temp_close(&temp);
}

Test(temp, the_space_counts_now_peak_and_all)
{
    hsd_temp one, two;
    open_temp(&one);
    cr_assert_eq(hsd_temp_open(&two, &space, NULL), HSD_OK);
    uint8_t data[1000] = {0};
    hsd_temp_write(&one, 0, data, 1000, NULL);
    hsd_temp_write(&one, 0, data, 500, NULL);
    hsd_temp_write(&two, 0, data, 300, NULL);
    cr_assert(space.bytes_now == 1300 && space.bytes_peak == 1300 && space.bytes_written == 1800);
    hsd_temp_close(&one);
    cr_assert(space.bytes_now == 300 && space.bytes_peak == 1300);
    hsd_temp_close(&one);
    hsd_temp_close(&two);
    cr_assert_eq(space.bytes_now, 0);
    hsd_temp zeroed = {0};
    hsd_temp_close(&zeroed);
    cr_assert_neq(fcntl(0, F_GETFD), -1, "a zeroed temp owns no descriptor 0");
}

Test(temp, reading_past_the_end_is_corrupt)
{
    hsd_temp temp;
    hsd_error err;
    hsd_error_init(&err);
    open_temp(&temp);
    uint8_t data[100] = {0};
    hsd_temp_write(&temp, 0, data, 60, NULL);
    cr_assert_eq(hsd_temp_read(&temp, 0, data, 100, &err), HSD_E_CORRUPT);
    cr_assert_eq(err.offset_bytes, 60);
    cr_assert_str_eq(err.text, "a temporary file ends 40 bytes too early");
    hsd_temp_close(&temp);
}

Test(temp, a_folder_that_is_not_there_is_named)
{
    hsd_temp temp;
    hsd_error err;
    hsd_error_init(&err);
    const char *folder = scratch_path("missing");
    hsd_temp_space_init(&space, folder);
    cr_assert_eq(hsd_temp_open(&temp, &space, &err), HSD_E_IO);
    cr_assert_eq(err.sys_errno, ENOENT);
    cr_assert_str_eq(err.file, folder);
    cr_assert_not_null(strstr(err.hint, "--temp-dir"));
    hsd_temp_close(&temp);
    space.has_no_tmpfile = true;
    cr_assert_eq(hsd_temp_open(&temp, &space, &err), HSD_E_IO);
    char wide[8000];
    memset(wide, 'd', sizeof wide - 1);
    wide[sizeof wide - 1] = '\0';
    hsd_temp_space_init(&space, wide);
    space.has_no_tmpfile = true;
    cr_assert_eq(hsd_temp_open(&temp, &space, &err), HSD_E_IO);
    cr_assert_eq(err.sys_errno, ENAMETOOLONG);
}

Test(temp, short_counts_and_signals_are_repeated)
{
    hsd_temp temp;
    open_temp(&temp);
    uint8_t data[5000], back[5000] = {0};
    memset(data, 0x42, sizeof data);
    hsd_fault_reset();
    hsd_fault_arm_short(HSD_FAULT_PWRITE, 1, true);
    cr_assert_eq(hsd_temp_write(&temp, 0, data, sizeof data, NULL), HSD_OK);
    cr_assert_gt(hsd_fault_calls(HSD_FAULT_PWRITE), 5);
    hsd_fault_reset();
    hsd_fault_arm_short(HSD_FAULT_PREAD, 1, true);
    cr_assert_eq(hsd_temp_read(&temp, 0, back, sizeof back, NULL), HSD_OK);
    hsd_fault_reset();
    cr_assert_eq(memcmp(data, back, sizeof data), 0);
    hsd_fault_arm(HSD_FAULT_PWRITE, 1, false, EINTR);
    cr_assert_eq(hsd_temp_write(&temp, 0, data, sizeof data, NULL), HSD_OK);
    hsd_fault_arm(HSD_FAULT_PREAD, 1, false, EINTR);
    cr_assert_eq(hsd_temp_read(&temp, 0, back, sizeof back, NULL), HSD_OK);
    hsd_fault_reset();
    hsd_temp_close(&temp);
}

Test(temp, errors_of_the_disk_come_back_in_words)
{
    hsd_temp temp;
    hsd_error err;
    hsd_error_init(&err);
    open_temp(&temp);
    hsd_fault_reset();
    hsd_fault_arm(HSD_FAULT_PWRITE, 1, true, EIO);
    cr_assert_eq(hsd_temp_write(&temp, 0, "abc", 3, &err), HSD_E_IO);
    cr_assert(err.sys_errno == EIO && err.hint[0] == '\0');
    cr_assert_eq(temp.size_bytes, 0);
    hsd_fault_arm(HSD_FAULT_PREAD, 1, true, EIO);
    char back[3];
    cr_assert_eq(hsd_temp_read(&temp, 0, back, 3, &err), HSD_E_IO);
    hsd_fault_reset();
    cr_assert_str_eq(err.text, "cannot read a temporary file: Input/output error");
    hsd_temp_close(&temp);
}

Test(temp, a_full_disk_hints_at_another_folder)
{
    hsd_temp temp;
    hsd_error err;
    hsd_error_init(&err);
    if (!scratch_limit(64)) cr_skip_test("mounting a small file system is not allowed here");
    open_temp(&temp);
    uint8_t *data = calloc(1, 1 << 20);
    cr_assert_eq(hsd_temp_write(&temp, 0, data, 1 << 20, &err), HSD_E_IO);
    cr_assert_eq(err.sys_errno, ENOSPC);
    cr_assert_not_null(strstr(err.hint, "--temp-dir"));
    free(data);
    hsd_temp_close(&temp);
}

Test(temp, a_file_that_is_not_open_is_misuse)
{
    hsd_temp temp = {0};
    char byte = 0;
    cr_assert_eq(hsd_temp_write(&temp, 0, &byte, 1, NULL), HSD_E_MISUSE);
    cr_assert_eq(hsd_temp_read(&temp, 0, &byte, 1, NULL), HSD_E_MISUSE);
    open_temp(&temp);
    cr_assert_eq(hsd_temp_write(&temp, UINT64_MAX, &byte, 1, NULL), HSD_E_MISUSE);
    cr_assert_eq(hsd_temp_read(&temp, UINT64_MAX - 1, &byte, 1, NULL), HSD_E_MISUSE);
    hsd_temp_close(&temp);
}

typedef struct stripe {
    hsd_temp *temp;
    uint64_t first;
} stripe;

static hsd_status write_stripe(void *context, hsd_error *err)
{
    const stripe *s = context;
    uint8_t block[512];
    memset(block, (int)s->first + 1, sizeof block);
    for (uint64_t i = s->first; i < 600; i += 3)
        HSD_TRY(hsd_temp_write(s->temp, i * 512, block, 512, err));
    return HSD_OK;
}

Test(temp, threads_may_write_distinct_ranges)
{
    hsd_temp temp;
    open_temp(&temp);
    hsd_worker workers[3];
    stripe stripes[3];
    for (uint64_t i = 0; i < 3; i++) {
        stripes[i] = (stripe){&temp, i};
        hsd_worker_begin(&workers[i], write_stripe, &stripes[i], false);
    }
    for (int i = 0; i < 3; i++)
        cr_assert_eq(hsd_worker_finish(&workers[i], NULL), HSD_OK);
    cr_assert(temp.size_bytes == 600 * 512 && space.bytes_now == 600 * 512);
    cr_assert_eq(space.bytes_peak, 600 * 512);
    uint8_t block[512];
    for (uint64_t i = 0; i < 600; i++) {
        cr_assert_eq(hsd_temp_read(&temp, i * 512, block, 512, NULL), HSD_OK);
        cr_assert(block[0] == i % 3 + 1 && block[511] == i % 3 + 1);
    }
    hsd_temp_close(&temp);
}

Test(temp, the_folder_follows_the_rule)
{
    hsd_temp_space_init(&space, "/given");
    cr_assert_str_eq(space.directory, "/given");
    setenv("TMPDIR", "/from/environment", 1);
    hsd_temp_space_init(&space, NULL);
    cr_assert_str_eq(space.directory, "/from/environment");
    setenv("TMPDIR", "", 1);
    hsd_temp_space_init(&space, NULL);
    cr_assert(strcmp(space.directory, "/var/tmp") == 0 || strcmp(space.directory, "/tmp") == 0);
}

/* ---- a run with secrets ---- */

static hsd_crypt *begin_secrets(hsd_temp *temp)
{
    hsd_crypt *crypt = NULL;
    cr_assert_eq(hsd_crypt_new(&crypt, NULL), HSD_OK);
    crypt->has_opened = true;
    hsd_temp_space_of(&space, &(hsd_run){.temp_dir = scratch, .crypt = crypt});
    cr_assert_eq(hsd_temp_open(temp, &space, NULL), HSD_OK);
    cr_assert(temp->is_secret);
    return crypt;
}

Test(temp, of_a_run_with_secrets_has_nothing_in_clear)
{
    enum { SIZE = 200003 };
    static uint8_t model[SIZE], got[SIZE];
    test_random random = {test_seed(7)};
    hsd_temp temp;
    hsd_crypt *crypt = begin_secrets(&temp);
    for (unsigned i = 0; i < 400; i++) { /* at any place, over what was there */
        const size_t at = test_below(&random, SIZE), left = SIZE - at;
        const size_t size = test_below(&random, i % 8 == 0 ? left : left % 300 + 1);
        for (size_t k = 0; k < size; k++)
            model[at + k] = (uint8_t)(i + 1);
        cr_assert_eq(hsd_temp_write(&temp, at, model + at, size, NULL), HSD_OK);
    }
    cr_assert_eq(hsd_temp_write(&temp, 0, model, SIZE, NULL), HSD_OK);
    for (unsigned i = 0; i < 400; i++) {
        const size_t at = test_below(&random, SIZE), size = test_below(&random, SIZE - at);
        cr_assert_eq(hsd_temp_read(&temp, at, got, size, NULL), HSD_OK);
        cr_assert_arr_eq(got, model + at, size);
    }
    cr_assert_eq(pread(temp.fd, got, SIZE, 0), SIZE);
    size_t same = 0;
    for (size_t i = 0; i < SIZE; i++)
        same += got[i] == model[i];
    cr_expect_lt(same, SIZE / 100, "%zu of %d bytes are as they were given", same, SIZE); /* 1 of 256 by chance */
    hsd_temp_close(&temp);
    hsd_crypt_free(crypt);
}

Test(temp, each_file_has_a_key_of_its_own)
{
    static const uint8_t text[64];
    uint8_t one[64], other[64];
    hsd_temp first, second;
    hsd_crypt *crypt = begin_secrets(&first);
    cr_assert_eq(hsd_temp_open(&second, &space, NULL), HSD_OK);
    cr_assert_eq(hsd_temp_write(&first, 0, text, sizeof text, NULL), HSD_OK);
    cr_assert_eq(hsd_temp_write(&second, 0, text, sizeof text, NULL), HSD_OK);
    cr_assert_eq(pread(first.fd, one, sizeof one, 0), (ssize_t)sizeof one);
    cr_assert_eq(pread(second.fd, other, sizeof other, 0), (ssize_t)sizeof other);
    cr_expect_neq(memcmp(one, other, sizeof one), 0);
    hsd_temp_close(&first);
    hsd_temp_close(&second);
    hsd_crypt_free(crypt);
}

Test(temp, is_as_it_is_where_there_is_no_secret)
{
    static const char text[] = "as it is";
    char got[sizeof text];
    hsd_temp temp;
    hsd_crypt *crypt = NULL;
    cr_assert_eq(hsd_crypt_new(&crypt, NULL), HSD_OK);
    hsd_temp_space_of(&space, &(hsd_run){.temp_dir = scratch, .crypt = crypt});
    cr_assert_eq(hsd_temp_open(&temp, &space, NULL), HSD_OK);
    cr_assert_eq(hsd_temp_write(&temp, 0, text, sizeof text, NULL), HSD_OK);
    cr_assert_eq(pread(temp.fd, got, sizeof got, 0), (ssize_t)sizeof got);
    cr_expect_str_eq(got, text);
    hsd_temp_close(&temp);
    hsd_crypt_free(crypt);
}

/* What is in the file stands there, what is written stays here, and where it cannot be had nothing has changed. */
Test(temp, puts_what_is_in_the_file_where_pages_are)
{
    enum { BYTES = 40 * 4096 };
    static unsigned char text[BYTES];
    unsigned char byte = 5;
    hsd_temp_space of_file;
    hsd_temp file;
    hsd_pages pages;
    hsd_error err;
    hsd_temp_space_init(&of_file, NULL);
    for (int i = 0; i < BYTES; i++)
        text[i] = (unsigned char)(i % 251);
    cr_assert_eq(hsd_temp_open(&file, &of_file, &err), HSD_OK);
    cr_assert_eq(hsd_temp_write(&file, 0, text, BYTES, &err), HSD_OK);
    cr_assert(hsd_pages_take(&pages, BYTES + 4096));
    unsigned char *data = pages.data;
    cr_assert_eq(hsd_pages_put_file(data, BYTES, -1), 0);
    cr_assert_eq(hsd_pages_put_file(data, BYTES + 4096, file.fd), 0, "the file is shorter than that");
    file.is_secret = true;
    cr_assert_eq(hsd_temp_put(&file, data, BYTES), 0);
    file.is_secret = false;
    for (size_t i = 0; i < pages.size; i++)
        cr_assert_eq(data[i], 0);
    const size_t put = hsd_temp_put(&file, data, BYTES - 100);
    cr_assert(put <= BYTES - 100 && put % 4096 == 0); /* 0: an old kernel */
    for (size_t i = 0; i < pages.size; i++)
        cr_assert_eq(data[i], i < put ? i % 251 : 0);
    data[7] = 99;
    cr_assert_eq(hsd_temp_read(&file, 7, &byte, 1, &err), HSD_OK);
    cr_assert_eq(byte, 7);
    hsd_pages_give(&pages);
    hsd_temp_close(&file);
}
