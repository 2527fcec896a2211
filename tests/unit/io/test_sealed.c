/* Encrypted files: those of age and our own, read at any place, and what is said of each that is damaged. */
#include "io/sealed.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "io/output.h"
#include "io/pump.h"
#include "support/age_samples.h"
#include "support/random.h"
#include "unit/io/scratch.h"

static hsd_crypt *crypt;
static hsd_error err;
static hsd_buffer file;

static void set_up(void)
{
    hsd_error_init(&err);
    cr_assert_eq(hsd_crypt_new(&crypt, &err), HSD_OK);
    cr_assert_eq(hsd_crypt_take_identities(crypt, AGE_IDENTITY, strlen(AGE_IDENTITY), &err), HSD_OK);
    cr_assert_eq(hsd_crypt_add_recipients(crypt, AGE_RECIPIENT, &err), HSD_OK);
    file = (hsd_buffer){0};
}

static void tear_down(void)
{
    hsd_crypt_free(crypt);
    hsd_buffer_release(&file);
}

TestSuite(sealed, .init = set_up, .fini = tear_down);

static hsd_status read_stored(void *context, uint64_t offset, void *data, size_t size, hsd_error *e)
{
    const hsd_buffer *stored = context;
    cr_assert(offset <= stored->size && size <= stored->size - offset);
    (void)e;
    memcpy(data, stored->data + offset, size);
    return HSD_OK;
}

static hsd_status write_stored(void *context, const void *data, size_t size, hsd_error *e)
{
    return hsd_buffer_append(context, data, size, e);
}

static uint8_t byte_at(uint64_t place) { return (uint8_t)(place * 31 + place / 251 + place / 65536); }

/* `size` bytes, sealed into `file` in pieces of odd sizes. */
static void seal_bytes(size_t size)
{
    hsd_sealing sealing;
    uint8_t piece[5003];
    file.size = 0;
    cr_assert_eq(hsd_sealing_begin(&sealing, crypt, false, write_stored, &file, &err), HSD_OK);
    for (size_t at = 0; at < size;) {
        const size_t step = size - at < sizeof piece ? size - at : sizeof piece;
        for (size_t i = 0; i < step; i++)
            piece[i] = byte_at(at + i);
        cr_assert_eq(hsd_sealing_add(&sealing, piece, step, &err), HSD_OK);
        at += step;
    }
    cr_assert_eq(hsd_sealing_finish(&sealing, &err), HSD_OK);
    hsd_sealing_release(&sealing);
    crypt->made_count = 0; /* read as if somebody else had written it */
}

static hsd_status open_stored(hsd_unsealed **out)
{
    hsd_error_init(&err);
    return hsd_unsealed_open(out, read_stored, &file, file.size, crypt, &err);
}

/* Opens it and reads all of it. */
static hsd_status read_all(void)
{
    hsd_unsealed *unsealed = NULL;
    uint8_t piece[4096];
    hsd_status status = open_stored(&unsealed);
    for (uint64_t at = 0; status == HSD_OK && at < hsd_unsealed_size(unsealed); at += sizeof piece) {
        const uint64_t left = hsd_unsealed_size(unsealed) - at;
        status = hsd_unsealed_read(unsealed, at, piece, left < sizeof piece ? (size_t)left : sizeof piece, &err);
    }
    hsd_unsealed_close(unsealed);
    return status;
}

static void expect_fault(hsd_status status, uint64_t offset, const char *words)
{
    cr_expect_eq(read_all(), status, "%d: %s", err.status, err.text);
    cr_expect_eq(err.offset_bytes, offset, "%llu, not %llu: %s", (unsigned long long)err.offset_bytes,
                 (unsigned long long)offset, err.text);
    cr_expect_neq(strstr(err.text, words), NULL, "%s", err.text);
}

static void take_sample(const char *base64)
{
    const size_t chars = strlen(base64), letters = strcspn(base64, "=");
    const size_t size = letters * 3 / 4;
    file.size = 0;
    cr_assert_eq(hsd_buffer_reserve(&file, size, &err), HSD_OK);
    cr_assert(hsd_base64_decode(file.data, size, base64, chars, true));
    file.size = size;
}

Test(sealed, what_age_wrote_is_read)
{
    static const struct {
        const char *file, *text;
    } samples[] = {{AGE_NOTHING, ""}, {AGE_HELLO, "hello"}, {AGE_TWO, "two recipients"}, {AGE_SSH_TOO, "ssh too"}};
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        hsd_unsealed *unsealed = NULL;
        char text[32] = "";
        take_sample(samples[i].file);
        cr_assert_eq(open_stored(&unsealed), HSD_OK, "%s", err.text);
        cr_assert_eq(hsd_unsealed_size(unsealed), strlen(samples[i].text));
        cr_assert_eq(hsd_unsealed_read(unsealed, 0, text, strlen(samples[i].text), &err), HSD_OK);
        cr_expect_str_eq(text, samples[i].text);
        hsd_unsealed_close(unsealed);
    }
}

