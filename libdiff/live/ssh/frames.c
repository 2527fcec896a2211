/*
 * Frames as they arrive, and the lines in them. Both come from another machine: sizes are bounded before anything is
 * kept, numbers are digits or nothing.
 */
#include "live/ssh/frames.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live/ssh/address.h"

void hsd_frame_header(uint8_t out[HSD_FRAME_HEADER], char kind, size_t size)
{
    out[0] = (uint8_t)kind;
    for (int i = 0; i < 4; i++)
        out[1 + i] = (uint8_t)(size >> (8 * i));
}

/* ---- arriving ---- */

/* No byte but its first occurs in the magic's beginning again: where it breaks off it begins anew, at most with this
 * very byte. */
static hsd_status find_magic(hsd_frames *frames, uint8_t byte, hsd_error *err)
{
    static const char magic[] = HSD_FRAMES_MAGIC;
    if (byte == (uint8_t)magic[frames->magic_seen]) {
        frames->has_begun = ++frames->magic_seen == sizeof magic - 1;
        return HSD_OK;
    }
    frames->noise_bytes += frames->magic_seen + 1;
    frames->magic_seen = byte == (uint8_t)magic[0];
    if (frames->noise_bytes <= HSD_FRAMES_NOISE_MAX) return HSD_OK;
    return hsd_fail(err, HSD_E_NOT_THIS_FORMAT, "the other end says something else than a capture");
}

static hsd_status begin_frame(hsd_frames *frames, hsd_error *err)
{
    const uint8_t *h = frames->header;
    frames->left = (uint32_t)h[1] | (uint32_t)h[2] << 8 | (uint32_t)h[3] << 16 | (uint32_t)h[4] << 24;
    frames->text_size = 0;
    const bool is_data = h[0] == 'D', is_text = h[0] == 'H' || h[0] == 'E' || h[0] == 'P';
    if ((is_data && frames->left <= HSD_FRAME_DATA_MAX) || (is_text && frames->left <= HSD_FRAME_TEXT_MAX))
        return HSD_OK;
    return hsd_fail(err, HSD_E_CORRUPT, "the other end sends what is no part of a capture");
}

static hsd_status end_frame(hsd_frames *frames, const hsd_frames_taker *taker, hsd_error *err)
{
    bool goes_on = true;
    frames->text[frames->text_size] = '\0';
    if (frames->header[0] == 'H') goes_on = taker->process(taker->context, frames->text);
    if (frames->header[0] == 'E') {
        frames->has_ended = true;
        taker->end(taker->context, frames->text);
    }
    frames->header_size = 0;
    return goes_on ? HSD_OK : hsd_fail(err, HSD_E_CANCELLED, "the capture is not wanted any more");
}

/* What there is of the frame's body; *used says how much. */
static hsd_status take_body(hsd_frames *frames, const uint8_t *data, size_t size, size_t *used,
                            const hsd_frames_taker *taker, hsd_error *err)
{
    *used = size < frames->left ? size : frames->left;
    frames->left -= (uint32_t)*used;
    if (frames->header[0] == 'D') {
        if (*used > 0 && !taker->data(taker->context, data, *used))
            return hsd_fail(err, HSD_E_CANCELLED, "the capture is not wanted any more");
    } else {
        memcpy(frames->text + frames->text_size, data, *used);
        frames->text_size += *used;
    }
    return frames->left == 0 ? end_frame(frames, taker, err) : HSD_OK;
}

hsd_status hsd_frames_take(hsd_frames *frames, const uint8_t *data, size_t size, const hsd_frames_taker *taker,
                           hsd_error *err)
{
    for (size_t at = 0; at < size && !frames->has_ended;) {
        if (!frames->has_begun) {
            HSD_TRY(find_magic(frames, data[at++], err));
            continue;
        }
        if (frames->header_size < HSD_FRAME_HEADER) {
            frames->header[frames->header_size++] = data[at++];
            if (frames->header_size < HSD_FRAME_HEADER) continue;
            HSD_TRY(begin_frame(frames, err));
            if (frames->left == 0) HSD_TRY(end_frame(frames, taker, err));
            continue;
        }
        size_t used = 0;
        HSD_TRY(take_body(frames, data + at, size - at, &used, taker, err));
        at += used;
    }
    return HSD_OK;
}

