/*
 * Browsing a pair of captures: what opening costs beside the diff alone, until the report and until the index is there,
 * and how long the page of an object takes, with all that it shows, for random objects and for those that have most
 * around them.
 *
 *      bench_browse BEFORE AFTER [MEMORY_MIB [OBJECTS]]
 *      CSV: stage,seconds,cpu_seconds,ratio,p50_ms,p99_ms,most_ms,peak_mib,temp_mib,index_mib
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include <hsdiff/browse.h>

enum { LISTED = 100, MOST_PAGES = 100000 };

typedef struct lap {
    double wall, cpu;
} lap;

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static lap now(void) { return (lap){seconds(CLOCK_MONOTONIC), seconds(CLOCK_PROCESS_CPUTIME_ID)}; }

static lap since(lap begin)
{
    const lap end = now();
    return (lap){end.wall - begin.wall, end.cpu - begin.cpu};
}

static double peak_mib(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

static void stop(hsd_status status, const hsd_error *err)
{
    if (status == HSD_OK) return;
    fprintf(stderr, "bench_browse: %s\n", err->text);
    exit(1);
}

/* ---- pages ---- */

static int compare(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Everything that the page of an object shows. */
static double look_at(hsd_browse *browse, size_t side, hsd_browse_ref ref)
{
    hsd_error err;
    hsd_browse_object *object;
    hsd_browse_list *list;
    const lap begin = now();
    stop(hsd_browse_object_get(browse, side, ref, &object, &err), &err);
    hsd_browse_object_free(object);
    stop(hsd_browse_referents(browse, side, ref, 0, LISTED, &list, &err), &err);
    hsd_browse_list_free(list);
    stop(hsd_browse_referrers(browse, side, ref, 0, LISTED, &list, &err), &err);
    hsd_browse_list_free(list);
    stop(hsd_browse_dominated(browse, side, ref, 0, LISTED, &list, &err), &err);
    hsd_browse_list_free(list);
    stop(hsd_browse_path(browse, side, ref, &list, &err), &err);
    hsd_browse_list_free(list);
    stop(hsd_browse_dominators(browse, side, ref, &list, &err), &err);
    hsd_browse_list_free(list);
    return since(begin).wall * 1e3;
}

static void print_pages(const char *stage, double *times, size_t count)
{
    double sum = 0;
    if (count == 0) return;
    for (size_t i = 0; i < count; i++)
        sum += times[i];
    qsort(times, count, sizeof *times, compare);
    printf("%s,%.3f,,,%.3f,%.3f,%.3f,%.1f,,\n", stage, sum / 1e3, times[count / 2], times[count * 99 / 100],
           times[count - 1], peak_mib());
    fflush(stdout);
}

/* Tables that are made when they are needed are made for it. */
static void first_page(hsd_browse *browse)
{
    double time = look_at(browse, 1, (hsd_browse_ref){0});
    print_pages("first object", &time, 1);
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void random_pages(hsd_browse *browse, uint64_t objects, size_t count)
{
    static double times[MOST_PAGES];
    uint64_t state = 88172645463325252u;
    for (size_t i = 0; i < count; i++) {
        const hsd_browse_ref ref = {next_random(&state) % objects};
        times[i] = look_at(browse, 1, ref);
    }
    print_pages("random objects", times, count);
}

/* The first of each of the largest types, roots, and what they hold most of: where lists are longest. */
static size_t gather_large(hsd_browse *browse, hsd_browse_ref *out, size_t most)
{
    hsd_error err;
    hsd_browse_list *list;
    size_t count = 0;
    const hsd_browse_ref all = {HSD_BROWSE_ALL};
    stop(hsd_browse_dominated(browse, 1, all, 0, most / 2, &list, &err), &err);
    for (size_t i = 0; i < list->count; i++)
        out[count++] = list->nodes[i].ref;
    hsd_browse_list_free(list);
    for (size_t i = 0; i < count && count < most; i++) {
        stop(hsd_browse_dominated(browse, 1, out[i], 0, 1, &list, &err), &err);
        for (size_t k = 0; k < list->count; k++)
            out[count++] = list->nodes[k].ref;
        hsd_browse_list_free(list);
    }
    return count;
}

static void large_pages(hsd_browse *browse)
{
    hsd_browse_ref refs[LISTED];
    double times[LISTED];
    const size_t count = gather_large(browse, refs, LISTED);
    for (size_t i = 0; i < count; i++)
        times[i] = look_at(browse, 1, refs[i]);
    print_pages("largest objects", times, count);
}

/* ---- opening ---- */

static void tell(void *context, hsd_note_level level, const char *text)
{
    (void)context;
    (void)level;
    if (getenv("HSD_VERBOSE") != NULL) fprintf(stderr, "%s\n", text);
}

static lap diff_alone(hsd_capture *const captures[2], const hsd_run *run)
{
    hsd_error err;
    hsd_diff *diff;
    const lap begin = now();
    stop(hsd_diff_run(&diff, captures[0], captures[1], NULL, run, &err), &err);
    const lap took = since(begin);
    printf("diff,%.3f,%.3f,1.00,,,,%.1f,%.1f,\n", took.wall, took.cpu, peak_mib(),
           (double)diff->temp_bytes_peak / 1048576);
    fflush(stdout);
    hsd_diff_free(diff);
    return took;
}

typedef struct opening {
    lap begin, alone;
} opening;

static hsd_status note_report(void *context, const hsd_diff *diff, const hsd_top *top, hsd_error *err)
{
    const opening *o = context;
    const lap took = since(o->begin);
    (void)diff;
    (void)top;
    (void)err;
    printf("report,%.3f,%.3f,%.2f,,,,%.1f,,\n", took.wall, took.cpu, took.wall / o->alone.wall, peak_mib());
    return HSD_OK;
}

static hsd_browse *open_index(hsd_capture *const captures[2], const hsd_run *run, lap alone)
{
    hsd_error err;
    hsd_browse *browse;
    const lap begin = now();
    opening o = {begin, alone};
    const hsd_browse_options options = {.report = note_report, .report_context = &o};
    stop(hsd_browse_open(&browse, captures, 2, &options, run, &err), &err);
    const lap took = since(begin);
    printf("browse,%.3f,%.3f,%.2f,,,,%.1f,%.1f,%.1f\n", took.wall, took.cpu, took.wall / alone.wall, peak_mib(),
           (double)hsd_browse_temp_bytes_peak(browse) / 1048576, (double)hsd_browse_index_bytes(browse) / 1048576);
    fflush(stdout);
    return browse;
}

int main(int argc, char **argv)
{
    hsd_capture *captures[2];
    hsd_error err;
    if (argc < 3) {
        fprintf(stderr, "usage: bench_browse BEFORE AFTER [MEMORY_MIB [OBJECTS]]\n");
        return 2;
    }
    const hsd_run run = {.memory_bytes = (argc > 3 ? strtoull(argv[3], NULL, 0) : 1024) << 20, .note = tell};
    const size_t objects = argc > 4 ? strtoull(argv[4], NULL, 0) : 10000;
    for (int i = 0; i < 2; i++)
        stop(hsd_capture_open(&captures[i], argv[1 + i], HSD_DAMAGE_REFUSE, &run, &err), &err);
    printf("stage,seconds,cpu_seconds,ratio,p50_ms,p99_ms,most_ms,peak_mib,temp_mib,index_mib\n");
    hsd_browse *browse = open_index(captures, &run, diff_alone(captures, &run));
    if (hsd_browse_why_not(browse, 1) == NULL) {
        first_page(browse);
        random_pages(browse, hsd_capture_get_info(captures[1])->objects, objects < MOST_PAGES ? objects : MOST_PAGES);
        large_pages(browse);
    } else {
        fprintf(stderr, "bench_browse: %s\n", hsd_browse_why_not(browse, 1));
    }
    hsd_browse_close(browse);
    for (int i = 0; i < 2; i++)
        hsd_capture_close(captures[i]);
    return 0;
}
