/*
 * The part of Criterion's interface that our tests use, on fork() alone: each test runs in a child, the closing line is
 * Criterion's, and of its options --filter SUITE/NAME and --list are known (others are passed over). Presets with
 * sanitizers compile the tests against it, and so does CI. Criterion starts the program anew for each case, with its
 * own libraries, which takes 22 ms of the processor in place of 2, and 55 in place of 7 under the address sanitizer,
 * and does not look at leaks; where the thread sanitizer keeps its shadow memory Criterion maps an arena and does not
 * start. Everywhere else the true Criterion is used.
 */
#ifndef HSD_TESTS_PLAIN_CRITERION_H
#define HSD_TESTS_PLAIN_CRITERION_H

#include <fnmatch.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct plain_options {
    void (*init)(void);
    void (*fini)(void);
    const char *description;
    double timeout;
    int signal, exit_code;
    bool disabled;
};

struct criterion_test_params {
    size_t size;
    void *params;
    size_t length;
};

typedef struct plain_test {
    const char *suite, *name;
    struct plain_options own;
    const struct plain_options *of_suite; /* set before the tests run */
    void (*run)(void *parameter);
    struct criterion_test_params (*parameters)(void);
    struct plain_test *next;
    bool is_suite;
} plain_test;

/* Weak: a test program may have several sources. */
__attribute__((weak)) plain_test *plain_tests;

static inline void plain_register(plain_test *test)
{
    plain_test **end = &plain_tests;
    while (*end != NULL)
        end = &(*end)->next;
    *end = test;
}

#define PLAIN_ENTRY(suite_, name_, tag, is_suite_, run_, parameters_, ...)                                             \
    static plain_test plain_##tag = {.suite = suite_,                                                                  \
                                     .name = name_,                                                                    \
                                     .own = {__VA_ARGS__},                                                             \
                                     .run = run_,                                                                      \
                                     .parameters = parameters_,                                                        \
                                     .is_suite = is_suite_};                                                           \
    __attribute__((constructor)) static void plain_register_##tag(void) { plain_register(&plain_##tag); }

#define TestSuite(suite, ...) PLAIN_ENTRY(#suite, "", suite##_suite, true, NULL, NULL, __VA_ARGS__)