Test(sealed, is_read_at_any_place)
{
    static const size_t sizes[] = {0, 1, 65535, 65536, 65537, 131072, 400000};
    static uint8_t got[70000];
    test_random random = {test_seed(5)};
    for (size_t n = 0; n < sizeof sizes / sizeof sizes[0]; n++) {
        hsd_unsealed *unsealed = NULL;
        seal_bytes(sizes[n]);
        cr_assert_eq(open_stored(&unsealed), HSD_OK, "%s", err.text);
        cr_assert_eq(hsd_unsealed_size(unsealed), sizes[n]);
        for (unsigned i = 0; i < 60; i++) {
            const size_t at = sizes[n] == 0 ? 0 : test_below(&random, sizes[n]);
            const size_t left = sizes[n] - at, size = left == 0 ? 0 : test_below(&random, left < 70000 ? left : 70000);
            cr_assert_eq(hsd_unsealed_read(unsealed, at, got, size, &err), HSD_OK, "%s", err.text);
            for (size_t k = 0; k < size; k++)
                cr_assert_eq(got[k], byte_at(at + k), "byte %zu of %zu", at + k, sizes[n]);
        }
        cr_expect_eq(hsd_unsealed_read(unsealed, sizes[n], got, 1, &err), HSD_E_TRUNCATED);
        cr_expect_eq(hsd_unsealed_read(unsealed, UINT64_MAX, got, 2, &err), HSD_E_TRUNCATED);
        hsd_unsealed_close(unsealed);
    }
}

Test(sealed, no_byte_can_be_changed_and_none_left_out)
{
    const bool every_bit = getenv("HSD_LONG") != NULL;
    seal_bytes(100);
    const size_t whole = file.size;
    for (size_t i = 0; i < whole; i++)
        for (unsigned bit = 0; bit < 8; bit++) {
            if (!every_bit && bit != i % 8) continue;
            file.data[i] ^= (uint8_t)(1u << bit);
            cr_expect_lt(read_all(), 0, "byte %zu, bit %u", i, bit);
            cr_expect_neq(err.text[0], 0);
            file.data[i] ^= (uint8_t)(1u << bit);
        }
    for (file.size = 0; file.size < whole; file.size++) {
        cr_expect_lt(read_all(), 0, "cut to %zu bytes", file.size);
        cr_expect_neq(err.text[0], 0);
    }
    cr_expect_eq(read_all(), HSD_OK);
    cr_assert_eq(hsd_buffer_append(&file, "x", 1, &err), HSD_OK);
    cr_expect_lt(read_all(), 0, "a byte more");
}

static uint64_t header_bytes(void)
{
    const uint8_t *mac = file.data;
    while (memcmp(mac, "\n--- ", 5) != 0)
        mac++;
    return (uint64_t)((const uint8_t *)memchr(mac + 1, '\n', 64) - file.data) + 1;
}

Test(sealed, each_fault_is_told_with_its_place)
{
    seal_bytes(3 * 65536 + 10);
    const uint64_t header = header_bytes(), payload = header + HSD_AGE_NONCE_BYTES, whole = file.size;
    file.data[payload + HSD_AGE_SEALED_BYTES + 5] ^= 1;
    expect_fault(HSD_E_CORRUPT, payload + HSD_AGE_SEALED_BYTES, "chunk 2 of 4 is damaged");
    file.data[payload + HSD_AGE_SEALED_BYTES + 5] ^= 1;
    file.data[whole - 1] ^= 1;
    expect_fault(HSD_E_TRUNCATED, payload + 3 * HSD_AGE_SEALED_BYTES, "last chunk (4 of 4) is damaged, or");
    file.data[whole - 1] ^= 1;
    file.size = payload + 3 * HSD_AGE_SEALED_BYTES;
    expect_fault(HSD_E_TRUNCATED, file.size, "behind a chunk that is not the last");
    file.size = payload + 3 * HSD_AGE_SEALED_BYTES + 16;
    expect_fault(HSD_E_TRUNCATED, file.size, "at the begin of a chunk");
    file.size = payload + 2 * HSD_AGE_SEALED_BYTES - 1;
    expect_fault(HSD_E_TRUNCATED, payload + HSD_AGE_SEALED_BYTES, "cut short in it");
    file.size = payload;
    expect_fault(HSD_E_TRUNCATED, payload, "before its first chunk");
    file.size = payload - 1;
    expect_fault(HSD_E_TRUNCATED, payload - 1, "behind its header");
    file.size = header - 1;
    expect_fault(HSD_E_TRUNCATED, header - 1, "inside its header");
    file.size = whole;
    memmove(file.data + payload, file.data + payload + HSD_AGE_SEALED_BYTES, HSD_AGE_SEALED_BYTES);
    expect_fault(HSD_E_CORRUPT, payload, "chunk 1 of 4"); /* in another's place */
}

