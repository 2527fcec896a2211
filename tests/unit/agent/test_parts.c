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
    char good[] = "hsdiff 1 capture a=1 b=2", forget[] = "hsdiff 1 forget", tab[] = "hsdiff 1 capture\ta=1", bare[] = "hsdiff";
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
    for (int i = 0; i < 100; i++) cr_assert_eq(two[i], 0);
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