/* ---- lines ---- */

/* The next line of *text, split at its first space; NULL at an empty one or the end. */
static char *next_line(char **text, char **value)
{
    char *line = *text, *end = strchr(line, '\n');
    if (*line == '\0' || *line == '\n') {
        *text = *line == '\n' ? line + 1 : line;
        return NULL;
    }
    *text = end == NULL ? line + strlen(line) : end + 1;
    if (end != NULL) *end = '\0';
    *value = strchr(line, ' ');
    if (*value == NULL) return *value = line + strlen(line), line;
    *(*value)++ = '\0';
    return line;
}

static void read_text(char *out, size_t size, char *value)
{
    if (!hsd_percent_decode(value)) value[0] = '\0';
    snprintf(out, size, "%s", value);
}

static uint64_t read_number(const char *value)
{
    uint64_t number = 0;
    for (; *value >= '0' && *value <= '9'; value++) {
        if (__builtin_mul_overflow(number, (uint64_t)10, &number) ||
            __builtin_add_overflow(number, (uint64_t)(*value - '0'), &number))
            return 0;
    }
    return *value == '\0' ? number : 0;
}

/* A way of a hsdiff there that is not known here has no name here. */
static const char *find_way(const char *name)
{
    for (size_t i = 0; hsd_way_name(i) != NULL; i++)
        if (strcmp(hsd_way_name(i), name) == 0) return hsd_way_name(i);
    return "another";
}

static long read_pid(const char *value)
{
    const uint64_t pid = read_number(value);
    return pid <= INT32_MAX ? (long)pid : 0;
}

void hsd_frames_read_process(char *text, hsd_remote_answer *answer)
{
    hsd_process *process = &answer->process;
    char *value = NULL;
    process->stored = answer->stored;
    process->way = "another";
    for (char *key; (key = next_line(&text, &value)) != NULL;) {
        if (strcmp(key, "pid") == 0) process->pid = read_pid(value);
        if (strcmp(key, "started") == 0) process->started_unix_ns = read_number(value);
        if (strcmp(key, "name") == 0) read_text(process->name, sizeof process->name, value);
        if (strcmp(key, "runtime") == 0) read_text(process->runtime, sizeof process->runtime, value);
        if (strcmp(key, "stored") == 0) read_text(answer->stored, sizeof answer->stored, value);
        if (strcmp(key, "way") == 0) process->way = find_way(value);
    }
}

void hsd_frames_read_end(char *text, hsd_remote_answer *answer)
{
    char *value = NULL;
    answer->exit_status = 4;
    for (char *key; (key = next_line(&text, &value)) != NULL;) {
        const uint64_t number = read_number(value);
        if (strcmp(key, "exit") == 0) answer->exit_status = number <= 255 && *value != '\0' ? (int)number : 4;
        if (strcmp(key, "pause_ns") == 0) answer->result.pause_ns = number;
    }
    snprintf(answer->said, sizeof answer->said, "%s", text);
}

/* ---- telling ---- */

static void tell_ssh_frame(int report, const char *text, int size, size_t room)
{
    const size_t length = size < 0 ? 0 : (size_t)size < room ? (size_t)size : room - 1;
    /* a pipe of our own, that has room: nobody is there to hear that it failed */
    (void)!write(report, text, length);
}

void hsd_remote_tell_process(int report, const hsd_process *process)
{
    char text[1024], name[sizeof process->name * 3], runtime[sizeof process->runtime * 3], stored[256];
    hsd_percent_encode(name, sizeof name, process->name);
    hsd_percent_encode(runtime, sizeof runtime, process->runtime);
    hsd_percent_encode(stored, sizeof stored, process->stored == NULL ? "" : process->stored);
    const int size =
        snprintf(text, sizeof text, "pid %ld\nname %s\nruntime %s\nway %s\nstarted %" PRIu64 "\nstored %s\n\n",
                 process->pid, name, runtime, process->way == NULL ? "" : process->way, process->started_unix_ns,
                 stored);
    tell_ssh_frame(report, text, size, sizeof text);
}

void hsd_remote_tell_result(int report, const hsd_live_result *result)
{
    char text[64];
    tell_ssh_frame(report, text, snprintf(text, sizeof text, "pause_ns %" PRIu64 "\n", result->pause_ns), sizeof text);
}
