/* Small files of /proc (proc.h). */
#include "native/proc.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int hsn_proc_number(const char *text)
{
    int n = 0;
    while (*text >= '0' && *text <= '9' && n < 100 * 1000 * 1000)
        n = n * 10 + (*text++ - '0');
    return n;
}

static char *add_text(char *at, const char *text)
{
    const size_t size = strlen(text);
    memcpy(at, text, size);
    return at + size;
}

static char *add_number(char *at, int number)
{
    char digits[12];
    size_t first = sizeof digits;
    do
        digits[--first] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    memcpy(at, digits + first, sizeof digits - first);
    return at + sizeof digits - first;
}

void hsn_proc_path(char out[HSN_PROC_PATH], int pid, int tid, const char *file)
{
    char *at = add_text(out, "/proc/");
    at = pid > 0 ? add_number(at, pid) : add_text(at, "self");
    if (tid > 0) at = add_number(add_text(at, "/task/"), tid);
    *at++ = '/';
    *add_text(at, file) = '\0';
}

void hsn_proc_thread_name(int pid, int tid, char out[16])
{
    char path[HSN_PROC_PATH];
    hsn_proc_path(path, pid, tid, "comm");
    const size_t size = hsa_read_text(path, out, 16);
    if (size > 0 && out[size - 1] == '\n') out[size - 1] = '\0';
}

static uint64_t hexadecimal(const char *text)
{
    uint64_t n = 0;
    for (;; text++) {
        if (*text >= '0' && *text <= '9')
            n = n << 4 | (uint64_t)(*text - '0');
        else if (*text >= 'a' && *text <= 'f')
            n = n << 4 | (uint64_t)(*text - 'a' + 10);
        else
            return n;
    }
}

bool hsn_proc_blocks(int tid, int signal)
{
    enum { CANCEL = 32 }; /* glibc's own; it takes it out of every mask that a program sets */
    char path[HSN_PROC_PATH], text[2048];
    static const char key[] = "\nSigBlk:\t";
    hsn_proc_path(path, 0, tid, "status");
    hsa_read_text(path, text, sizeof text);
    const char *line = strstr(text, key);
    if (line == NULL) return false;
    const uint64_t mask = hexadecimal(line + sizeof key - 1);
    return (mask >> (signal - 1) & 1) != 0 && (mask >> (CANCEL - 1) & 1) == 0;
}

void hsn_proc_put(const char *path, const char *text)
{
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return;
    if (write(fd, text, strlen(text)) < 0) {
        /* A limit stays as it was: nothing depends on it. */
    }
    close(fd);
}

/* A line of maps, as far as it is read. */
typedef struct line {
    enum { LOW, HIGH, REST } part;
    uintptr_t low, high;
} line;

/* True when both numbers are there. */
static bool add_byte(line *l, char c)
{
    const uintptr_t digit = (uintptr_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    if (c == '\n') {
        *l = (line){0};
    } else if (l->part == LOW) {
        if (c == '-')
            l->part = HIGH;
        else
            l->low = l->low << 4 | digit;
    } else if (l->part == HIGH) {
        if (c != ' ')
            l->high = l->high << 4 | digit;
        else
            l->part = REST;
        return c == ' ';
    }
    return false;
}

hsn_range hsn_proc_mapping(uintptr_t address)
{
    char text[4096];
    line l = {0};
    hsn_range found = {0, 0};
    ssize_t size;
    const int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && found.high == 0 && (size = read(fd, text, sizeof text)) > 0)
        for (ssize_t i = 0; i < size; i++)
            if (add_byte(&l, text[i]) && address >= l.low && address < l.high) found = (hsn_range){l.low, l.high};
    if (fd >= 0) close(fd);
    return found;
}
