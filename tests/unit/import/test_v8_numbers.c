/*
 * Number lists of heap snapshots against strtoull, whatever the text around the numbers and wherever the
 * window ends.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/v8/digits.h"
#include "import/v8/pump.h"
#include "support/random.h"

#define MOST_NUMBERS 600u
#define TEXT_BYTES   32768u

static hsd_error err;

static void setup(void) { hsd_error_init(&err); }

TestSuite(v8_numbers, .init = setup);

/* A source that gives out its bytes in small pieces, through a small window. */
typedef struct pieces {
    const char *text;
    size_t size, at, step;
} pieces;

static hsd_status read_piece(void *context, void *data, size_t size, size_t *got, hsd_error *unused)
{
    pieces *p = context;
    (void)unused;
    size_t count = p->size - p->at;
    if (count > p->step) count = p->step;
    if (count > size) count = size;
    memcpy(data, p->text + p->at, count);
    p->at += count;
    *got = count;
    return HSD_OK;
}

static const hsd_source_ops piece_ops = {.read = read_piece};

static hsd_status read_batches(hsd_v8_numbers *numbers, size_t batch, uint64_t *out, size_t *count)
{
    while (!numbers->is_at_end) {
        size_t got = 0;
        const hsd_status status = hsd_v8_numbers_read(numbers, out + *count, batch, &got, &err);
        *count += got;
        cr_assert_eq(numbers->count, *count);
        HSD_TRY(status);
        cr_assert(got == batch || numbers->is_at_end);
    }
    return HSD_OK;
}

/* Reads all of a list, `batch` numbers a call; `ahead` at once by a thread, 0 = by none. */
static hsd_status read_list(hsd_source *source, size_t batch, size_t ahead, uint64_t *out, size_t *count)
{
    hsd_v8_numbers numbers;
    *count = 0;
    HSD_TRY(hsd_v8_numbers_begin(&numbers, source, "things", &err));
    if (ahead > 0) cr_assert(hsd_v8_pump_start(&numbers, ahead));
    const hsd_status status = read_batches(&numbers, batch, out, count);
    const uint64_t offset = hsd_v8_numbers_offset(&numbers);
    hsd_v8_pump_stop(&numbers);
    cr_assert_eq(offset, hsd_source_offset(source), "all was read: the thread is where its last batch ended");
    return status;
}

static hsd_status read_once(const char *text, size_t size, size_t step, size_t window, size_t batch, size_t ahead,
                            uint64_t *out, size_t *count)
{
    hsd_source source;
    pieces p = {text, size, 0, step};
    hsd_error_init(&err);
    cr_assert_eq(hsd_source_open_custom(&source, &piece_ops, &p, "pieces", window, false, &err), HSD_OK);
    const hsd_status status = read_list(&source, batch, ahead, out, count);
    hsd_source_close(&source);
    return status;
}

/* With a thread that reads ahead it is the same, whatever the length of its batches. */
static hsd_status read_text(const char *text, size_t size, size_t step, size_t window, size_t batch, uint64_t *out,
                            size_t *count)
{
    static uint64_t ahead[MOST_NUMBERS + 64];
    const size_t batches[] = {batch, 1 + size % 7, 100};
    const hsd_status status = read_once(text, size, step, window, batch, 0, out, count);
    const hsd_error told = err;
    for (size_t i = 0; i < sizeof batches / sizeof *batches; i++) {
        size_t got = 0;
        cr_assert_eq(read_once(text, size, step, window, batch, batches[i], ahead, &got), status);
        cr_assert_eq(got, *count);
        cr_assert_eq(memcmp(ahead, out, got * sizeof *out), 0);
        cr_assert(err.offset_bytes == told.offset_bytes && strcmp(err.text, told.text) == 0, "%s", err.text);
    }
    return status;
}

/* Mostly short numbers, as in snapshots; some as long as they can be. */
static uint64_t random_number(test_random *random)
{
    const uint64_t word = test_next(random);
    switch (test_below(random, 12)) {
    case 0: return word;
    case 1: return word >> 20;
    case 2: return word % 10000000000;
    case 3: return UINT64_MAX - word % 3;
    case 4: return 0;
    default: return word >> (40 + test_below(random, 24));
    }
}

