/*
 * What a capture over ssh is addressed by, said in, and quoted as.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "live/ssh/address.h"
#include "live/ssh/frames.h"

/* ---- addresses ---- */

static bool parses(const char *word, hsd_remote *out)
{
    hsd_error err;
    hsd_error_init(&err);
    const hsd_status status = hsd_remote_parse(out, word, &err);
    cr_assert(status == HSD_OK || (status == HSD_E_UNSUPPORTED && err.text[0] != '\0' && err.hint[0] != '\0'));
    return status == HSD_OK;
}

Test(ssh, an_address_has_up_to_four_parts)
{
    hsd_remote at;
    cr_assert(parses("ssh://shop/1234", &at));
    cr_expect_str_eq(at.host, "shop");
    cr_expect_str_eq(at.name, "1234");
    cr_expect_str_empty(at.user);
    cr_expect_eq(at.port, 0);
    cr_assert(parses("ssh://ann@[::1]:2222/it's%20%25", &at));
    cr_expect_str_eq(at.user, "ann");
    cr_expect_str_eq(at.host, "::1");
    cr_expect_str_eq(at.name, "it's %");
    cr_expect_eq(at.port, 2222);
    cr_assert(parses("ssh://shop.example.org", &at));
    cr_expect_str_empty(at.name);
}

Test(ssh, what_ssh_or_a_shell_would_take_for_more_is_refused)
{
    static const char *const wrong[] = {"ssh://",        "ssh:///1",        "ssh://-oProxyCommand=x/1",
                                        "ssh://a@-h/1",  "ssh://-l@h/1",    "ssh://@h/1",
                                        "ssh://a@b@c/1", "ssh://h;x/1",     "ssh://$h/1",
                                        "ssh://`h`/1",   "ssh://h h/1",     "ssh://h:/1",
                                        "ssh://h:0/1",   "ssh://h:65536/1", "ssh://h:1x/1",
                                        "ssh://[::1/1",  "ssh://[::1]x/1",  "ssh://h/-x",
                                        "ssh://h/%0A",   "ssh://h/%00",     "ssh://h/%",
                                        "ssh://h/%4",    "ssh://h/a\nb",    "ssh://h/%2Dx",
                                        "http://h/1"};
    hsd_remote at;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        cr_expect(!parses(wrong[i], &at), "%s", wrong[i]);
}

Test(ssh, parts_that_are_too_long_are_refused)
{
    char word[600];
    hsd_remote at;
    snprintf(word, sizeof word, "ssh://%0300d/1", 0);
    cr_expect(!parses(word, &at));
    snprintf(word, sizeof word, "ssh://%064d@h/1", 0);
    cr_expect(!parses(word, &at));
    snprintf(word, sizeof word, "ssh://h/%0256d", 0);
    cr_expect(!parses(word, &at));
    snprintf(word, sizeof word, "ssh://h/%0255d", 0);
    cr_expect(parses(word, &at));
}

Test(ssh, words_are_quoted_for_any_shell)
{
    const char *const words[] = {"capture", "it's", "$(x) `y` \"z\" \\ *", ""};
    char *line = hsd_remote_line("sudo -n hsdiff", words, 4);
    cr_expect_str_eq(line, "sudo -n hsdiff 'capture' 'it'\\''s' '$(x) `y` \"z\" \\ *' ''");
    free(line);
}

/* ---- frames ---- */

typedef struct heard {
    hsd_remote_answer answer;
    char data[64];
    size_t size;
    unsigned processes, ends;
    bool is_enough;
} heard;

static bool take_process(void *context, char *text)
{
    heard *self = context;
    self->processes++;
    hsd_frames_read_process(text, &self->answer);
    return !self->is_enough;
}

static bool take_data(void *context, const uint8_t *data, size_t size)
{
    heard *self = context;
    cr_assert(size > 0 && self->size + size <= sizeof self->data);
    memcpy(self->data + self->size, data, size);
    self->size += size;
    return true;
}

static void take_end(void *context, char *text)
{
    heard *self = context;
    self->ends++;
    hsd_frames_read_end(text, &self->answer);
}

static size_t put(uint8_t *to, char kind, const char *text)
{
    hsd_frame_header(to, kind, strlen(text));
    memcpy(to + HSD_FRAME_HEADER, text, strlen(text));
    return HSD_FRAME_HEADER + strlen(text);
}

static hsd_status take_in_pieces(heard *self, const uint8_t *bytes, size_t size, size_t piece)
{
    static hsd_frames frames;
    const hsd_frames_taker taker = {take_process, take_data, take_end, self};
    memset(&frames, 0, sizeof frames);
    for (size_t at = 0; at < size; at += piece)
        HSD_TRY(hsd_frames_take(&frames, bytes + at, size - at < piece ? size - at : piece, &taker, NULL));
    return HSD_OK;
}