Test(sealed, each_fault_of_the_header_is_told)
{
    take_sample(AGE_TWO);
    const uint64_t header = header_bytes(), mac = header - 44 - 4;
    file.data[mac + 4 + 10] ^= 1;
    expect_fault(HSD_E_CORRUPT, mac + 3, "its MAC is wrong");
    take_sample(AGE_TWO);
    memcpy(file.data + 120, "-> other6", 9); /* the other stanza becomes one of another kind: nobody signed that */
    expect_fault(HSD_E_CORRUPT, mac + 3, "its MAC is wrong");
    take_sample(AGE_TWO);
    file.data[40] = '!';
    expect_fault(HSD_E_CORRUPT, 22, "share of 32 bytes");
    file.data[40] = 7;
    expect_fault(HSD_E_CORRUPT, 40, "no text");
    take_sample(AGE_TWO);
    file.data[20] = '2';
    expect_fault(HSD_E_TOO_NEW, 0, "another version");
    take_sample(AGE_TWO);
    memset(file.data + 32, 'A', 43);
    expect_fault(HSD_E_CORRUPT, 22, "gives its key away");
    memset(file.data, 'x', 21);
    expect_fault(HSD_E_CORRUPT, 0, "its first line");
}

static void make_header(const char *text)
{
    file.size = 0;
    cr_assert_eq(hsd_buffer_append(&file, "age-encryption.org/v1\n", 22, &err), HSD_OK);
    cr_assert_eq(hsd_buffer_append(&file, text, strlen(text), &err), HSD_OK);
}

#define A_MAC "--- AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n0123456789abcdef0123456789abcdef"

Test(sealed, headers_have_one_form)
{
    static char many[HSD_AGE_HEADER_MAX + 4096];
    make_header("-> scrypt bBjlhJVYZeE4aqUdmtRHfw 18\nAAAA\n" A_MAC);
    expect_fault(HSD_E_UNSUPPORTED, HSD_NO_OFFSET, "passphrase");
    make_header("-> ssh-ed25519 x y\nAAAA\n" A_MAC);
    expect_fault(HSD_E_UNSUPPORTED, HSD_NO_OFFSET, "SSH");
    make_header("-> scrypt x 18\nAAAA\n-> x\n\n" A_MAC);
    expect_fault(HSD_E_CORRUPT, 48, "passphrase and other");
    make_header(A_MAC);
    expect_fault(HSD_E_CORRUPT, 22, "no recipient");
    make_header("-> x  y\n\n" A_MAC);
    expect_fault(HSD_E_CORRUPT, 22, "without words");
    make_header("-> x y\nA\n" A_MAC);
    expect_fault(HSD_E_CORRUPT, 29, "no base64");
    make_header("-> X25519 AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\nAAAA\n" A_MAC);
    expect_fault(HSD_E_CORRUPT, 22, "not 32 bytes");
    make_header("-> x\n\n--- AAAA\n");
    expect_fault(HSD_E_CORRUPT, 28, "neither a stanza nor");
    memset(many, 'x', 2000);
    make_header(many);
    expect_fault(HSD_E_CORRUPT, 22, "a line without an end");
    for (size_t at = 0; at + 6 < sizeof many; at += 6)
        memcpy(many + at, "-> x\n\n", 6);
    make_header(many);
    expect_fault(HSD_E_UNSUPPORTED, 22 + 6 * HSD_AGE_STANZAS_MAX, "more than 1024 recipients");
    memset(many, 'A', sizeof many - 1);
    memcpy(many, "-> x\n", 5);
    for (size_t at = 5 + 64; at < sizeof many - 1; at += 65)
        many[at] = '\n';
    make_header(many);
    expect_fault(HSD_E_CORRUPT, HSD_AGE_HEADER_MAX, "does not end within 65536 bytes");
}

Test(sealed, without_an_identity_that_fits_nothing_is_read)
{
    hsd_unsealed *unsealed = NULL;
    take_sample(AGE_HELLO);
    cr_expect_eq(hsd_unsealed_open(&unsealed, read_stored, &file, file.size, NULL, &err), HSD_E_UNSUPPORTED);
    cr_expect_neq(strstr(err.text, "no identity was given"), NULL);
    cr_expect_neq(strstr(err.hint, "--identity"), NULL);
    memset(&crypt->identities[0], 7, sizeof crypt->identities[0]);
    expect_fault(HSD_E_UNSUPPORTED, HSD_NO_OFFSET, "to none of the identities");
}