static size_t random_list(test_random *random, char *text, uint64_t *numbers, size_t *count)
{
    static const char *const separators[] = {",", ",", ",", "\n,", " , ", ",\r\n\t", "\n,\n"};
    const bool is_dense = test_below(random, 3) == 0; /* like new V8: a comma and nothing else */
    size_t size = (size_t)snprintf(text, TEXT_BYTES, "[%s", test_below(random, 4) == 0 ? " \n" : "");
    *count = (size_t)test_below(random, MOST_NUMBERS);
    for (size_t i = 0; i < *count; i++) {
        const bool is_negative = !is_dense && test_below(random, 40) == 0;
        numbers[i] = random_number(random);
        const char *separator = is_dense ? "," : separators[test_below(random, 7)];
        size += (size_t)snprintf(text + size, TEXT_BYTES - size, "%s%s%llu", i == 0 ? "" : separator,
                                 is_negative ? "-" : "", (unsigned long long)numbers[i]);
        if (is_negative) numbers[i] = UINT64_C(0) - numbers[i];
    }
    return size + (size_t)snprintf(text + size, TEXT_BYTES - size, "%s]", test_below(random, 2) == 0 ? "\n" : "");
}

Test(v8_numbers, are_those_of_the_text_for_any_window_and_batch)
{
    static char text[TEXT_BYTES];
    static uint64_t expected[MOST_NUMBERS], found[MOST_NUMBERS + 64];
    const uint64_t seed = test_seed(71);
    test_random random = {seed};
    for (unsigned round = 0; round < 1500; round++) {
        size_t count, got;
        const size_t size = random_list(&random, text, expected, &count);
        const size_t step = 1 + (size_t)test_below(&random, 300), window = 64 + (size_t)test_below(&random, 400);
        const size_t batch = 1 + (size_t)test_below(&random, 64);
        cr_assert_eq(read_text(text, size, step, window, batch, found, &got), HSD_OK, "seed %lu round %u: %s",
                     (unsigned long)seed, round, err.text);
        cr_assert_eq(got, count, "seed %lu round %u: %zu of %zu", (unsigned long)seed, round, got, count);
        for (size_t i = 0; i < count; i++)
            cr_assert_eq(found[i], expected[i], "seed %lu round %u number %zu: %lu for %lu", (unsigned long)seed, round,
                         i, (unsigned long)found[i], (unsigned long)expected[i]);
    }
}

Test(v8_numbers, keep_the_low_half_of_a_negative_index)
{
    uint64_t found[4];
    size_t count;
    cr_assert_eq(read_text("[-6,-1,-2147483648]", 19, 99, 64, 4, found, &count), HSD_OK);
    cr_expect_eq(count, 3);
    cr_expect_eq((uint32_t)found[0], 4294967290u);
    cr_expect_eq((uint32_t)found[1], UINT32_MAX);
    cr_expect_eq((uint32_t)found[2], 2147483648u);
}

Test(v8_numbers, of_every_prefix_end_with_the_whole_ones_and_say_where)
{
    static char text[TEXT_BYTES];
    static uint64_t expected[MOST_NUMBERS], found[MOST_NUMBERS + 64];
    test_random random = {5};
    size_t count = 0, size = 0;
    while (count < 60 || count > 100)
        size = random_list(&random, text, expected, &count);
    for (size_t cut = 0; cut < size; cut++) {
        size_t got, whole = 0;
        const hsd_status status = read_text(text, cut, 7, 128, 16, found, &got);
        cr_assert_eq(status, HSD_E_TRUNCATED, "prefix %zu", cut);
        cr_assert_eq(err.offset_bytes, cut, "prefix %zu: offset %lu", cut, (unsigned long)err.offset_bytes);
        for (size_t i = 1; i < cut; i++)
            whole += text[i] < '0' && text[i - 1] >= '0' && text[i - 1] <= '9'; /* something ends a number */
        cr_assert_eq(got, whole, "prefix %zu: %zu of %zu", cut, got, whole);
        for (size_t i = 0; i < got; i++)
            cr_assert_eq(found[i], expected[i]);
    }
}