static size_t put_text(uint8_t *to, const char *text)
{
    memcpy(to, text, strlen(text));
    return strlen(text);
}

static size_t a_stream(uint8_t *bytes)
{
    size_t size = put_text(bytes, "Welcome, hhsdiff!\n" HSD_FRAMES_MAGIC);
    size += put(bytes + size, 'P', "");
    size += put(bytes + size, 'H',
                "pid 77\nname a%0Ab\nruntime native\nway native\nstarted 12\nnew thing\nstored shapes only\n");
    size += put(bytes + size, 'D', "abc");
    size += put(bytes + size, 'D', "de");
    size += put(bytes + size, 'E', "exit 3\npause_ns 1234\n\nhsdiff: it was cut\n");
    return size + put(bytes + size, 'D', "late");
}

Test(ssh, frames_come_in_pieces_of_any_size)
{
    uint8_t bytes[512];
    const size_t size = a_stream(bytes);
    for (size_t piece = 1; piece <= size; piece++) {
        heard all = {.size = 0};
        cr_assert_eq(take_in_pieces(&all, bytes, size, piece), HSD_OK);
        cr_expect(all.size == 5 && memcmp(all.data, "abcde", 5) == 0 && all.processes == 1 && all.ends == 1);
        cr_expect_eq(all.answer.process.pid, 77);
        cr_expect_str_eq(all.answer.process.name, "a\nb");
        cr_expect_str_eq(all.answer.process.way, "native");
        cr_expect_str_eq(all.answer.process.stored, "shapes only");
        cr_expect_eq(all.answer.exit_status, 3);
        cr_expect_eq(all.answer.result.pause_ns, 1234);
        cr_expect_str_eq(all.answer.said, "hsdiff: it was cut\n");
    }
}

Test(ssh, frames_that_are_none_are_refused)
{
    uint8_t bytes[64];
    heard all = {.is_enough = true};
    const size_t begin = put_text(bytes, HSD_FRAMES_MAGIC);
    hsd_frame_header(bytes + begin, 'Z', 0);
    cr_expect_eq(take_in_pieces(&all, bytes, begin + HSD_FRAME_HEADER, 64), HSD_E_CORRUPT);
    hsd_frame_header(bytes + begin, 'E', HSD_FRAME_TEXT_MAX + 1);
    cr_expect_eq(take_in_pieces(&all, bytes, begin + HSD_FRAME_HEADER, 64), HSD_E_CORRUPT);
    hsd_frame_header(bytes + begin, 'D', HSD_FRAME_DATA_MAX + 1);
    cr_expect_eq(take_in_pieces(&all, bytes, begin + HSD_FRAME_HEADER, 64), HSD_E_CORRUPT);
    const size_t size = begin + put(bytes + begin, 'H', "pid 1\n");
    cr_expect_eq(take_in_pieces(&all, bytes, size, 64), HSD_E_CANCELLED);
    static uint8_t noise[HSD_FRAMES_NOISE_MAX + 2];
    cr_expect_eq(take_in_pieces(&all, noise, sizeof noise, 4096), HSD_E_NOT_THIS_FORMAT);
}

Test(ssh, lines_that_are_wrong_give_nothing)
{
    hsd_remote_answer answer = {.exit_status = 0};
    char process[] = "pid 99999999999\nname %zz\nstarted 99999999999999999999\nway nothing-known\nlonely\n";
    hsd_frames_read_process(process, &answer);
    cr_expect_eq(answer.process.pid, 0);
    cr_expect_str_empty(answer.process.name);
    cr_expect_eq(answer.process.started_unix_ns, 0);
    cr_expect_str_eq(answer.process.way, "another");
    char end[] = "exit 256\n\n";
    hsd_frames_read_end(end, &answer);
    cr_expect_eq(answer.exit_status, 4);
    char nothing[] = "";
    hsd_frames_read_end(nothing, &answer);
    cr_expect_eq(answer.exit_status, 4);
}

Test(ssh, tickets)
{
    cr_expect(hsd_remote_is_ticket("00112233445566778899aabbccddeeff:0"));
    cr_expect(hsd_remote_is_ticket("00112233445566778899aabbccddeeff:123456789012345678"));
    cr_expect(!hsd_remote_is_ticket("00112233445566778899aabbccddeeff"));
    cr_expect(!hsd_remote_is_ticket("00112233445566778899aabbccddeeff:"));
    cr_expect(!hsd_remote_is_ticket("00112233445566778899aabbccddeeff:1x"));
    cr_expect(!hsd_remote_is_ticket("00112233445566778899aabbccddeeff:1234567890123456789"));
    cr_expect(!hsd_remote_is_ticket("00112233445566778899AABBCCDDEEFF:0"));
    cr_expect(!hsd_remote_is_ticket(""));
}