Test(sealed, what_a_run_wrote_itself_it_reads)
{
    crypt->identity_count = 0;
    seal_bytes(10);
    cr_expect_eq(read_all(), HSD_E_UNSUPPORTED);
    crypt->made_count = 1;
    cr_expect_eq(read_all(), HSD_OK, "%s", err.text);
    hsd_sealing sealing;
    crypt->made_count = 0;
    file.size = 0;
    cr_assert_eq(hsd_sealing_begin(&sealing, crypt, true, write_stored, &file, &err), HSD_OK);
    cr_assert_eq(hsd_sealing_finish(&sealing, &err), HSD_OK);
    hsd_sealing_release(&sealing);
    cr_expect_eq(read_all(), HSD_OK, "%s", err.text);
}

static void *read_on_thread(void *context)
{
    hsd_unsealed *unsealed = context;
    uint8_t got[9000];
    for (size_t at = 0; at < 400000 - sizeof got; at += 7001) {
        if (hsd_unsealed_read(unsealed, at, got, sizeof got, NULL) != HSD_OK) return unsealed;
        for (size_t k = 0; k < sizeof got; k++)
            if (got[k] != byte_at(at + k)) return unsealed;
    }
    return NULL;
}

Test(sealed, several_threads_read_it)
{
    hsd_unsealed *unsealed = NULL;
    pthread_t threads[4];
    seal_bytes(400000);
    cr_assert_eq(open_stored(&unsealed), HSD_OK);
    for (size_t i = 0; i < 4; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, read_on_thread, unsealed), 0);
    for (size_t i = 0; i < 4; i++) {
        void *failed = NULL;
        pthread_join(threads[i], &failed);
        cr_expect_null(failed);
    }
    hsd_unsealed_close(unsealed);
}

Test(sealed, a_result_is_written_and_found_again)
{
    hsd_output output;
    hsd_pump pump = {0};
    hsd_unsealed *unsealed = NULL;
    char text[12];
    scratch_make();
    const char *path = scratch_path("sealed");
    cr_assert_eq(hsd_output_open(&output, path, false, &err), HSD_OK);
    cr_assert_eq(hsd_output_encrypt_descriptor(&output, &pump, crypt, &err), HSD_OK);
    cr_assert_eq(write(pump.fd, "hello ", 6), 6);
    cr_assert_eq(write(pump.fd, "pump\n", 5), 5);
    cr_assert_eq(hsd_pump_finish(&pump, &err), HSD_OK);
    cr_expect_eq(output.size_bytes, 11);
    cr_assert_eq(hsd_output_settle(&output, &err), HSD_OK);
    cr_assert_eq(hsd_unsealed_open_fd(&unsealed, output.fd, crypt, &err), HSD_OK, "%s", err.text);
    hsd_unsealed_close(unsealed);
    cr_assert_eq(hsd_output_finish(&output, &err), HSD_OK);
    const int fd = open(path, O_RDONLY);
    cr_assert_eq(hsd_unsealed_open_fd(&unsealed, fd, crypt, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(hsd_unsealed_size(unsealed), 11);
    cr_assert_eq(hsd_unsealed_read(unsealed, 0, text, 11, &err), HSD_OK);
    cr_expect_arr_eq(text, "hello pump\n", 11);
    hsd_unsealed_close(unsealed);
    close(fd);
    scratch_remove();
}

Test(sealed, a_source_of_it_seeks)
{
    hsd_source below, source;
    uint8_t got[10];
    seal_bytes(200000);
    cr_assert_eq(hsd_source_open_memory(&below, (hsd_bytes){file.data, file.size}, "x", &err), HSD_OK);
    cr_assert_eq(hsd_source_unseal(&source, &below, crypt, 4096, &err), HSD_OK, "%s", err.text);
    cr_expect_eq(source.total_bytes, 200000);
    cr_assert_eq(hsd_source_skip(&source, 150000, &err), HSD_OK);
    cr_assert_eq(hsd_source_copy(&source, got, sizeof got, &err), HSD_OK);
    cr_expect_eq(got[9], byte_at(150009));
    cr_assert_eq(hsd_source_seek(&source, 70000, &err), HSD_OK);
    cr_assert_eq(hsd_source_copy(&source, got, sizeof got, &err), HSD_OK);
    cr_expect_eq(got[0], byte_at(70000));
    cr_expect_eq(hsd_source_seek(&source, 200001, &err), HSD_E_TRUNCATED);
    cr_assert_eq(hsd_source_rewind(&source, &err), HSD_OK);
    cr_assert_eq(hsd_source_copy(&source, got, sizeof got, &err), HSD_OK);
    cr_expect_eq(got[1], byte_at(1));
    hsd_source_close(&source);
    hsd_source_close(&below);
}