Test(v8_numbers, refuses_what_is_no_whole_number)
{
    static const char *const texts[] = {
        "[1,2,x]",
        "[1,2.5]",
        "[1,1e3]",
        "[1,-]",
        "[--1]",
        "[\"1\"]",
        "[1,[2]]",
        "[1;2]",
        "{1}",
        "1]",
        "[18446744073709551616]",
        "[99999999999999999999999999999999999999999]",
        "[00000000000000000000000000000000000000000000001]",
        "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,"
        "33,34,35,!,36]",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        uint64_t found[64];
        size_t count;
        cr_expect_eq(read_text(texts[i], strlen(texts[i]), 99, 64, 40, found, &count), HSD_E_CORRUPT, "%s", texts[i]);
        cr_expect(strstr(err.text, "things") != NULL, "%s: %s", texts[i], err.text);
    }
}

/* Who reads ahead is ended wherever it is: full, waiting, or not yet begun. */
Test(v8_numbers, reading_ahead_may_stop_anywhere)
{
    static char text[TEXT_BYTES];
    static uint64_t expected[MOST_NUMBERS], found[MOST_NUMBERS + 64];
    test_random random = {6};
    for (unsigned round = 0; round < 300; round++) {
        hsd_source source;
        hsd_v8_numbers numbers;
        size_t count, got;
        pieces p = {text, random_list(&random, text, expected, &count), 0, 64};
        cr_assert_eq(hsd_source_open_custom(&source, &piece_ops, &p, "pieces", 256, false, &err), HSD_OK);
        cr_assert_eq(hsd_v8_numbers_begin(&numbers, &source, "things", &err), HSD_OK);
        cr_assert(hsd_v8_pump_start(&numbers, 1 + round % 40));
        for (uint64_t reads = test_below(&random, 4); reads > 0 && !numbers.is_at_end; reads--)
            cr_assert_eq(hsd_v8_numbers_read(&numbers, found, 1 + round % 50, &got, &err), HSD_OK);
        hsd_v8_pump_stop(&numbers);
        hsd_source_close(&source);
    }
}

Test(v8_numbers, can_be_skipped)
{
    static const char text[] = "[1,2,3,4,5,6,7,8,9,\n10,11]x";
    for (size_t size = 0; size <= sizeof text - 1; size++) {
        hsd_source source;
        hsd_v8_numbers numbers;
        pieces p = {text, size, 0, 3};
        cr_assert_eq(hsd_source_open_custom(&source, &piece_ops, &p, "pieces", 64, false, &err), HSD_OK);
        hsd_status status = hsd_v8_numbers_begin(&numbers, &source, "things", &err);
        if (status == HSD_OK) status = hsd_v8_numbers_skip(&numbers, &err);
        cr_expect_eq(status, size < sizeof text - 2 ? HSD_E_TRUNCATED : HSD_OK, "%zu bytes", size);
        if (status == HSD_OK) cr_expect_eq(hsd_source_offset(&source), sizeof text - 2);
        hsd_source_close(&source);
    }
}

/* What one way reads of a stretch, from every beginning on; returns how many numbers, and behind which byte it stopped.
 */
static size_t read_stretch(hsd_v8_digits read, const uint8_t *text, size_t size, size_t from, uint64_t *out, size_t *to)
{
    const uint8_t *at = text + from;
    const size_t count = read(&at, text + size, out, MOST_NUMBERS);
    *to = (size_t)(at - text);
    cr_assert_leq(*to, size);
    return count;
}

/* Lists, lists with bytes overwritten, and noise. */
static size_t random_stretch(test_random *random, char *text)
{
    static const char likely[] = "0123456789,\n,,00";
    static uint64_t numbers[MOST_NUMBERS];
    size_t count, size = random_list(random, text, numbers, &count);
    for (uint64_t damage = test_below(random, 3) == 0 ? test_below(random, 9) : 0; damage > 0; damage--)
        text[test_below(random, size)] = (char)test_next(random);
    for (size_t i = 0; test_below(random, 4) == 0 && i < 400; i++, size = i)
        text[i] = likely[test_below(random, sizeof likely - 1)];
    return size;
}

