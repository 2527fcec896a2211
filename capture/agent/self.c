/*
 * What an agent knows of its own process, from /proc and without stdio: its name, when it began, how big it is and may
 * get, and sixteen random bytes that no other process has, by which captures of one process are told from those of
 * another.
 */
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "cgroup.h"
#include "parts.h"

size_t hsa_read_text(const char *path, char *out, size_t size)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t used = 0;
    while (fd >= 0 && used < size - 1) {
        const ssize_t got = read(fd, out + used, size - 1 - used);
        if (got <= 0) break;
        used += (size_t)got;
    }
    if (fd >= 0) close(fd);
    out[used] = '\0';
    return used;
}

/* The number in front of `*at`, which goes behind it. */
static uint64_t take_number(const char **at)
{
    uint64_t number = 0;
    while (**at == ' ' || **at == '\t')
        (*at)++;
    for (; **at >= '0' && **at <= '9'; (*at)++)
        number = number * 10 + (uint64_t)(**at - '0');
    return number;
}

/* ---- when it began ---- */

/* The line "btime SECONDS" of /proc/stat, which stands far behind a line that has no end. */
static uint64_t boot_seconds(void)
{
    static const char key[] = "\nbtime ";
    char piece[1024];
    size_t matched = 0;
    uint64_t seconds = 0;
    bool is_number = false, is_over = false;
    const int fd = open("/proc/stat", O_RDONLY | O_CLOEXEC);
    ssize_t got;
    while (fd >= 0 && !is_over && (got = read(fd, piece, sizeof piece)) > 0) {
        for (ssize_t i = 0; i < got && !is_over; i++) {
            const char c = piece[i];
            if (is_number) {
                is_over = c < '0' || c > '9';
                if (!is_over) seconds = seconds * 10 + (uint64_t)(c - '0');
            } else {
                matched = c == key[matched] ? matched + 1 : c == key[0];
                is_number = matched == sizeof key - 1;
            }
        }
    }
    if (fd >= 0) close(fd);
    return seconds;
}

/* Field 22 of stat: ticks from the boot on. The name in field 2 may hold anything, brackets too. */
static uint64_t start_ticks(void)
{
    char text[1024];
    if (hsa_read_text("/proc/self/stat", text, sizeof text) == 0) return 0;
    const char *at = strrchr(text, ')');
    for (int field = 2; at != NULL && field < 22; field++)
        at = strchr(at + 1, ' ');
    return at == NULL ? 0 : take_number(&at);
}

static uint64_t start_unix_ns(void)
{
    const uint64_t boot = boot_seconds(), ticks = start_ticks();
    const long hertz = sysconf(_SC_CLK_TCK);
    if (boot == 0 || ticks == 0 || hertz <= 0) return 0;
    return boot * 1000000000u + ticks * (1000000000u / (uint64_t)hertz);
}

/* ---- who it is ---- */

static void know_name(char name[64])
{
    memset(name, 0, 64);
    if (hsa_read_text("/proc/self/comm", name, 64) == 0) prctl(PR_GET_NAME, name);
    name[strcspn(name, "\n")] = '\0';
}

static void draw_domain(uint8_t domain[16])
{
    uint64_t words[2] = {0, 0};
    if (getrandom(words, sizeof words, GRND_NONBLOCK) != (ssize_t)sizeof words) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        words[0] = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
        words[1] = (uint64_t)getpid() * UINT64_C(0x9e3779b97f4a7c15) ^ hsa_now_ns();
    }
    memcpy(domain, words, sizeof words);
}

/* A step of a hash: texts that differ in one byte differ in all of it. */
static uint64_t mixed(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static uint64_t mixed_text(uint64_t hash, const char *text)
{
    for (; *text != '\0'; text++)
        hash = mixed(hash, (unsigned char)*text);
    return hash;
}

void hsa_keep_domain(hsa_self *self)
{
    char boot[64], space[64] = "";
    const uint64_t ticks = start_ticks();
    if (hsa_read_text("/proc/sys/kernel/random/boot_id", boot, sizeof boot) == 0 || ticks == 0) return;
    const ssize_t size = readlink("/proc/self/ns/pid", space, sizeof space - 1);
    space[size > 0 ? size : 0] = '\0';
    for (uint64_t half = 0; half < 2; half++) {
        uint64_t hash = mixed_text(mixed_text(half + 1, boot), space);
        hash = mixed(mixed(hash, self->pid), ticks);
        /* where they lie: another place behind each exec */
        hash = mixed(mixed(hash, getauxval(AT_RANDOM)), getauxval(AT_SYSINFO_EHDR));
        memcpy(self->domain + half * sizeof hash, &hash, sizeof hash);
    }
}

void hsa_know_self(hsa_self *self)
{
    static uint8_t domain[16];
    static uint64_t domain_pid, started;
    static atomic_flag is_drawing = ATOMIC_FLAG_INIT; /* held for microseconds, by agents' threads alone */
    *self = (hsa_self){.pid = (uint64_t)getpid()};
    know_name(self->name);
    for (int tries = 0; atomic_flag_test_and_set(&is_drawing) && tries < 1000; tries++)
        nanosleep(&(struct timespec){.tv_nsec = 10000}, NULL);
    if (domain_pid != self->pid) {
        draw_domain(domain);
        started = start_unix_ns();
        domain_pid = self->pid;
    }
    memcpy(self->domain, domain, sizeof domain);
    self->started_unix_ns = started;
    atomic_flag_clear(&is_drawing);
}

void hsa_describe(hsc_options *options, const hsa_self *self)
{
    options->process_name = self->name[0] == '\0' ? NULL : self->name;
    options->pid = self->pid;
    options->started_unix_ns = self->started_unix_ns;
    options->pointer_bytes = sizeof(void *);
    memcpy(options->domain, self->domain, sizeof options->domain);
}

/* ---- how big it is ---- */

void hsa_measure(hsa_metrics *metrics)
{
    char text[4096];
    *metrics = (hsa_metrics){0};
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    if (hsa_read_text("/proc/self/statm", text, sizeof text) > 0) {
        const char *at = text;
        take_number(&at);
        const uint64_t resident = take_number(&at), shared = take_number(&at);
        metrics->rss_bytes = resident * page;
        metrics->private_bytes = (resident > shared ? resident - shared : 0) * page;
    }
    if (hsa_read_text("/proc/self/status", text, sizeof text) > 0) {
        const char *at = strstr(text, "\nThreads:");
        if (at != NULL) {
            at += sizeof "\nThreads:" - 1;
            metrics->threads = take_number(&at);
        }
    }
    metrics->limit_bytes = hsa_group_limit();
}

hsc_status hsa_write_metrics(hsc_writer *w, const hsa_metrics *metrics)
{
    if (metrics->rss_bytes > 0) hsc_metric(w, "process.rss", "bytes", metrics->rss_bytes);
    if (metrics->private_bytes > 0) hsc_metric(w, "process.private", "bytes", metrics->private_bytes);
    if (metrics->limit_bytes > 0) hsc_metric(w, "process.limit", "bytes", metrics->limit_bytes);
    return metrics->threads > 0 ? hsc_metric(w, "threads", "count", metrics->threads) : HSC_OK;
}