#define Test(suite, name, ...)                                                                                         \
    static void suite##_##name##_test(void);                                                                           \
    static void suite##_##name##_run(void *parameter)                                                                  \
    {                                                                                                                  \
        (void)parameter;                                                                                               \
        suite##_##name##_test();                                                                                       \
    }                                                                                                                  \
    PLAIN_ENTRY(#suite, #name, suite##_##name, false, suite##_##name##_run, NULL, __VA_ARGS__)                         \
    static void suite##_##name##_test(void)

#define ParameterizedTestParameters(suite, name) static struct criterion_test_params suite##_##name##_parameters(void)

#define ParameterizedTest(parameter, suite, name, ...)                                                                 \
    static void suite##_##name##_test(parameter);                                                                      \
    static void suite##_##name##_run(void *given) { suite##_##name##_test(given); }                                    \
    PLAIN_ENTRY(#suite, #name, suite##_##name, false, suite##_##name##_run, suite##_##name##_parameters, __VA_ARGS__)  \
    static void suite##_##name##_test(parameter)

#define cr_make_param_array(type, array, length_, ...)                                                                 \
    ((struct criterion_test_params){.size = sizeof(type), .params = (array), .length = (length_)})

/* ---- assertions: the condition as text, then the message if there is one ---- */

__attribute__((weak)) bool plain_has_failed;

__attribute__((format(printf, 5, 6))) static inline void plain_fail(bool is_fatal, const char *file, int line,
                                                                    const char *what, const char *message, ...)
{
    va_list arguments;
    va_start(arguments, message);
    fprintf(stderr, "[----] %s:%d: Assertion Failed\n[----]   %s\n[----]   ", file, line, what);
    vfprintf(stderr, message, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    plain_has_failed = true;
    if (is_fatal) _exit(1);
}

/* " " in front turns "no message" into an empty format. */
#define PLAIN_CHECK(is_fatal, what, condition, ...)                                                                    \
    do {                                                                                                               \
        if (!(condition)) plain_fail(is_fatal, __FILE__, __LINE__, what, " " __VA_ARGS__);                             \
    } while (0)

#define cr_assert(condition, ...)     PLAIN_CHECK(true, #condition, condition, __VA_ARGS__)
#define cr_expect(condition, ...)     PLAIN_CHECK(false, #condition, condition, __VA_ARGS__)
#define cr_assert_not(condition, ...) PLAIN_CHECK(true, "not " #condition, !(condition), __VA_ARGS__)
#define cr_expect_not(condition, ...) PLAIN_CHECK(false, "not " #condition, !(condition), __VA_ARGS__)
#define cr_assert_fail(...)           PLAIN_CHECK(true, "fail", false, __VA_ARGS__)
#define cr_fail(...)                  PLAIN_CHECK(false, "fail", false, __VA_ARGS__)

#define PLAIN_COMPARE(f, a, op, b, ...) PLAIN_CHECK(f, #a " " #op " " #b, (a)op(b), __VA_ARGS__)
#define cr_assert_eq(a, b, ...)         PLAIN_COMPARE(true, a, ==, b, __VA_ARGS__)
#define cr_assert_neq(a, b, ...)        PLAIN_COMPARE(true, a, !=, b, __VA_ARGS__)
#define cr_assert_lt(a, b, ...)         PLAIN_COMPARE(true, a, <, b, __VA_ARGS__)
#define cr_assert_leq(a, b, ...)        PLAIN_COMPARE(true, a, <=, b, __VA_ARGS__)
#define cr_assert_gt(a, b, ...)         PLAIN_COMPARE(true, a, >, b, __VA_ARGS__)
#define cr_assert_geq(a, b, ...)        PLAIN_COMPARE(true, a, >=, b, __VA_ARGS__)
#define cr_assert_null(a, ...)          PLAIN_COMPARE(true, a, ==, NULL, __VA_ARGS__)
#define cr_assert_not_null(a, ...)      PLAIN_COMPARE(true, a, !=, NULL, __VA_ARGS__)
#define cr_expect_eq(a, b, ...)         PLAIN_COMPARE(false, a, ==, b, __VA_ARGS__)
#define cr_expect_neq(a, b, ...)        PLAIN_COMPARE(false, a, !=, b, __VA_ARGS__)
#define cr_expect_lt(a, b, ...)         PLAIN_COMPARE(false, a, <, b, __VA_ARGS__)
#define cr_expect_leq(a, b, ...)        PLAIN_COMPARE(false, a, <=, b, __VA_ARGS__)
#define cr_expect_gt(a, b, ...)         PLAIN_COMPARE(false, a, >, b, __VA_ARGS__)
#define cr_expect_geq(a, b, ...)        PLAIN_COMPARE(false, a, >=, b, __VA_ARGS__)
#define cr_expect_null(a, ...)          PLAIN_COMPARE(false, a, ==, NULL, __VA_ARGS__)
#define cr_expect_not_null(a, ...)      PLAIN_COMPARE(false, a, !=, NULL, __VA_ARGS__)

#define PLAIN_STRINGS(f, a, op, b, ...) PLAIN_CHECK(f, #a " " #op " " #b, strcmp(a, b) op 0, __VA_ARGS__)
#define cr_assert_str_eq(a, b, ...)     PLAIN_STRINGS(true, a, ==, b, __VA_ARGS__)
#define cr_assert_str_neq(a, b, ...)    PLAIN_STRINGS(true, a, !=, b, __VA_ARGS__)
#define cr_assert_str_empty(a, ...)     PLAIN_CHECK(true, #a " is empty", *(a) == '\0', __VA_ARGS__)
#define cr_assert_str_not_empty(a, ...) PLAIN_CHECK(true, #a " is not empty", *(a) != '\0', __VA_ARGS__)
#define cr_expect_str_empty(a, ...)     PLAIN_CHECK(false, #a " is empty", *(a) == '\0', __VA_ARGS__)
#define cr_expect_str_eq(a, b, ...)     PLAIN_STRINGS(false, a, ==, b, __VA_ARGS__)
#define cr_expect_str_neq(a, b, ...)    PLAIN_STRINGS(false, a, !=, b, __VA_ARGS__)

#define PLAIN_BYTES(f, a, op, b, size, ...) PLAIN_CHECK(f, #a " " #op " " #b, memcmp(a, b, size) op 0, __VA_ARGS__)
#define cr_assert_arr_eq(a, b, size, ...)   PLAIN_BYTES(true, a, ==, b, size, __VA_ARGS__)
#define cr_assert_arr_neq(a, b, size, ...)  PLAIN_BYTES(true, a, !=, b, size, __VA_ARGS__)
#define cr_expect_arr_eq(a, b, size, ...)   PLAIN_BYTES(false, a, ==, b, size, __VA_ARGS__)
#define cr_assert_float_eq(a, b, epsilon, ...)                                                                         \
    PLAIN_CHECK(true, #a " near " #b, fabs((a) - (b)) <= (epsilon), __VA_ARGS__)

#define PLAIN_LOG(...)    (fprintf(stderr, "[----] " __VA_ARGS__), fputc('\n', stderr))
#define cr_log_info(...)  PLAIN_LOG(__VA_ARGS__)
#define cr_log_warn(...)  PLAIN_LOG(__VA_ARGS__)
#define cr_log_error(...) PLAIN_LOG(__VA_ARGS__)

#define PLAIN_SKIPPED 77
#define cr_skip_test(...)                                                                                              \
    do {                                                                                                               \
        fprintf(stderr, "[SKIP] " __VA_ARGS__);                                                                        \
        fputc('\n', stderr);                                                                                           \
        _exit(PLAIN_SKIPPED);                                                                                          \
    } while (0)
#define cr_skip(...) cr_skip_test(__VA_ARGS__)

/* ---- the runner ---- */

static inline void plain_child(const plain_test *test, void *parameter)
{
    const struct plain_options *suite = test->of_suite;
    if (test->own.timeout > 0) alarm((unsigned)test->own.timeout + 1);
    if (suite != NULL && suite->init != NULL) suite->init();
    if (test->own.init != NULL) test->own.init();
    test->run(parameter);
    if (test->own.fini != NULL) test->own.fini();
    if (suite != NULL && suite->fini != NULL) suite->fini();
    exit(plain_has_failed ? 1 : 0);
}

static inline bool plain_passes(const plain_test *test, void *parameter)
{
    int status = 0;
    fflush(NULL);
    const pid_t process = fork();
    if (process == 0) plain_child(test, parameter);
    if (process < 0 || waitpid(process, &status, 0) != process) return false;
    if (WIFSIGNALED(status)) return test->own.signal == WTERMSIG(status);
    return test->own.signal == 0 &&
           (WEXITSTATUS(status) == test->own.exit_code || WEXITSTATUS(status) == PLAIN_SKIPPED);
}

static inline const struct plain_options *plain_options_of_suite(const char *suite)
{
    for (const plain_test *entry = plain_tests; entry != NULL; entry = entry->next) {
        if (entry->is_suite && strcmp(entry->suite, suite) == 0) return &entry->own;
    }
    return NULL;
}

static inline const char *plain_filter(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "--filter=", 9) == 0) return argv[i] + 9;
        if (strcmp(argv[i], "--filter") == 0 && i + 1 < argc) return argv[i + 1];
    }
    return "*";
}

/* Names of cases, as --filter takes them. */
static inline bool plain_lists(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--list") != 0) continue;
        for (const plain_test *test = plain_tests; test != NULL; test = test->next) {
            if (!test->is_suite && !test->own.disabled) printf("%s/%s\n", test->suite, test->name);
        }
        return true;
    }
    return false;
}