Test(v8_numbers, are_the_same_with_every_kind_of_vector)
{
    static char text[HSD_V8_DIGITS_BEFORE + TEXT_BYTES];
    static uint64_t plain[MOST_NUMBERS], wide[MOST_NUMBERS], words[MOST_NUMBERS];
    test_random random = {test_seed(12)};
    const hsd_v8_digits vectors[] = {hsd_v8_digits_avx2(), hsd_v8_digits_avx512()};
    memset(text, '7', HSD_V8_DIGITS_BEFORE); /* belongs to no number of the stretch */
    for (unsigned round = 0; round < 4000; round++) {
        const size_t size = HSD_V8_DIGITS_BEFORE + random_stretch(&random, text + HSD_V8_DIGITS_BEFORE);
        const size_t from = HSD_V8_DIGITS_BEFORE + (size_t)test_below(&random, size < 200 ? 1 : 130);
        const uint8_t *bytes = (const uint8_t *)text;
        size_t plain_to, wide_to, words_to;
        const size_t count = read_stretch(hsd_v8_digits_sse2, bytes, size, from, plain, &plain_to);
        const size_t more = read_stretch(hsd_v8_digits_words, bytes, size, from, words, &words_to);
        cr_assert_geq(more, count); /* it takes all separators, and may go on */
        cr_assert_eq(memcmp(plain, words, count * sizeof *plain), 0, "round %u", round);
        for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
            if (vectors[i] == NULL) continue;
            cr_assert_eq(read_stretch(vectors[i], bytes, size, from, wide, &wide_to), count, "round %u", round);
            cr_assert_eq(plain_to, wide_to);
            cr_assert_eq(memcmp(plain, wide, count * sizeof *plain), 0, "round %u", round);
        }
    }
}

/* A number between short ones, in one block of what is looked at together or across two. */
Test(v8_numbers, are_the_same_whatever_their_length_and_place_in_a_block)
{
    enum { BLOCKS = 4 * HSD_V8_DIGITS_BLOCK, MOST_DIGITS = 20 };
    const hsd_v8_digits vectors[] = {hsd_v8_digits_sse2, hsd_v8_digits_avx2(), hsd_v8_digits_avx512()};
    static uint64_t words[MOST_NUMBERS], wide[MOST_NUMBERS];
    for (size_t digits = 1; digits <= MOST_DIGITS; digits++) {
        for (size_t place = 1; place < 2 * HSD_V8_DIGITS_BLOCK; place++) {
            uint8_t text[HSD_V8_DIGITS_BEFORE + BLOCKS];
            size_t words_to, wide_to;
            for (size_t i = 0; i < sizeof text; i++)
                text[i] = i % 2 == 0 ? ',' : '3';
            uint8_t *number = text + HSD_V8_DIGITS_BEFORE + place;
            number[-1] = number[digits] = ',';
            for (size_t i = 0; i < digits; i++)
                number[i] = (uint8_t)('1' + i % 9);
            const size_t from = HSD_V8_DIGITS_BEFORE;
            const size_t count = read_stretch(hsd_v8_digits_words, text, sizeof text, from, words, &words_to);
            for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
                if (vectors[i] == NULL) continue;
                cr_assert_eq(read_stretch(vectors[i], text, sizeof text, from, wide, &wide_to), count,
                             "way %zu, %zu digits at %zu", i, digits, place);
                cr_assert_eq(wide_to, words_to, "way %zu, %zu digits at %zu", i, digits, place);
                cr_assert_eq(memcmp(wide, words, count * sizeof *words), 0, "way %zu, %zu digits at %zu", i, digits,
                             place);
            }
        }
    }
}

Test(v8_numbers, are_classified_alike_with_and_without_vectors)
{
    test_random random = {9};
    for (unsigned round = 0; round < 20000; round++) {
        uint8_t bytes[64];
        for (size_t i = 0; i < sizeof bytes; i++) {
            static const uint8_t likely[] = "0123456789,\n/: \t";
            const uint64_t word = test_next(&random);
            bytes[i] = (word & 3) != 0 ? likely[word >> 8 & 15] : (uint8_t)(word >> 16);
        }
        const hsd_v8_masks fast = hsd_v8_classify(bytes), words = hsd_v8_classify_words(bytes);
        uint64_t digits = 0, separators = 0;
        for (size_t i = 0; i < sizeof bytes; i++) {
            digits |= (uint64_t)(bytes[i] >= '0' && bytes[i] <= '9') << i;
            separators |= (uint64_t)(bytes[i] != 0 && strchr(", \n\r\t", bytes[i]) != NULL) << i;
        }
        cr_assert_eq(words.digits, digits);
        cr_assert_eq(words.plain, digits | separators);
        cr_assert_eq(fast.digits, digits);
        /* The vectors look for fewer separators: what they miss is read with care. */
        cr_assert_eq(fast.plain & ~(digits | separators), 0);
    }
}
