/* What agents are made of: options of a request, memory that is not malloc's, and what they know of their process. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "agent/parts.h"

static hsa_request asked(const char *options)
{
    hsa_request request = {.verb = HSA_CAPTURE, .fd = -1};
    snprintf(request.options, sizeof request.options, "%s", options);
    return request;
}

static uint64_t number(const char *options, const char *key)
{
    const hsa_request request = asked(options);
    return hsa_option_number(&request, key, 99);
}

Test(options, numbers_are_found_whole_or_not_at_all)
{
    cr_assert_eq(number("a=1", "a"), 1);
    cr_assert_eq(number("b=2 a=1", "a"), 1);
    cr_assert_eq(number("aa=2 a=18446744073709551615", "a"), UINT64_MAX);
    cr_assert_eq(number("a=18446744073709551616", "a"), 99);
    cr_assert_eq(number("a=", "a"), 99);
    cr_assert_eq(number("a=1x", "a"), 99);
    cr_assert_eq(number("a=-1", "a"), 99);
    cr_assert_eq(number("aa=1", "a"), 99);
    cr_assert_eq(number("a", "a"), 99);
    cr_assert_eq(number("", "a"), 99);
    cr_assert_eq(number("x=a=3", "a"), 99);
    cr_assert_eq(number("a=1 a=2", "a"), 1);
}

Test(options, texts_are_cut_to_the_room_there_is)
{
    char out[5] = "....";
    const hsa_request request = asked("mode=sampled empty= x=1");
    cr_assert(hsa_option_text(&request, "mode", out, sizeof out));
    cr_assert_str_eq(out, "samp");
    cr_assert(hsa_option_text(&request, "empty", out, sizeof out));
    cr_assert_str_eq(out, "");
    cr_assert_not(hsa_option_text(&request, "mod", out, sizeof out));
    cr_assert_not(hsa_option_text(&request, "mode", out, 0));
}

Test(request, is_parsed_or_explained)
{
    hsa_request request;
    char good[] = "hsdiff 1 capture a=1 b=2", forget[] = "hsdiff 1 forget", tab[] = "hsdiff 1 capture\ta=1",
         bare[] = "hsdiff";
    cr_assert_null(hsa_parse_request(&request, good));
    cr_assert(request.verb == HSA_CAPTURE && strcmp(request.options, "a=1 b=2") == 0);
    cr_assert_null(hsa_parse_request(&request, forget));
    cr_assert(request.verb == HSA_FORGET && request.options[0] == '\0');
    cr_assert_not_null(hsa_parse_request(&request, tab));
    cr_assert_not_null(hsa_parse_request(&request, bare));
}

Test(request, sentence_of_a_refusal_is_cut)
{
    int pair[2];
    char text[2000], got[2000] = "";
    memset(text, 'e', sizeof text);
    text[sizeof text - 1] = '\0';
    cr_assert_eq(pipe(pair), 0);
    hsa_refuse(&(hsa_request){.fd = pair[1]}, text);
    cr_assert_eq(read(pair[0], got, sizeof got), 6 + 512 + 1);
    cr_assert_eq(got[6 + 512], '\n');
    hsa_refuse(&(hsa_request){.fd = pair[1], .is_push = true}, text);
    cr_assert(hsa_accept(&(hsa_request){.fd = pair[1], .is_push = true}));
    close(pair[1]);
    cr_assert_eq(read(pair[0], got, sizeof got), 0);
    close(pair[0]);
}

Test(arena, gives_zeroed_aligned_memory_until_it_is_full)
{
    hsa_arena arena;
    cr_assert(hsa_arena_open(&arena, 1 << 20));
    unsigned char *one = hsa_arena_take(&arena, 1), *two = hsa_arena_take(&arena, 100);
    cr_assert(two == one + 16 && (uintptr_t)one % 16 == 0);
    for (int i = 0; i < 100; i++)
        cr_assert_eq(two[i], 0);
    cr_assert_null(hsa_arena_take(&arena, SIZE_MAX));
    cr_assert_null(hsa_arena_take(&arena, SIZE_MAX - 7));
    cr_assert_null(hsa_arena_take(&arena, 1 << 20));
    cr_assert_not_null(hsa_arena_take(&arena, (1 << 20) - 128));
    cr_assert_null(hsa_arena_take(&arena, 1));
    hsa_arena_close(&arena);
    cr_assert_null(arena.start);
    hsa_arena_close(&arena);
    cr_assert_not(hsa_arena_open(&arena, SIZE_MAX / 2));
}

Test(self, is_what_the_kernel_says)
{
    hsa_self self, again;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    prctl(PR_SET_NAME, "we (are) here");
    hsa_know_self(&self);
    hsa_know_self(&again);
    cr_assert_str_eq(self.name, "we (are) here");
    cr_assert_eq(self.pid, (uint64_t)getpid());
    const int64_t age_s = (int64_t)now.tv_sec - (int64_t)(self.started_unix_ns / 1000000000u);
    cr_assert(age_s >= -3 && age_s < 600, "started %ld s ago", (long)age_s);
    cr_assert_eq(memcmp(&self, &again, sizeof self), 0);
}

Test(self, child_of_a_fork_is_another)
{
    hsa_self self, theirs = {{0}, {0}, 0, 0};
    int pair[2];
    hsa_know_self(&self);
    cr_assert_eq(pipe(pair), 0);
    const pid_t child = fork();
    if (child == 0) {
        hsa_know_self(&theirs);
        _exit(write(pair[1], &theirs, sizeof theirs) != sizeof theirs);
    }
    cr_assert_eq(read(pair[0], &theirs, sizeof theirs), (ssize_t)sizeof theirs);
    waitpid(child, NULL, 0);
    cr_assert_neq(memcmp(self.domain, theirs.domain, 16), 0);
    cr_assert_eq(theirs.pid, (uint64_t)child);
}

Test(self, is_measured)
{
    hsa_metrics metrics;
    hsa_measure(&metrics);
    cr_assert(metrics.rss_bytes > 100000 && metrics.private_bytes > 0 && metrics.private_bytes <= metrics.rss_bytes);
    cr_assert(metrics.threads >= 1 && metrics.threads < 100);
}

/* ---- texts ---- */