static inline bool plain_is_asked(const plain_test *test, const char *filter)
{
    char name[512];
    snprintf(name, sizeof name, "%s/%s", test->suite, test->name);
    return fnmatch(filter, name, 0) == 0;
}

__attribute__((weak)) int main(int argc, char **argv)
{
    const char *filter = plain_filter(argc, argv);
    unsigned tested = 0, passed = 0;
    if (plain_lists(argc, argv)) return 0;
    for (plain_test *test = plain_tests; test != NULL; test = test->next) {
        struct criterion_test_params all = {.length = 1};
        if (test->is_suite || test->own.disabled || !plain_is_asked(test, filter)) continue;
        test->of_suite = plain_options_of_suite(test->suite);
        if (test->of_suite != NULL && test->of_suite->disabled) continue;
        if (test->parameters != NULL) all = test->parameters();
        for (size_t i = 0; i < all.length; i++) {
            const bool is_good = plain_passes(test, all.params == NULL ? NULL : (char *)all.params + i * all.size);
            if (!is_good) fprintf(stderr, "[FAIL] %s::%s\n", test->suite, test->name);
            tested++;
            passed += is_good;
        }
    }
    printf("[====] Synthesis: Tested: %u | Passing: %u | Failing: %u | Crashing: 0\n", tested, passed, tested - passed);
    return tested == passed ? 0 : 1;
}

#endif