Test(texts, each_is_there_once_and_by_its_kind)
{
    hsa_texts all;
    cr_assert(hsa_texts_open(&all));
    for (uint32_t i = 0; i < 10000; i++) { /* more than it begins with: it grows */
        char text[16];
        const size_t size = (size_t)snprintf(text, sizeof text, "name %u", i / 2);
        cr_assert_null(hsa_texts_find(&all, 1 + i % 2, text, size), "%s", text);
        hsa_texts_add(&all, 1 + i % 2, text, size)->id = i;
    }
    cr_assert_eq(all.count, 10000);
    for (uint32_t i = 0; i < 10000; i++) {
        char text[16];
        const size_t size = (size_t)snprintf(text, sizeof text, "name %u", i / 2);
        const hsa_text *one = hsa_texts_find(&all, 1 + i % 2, text, size);
        cr_assert(one != NULL && one->id == i && one->size == size && strcmp(one->text, text) == 0, "%s", text);
        cr_assert_null(hsa_texts_find(&all, 3, text, size));
    }
    cr_assert_null(hsa_texts_find(&all, 1, "name 1\0", 7), "sizes count, too");
    cr_assert_not_null(hsa_texts_add(&all, 1, "", 0));
    cr_assert_not_null(hsa_texts_find(&all, 1, "", 0));
    static char long_text[200000]; /* longer than the blocks of texts are */
    memset(long_text, 'x', sizeof long_text - 1);
    cr_assert_not_null(hsa_texts_add(&all, 1, long_text, sizeof long_text - 1));
    cr_assert_str_eq(hsa_texts_find(&all, 1, long_text, sizeof long_text - 1)->text, long_text);
    cr_assert_eq(hsa_texts_find(&all, 1, "name 0", 6)->id, 0);
    hsa_texts_close(&all);
    hsa_texts_close(&all);
}

Test(texts, an_identifier_has_no_digit_in_front)
{
    cr_assert(hsa_is_identifier("_a1Z", 4, 4));
    cr_assert_not(hsa_is_identifier("_a1Z", 4, 3));
    cr_assert_not(hsa_is_identifier("1a", 2, 9));
    cr_assert_not(hsa_is_identifier("", 0, 9));
    cr_assert_not(hsa_is_identifier("a b", 3, 9));
    cr_assert_not(hsa_is_identifier("\xc3\xa4", 2, 9));
}

/* ---- the domain that lasts ---- */

Test(self, another_copy_of_the_agent_finds_the_same_domain)
{
    hsa_self one = {.pid = (uint64_t)getpid()}, other = {.pid = (uint64_t)getpid(), .domain = {1}};
    static const uint8_t none[sizeof one.domain];
    hsa_keep_domain(&one);
    hsa_keep_domain(&other);
    cr_assert_neq(memcmp(one.domain, none, sizeof none), 0);
    cr_assert_eq(memcmp(one.domain, other.domain, sizeof none), 0);
}

Test(self, a_child_has_another_domain)
{
    int ends[2];
    hsa_self mine;
    uint8_t childs[sizeof mine.domain];
    cr_assert_eq(pipe(ends), 0);
    hsa_know_self(&mine);
    hsa_keep_domain(&mine);
    const pid_t child = fork();
    if (child == 0) {
        hsa_self self;
        hsa_know_self(&self);
        hsa_keep_domain(&self);
        _exit(write(ends[1], self.domain, sizeof self.domain) == (ssize_t)sizeof self.domain ? 0 : 1);
    }
    cr_assert_eq(read(ends[0], childs, sizeof childs), (ssize_t)sizeof childs);
    waitpid(child, NULL, 0);
    cr_assert_neq(memcmp(childs, mine.domain, sizeof childs), 0);
}
