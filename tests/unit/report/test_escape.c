/*
 * Foreign text made harmless, one form after the other. The hundred hostile names that every format must
 * survive are tested against other programs' parsers in tests/cli.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "report/words/escape.h"
#include "report/words/utf8.h"

static char out[512];

static const char *escaped(hsd_escape_form form, const char *text)
{
    hsd_escape(form, text, strlen(text), out, sizeof out);
    return out;
}

#define GIVES(form, text, wanted) cr_expect_str_eq(escaped(form, text), wanted)

Test(escape, leaves_ordinary_names_alone)
{
    GIVES(HSD_ESCAPE_TERMINAL, "java.util.HashMap$Node[]", "java.util.HashMap$Node[]");
    GIVES(HSD_ESCAPE_TERMINAL, "App\\Model\\User", "App\\Model\\User");
    GIVES(HSD_ESCAPE_TERMINAL,
          "Stra\xC3\x9F"
          "e \xE6\x97\xA5",
          "Stra\xC3\x9F"
          "e \xE6\x97\xA5");
}

Test(escape, makes_visible_what_a_terminal_would_obey)
{
    GIVES(HSD_ESCAPE_TERMINAL, "\x1b[31mred", "\\x1b[31mred");
    GIVES(HSD_ESCAPE_TERMINAL, "a\tb\nc\rd\x7f", "a\\x09b\\x0ac\\x0dd\\x7f");
    GIVES(HSD_ESCAPE_TERMINAL,
          "\xC2\x9B"
          "31m",
          "\\u009b31m"); /* C1 as a character */
    GIVES(HSD_ESCAPE_TERMINAL,
          "\x9B"
          "31m",
          "\\x9b31m"); /* and as a raw byte */
    GIVES(HSD_ESCAPE_TERMINAL,
          "a\xE2\x80\xAE"
          "b",
          "a\\u202eb");
    GIVES(HSD_ESCAPE_TERMINAL,
          "a\xE2\x80\x8B"
          "b",
          "a\\u200bb");
    GIVES(HSD_ESCAPE_TERMINAL,
          "a\xE2\x81\xA6"
          "b",
          "a\\u2066b");
    GIVES(HSD_ESCAPE_TERMINAL,
          "a\xF3\xA0\x81\x81"
          "b",
          "a\\U000e0041b");
    GIVES(HSD_ESCAPE_TERMINAL, "\xFF\xC3(", "\\xff\\xc3(");
    GIVES(HSD_ESCAPE_TERMINAL, "\xED\xA0\x80", "\\xed\\xa0\\x80"); /* a surrogate is no character */
}

Test(escape, doubles_a_backslash_only_where_it_would_lie)
{
    GIVES(HSD_ESCAPE_TERMINAL, "\\x1b", "\\\\x1b");
    GIVES(HSD_ESCAPE_TERMINAL, "a\\\x1b", "a\\\\\\x1b");
    GIVES(HSD_ESCAPE_TERMINAL, "\\\\", "\\\\\\"); /* the first is doubled, the last stands alone */
    GIVES(HSD_ESCAPE_TERMINAL, "a\\", "a\\");
    GIVES(HSD_ESCAPE_TERMINAL, "\\User\\xyz", "\\User\\xyz"); /* no digits: no mark */
    GIVES(HSD_ESCAPE_TERMINAL, "\\uface", "\\\\uface");
    GIVES(HSD_ESCAPE_TERMINAL, "\\U0001f4a", "\\U0001f4a");
}

Test(escape, breaks_up_commands_of_build_servers)
{
    GIVES(HSD_ESCAPE_TERMINAL, "::error file=a::b", "\\x3a:error file=a::b");
    GIVES(HSD_ESCAPE_TERMINAL, "  ::error", "  \\x3a:error");
    GIVES(HSD_ESCAPE_TERMINAL, "std::string", "std::string");
    GIVES(HSD_ESCAPE_TERMINAL, "a##[group]", "a\\x23#[group]");
    GIVES(HSD_ESCAPE_JSON, "##vso[", "\\u0023#vso[");
}

Test(escape, shows_ascii_alone_where_that_is_all_there_is)
{
    GIVES(HSD_ESCAPE_ASCII,
          "Stra\xC3\x9F"
          "e",
          "Stra\\u00dfe");
    GIVES(HSD_ESCAPE_ASCII, "\xF0\x9F\x92\xA9", "\\U0001f4a9");
}

Test(escape, writes_the_inside_of_a_json_string)
{
    GIVES(HSD_ESCAPE_JSON, "a\"b\\c/", "a\\\"b\\\\c/");
    GIVES(HSD_ESCAPE_JSON, "\b\t\n\f\r\x01\x1f\x7f", "\\b\\t\\n\\f\\r\\u0001\\u001f\\u007f");
    GIVES(HSD_ESCAPE_JSON, "\xE2\x80\xA8\xE2\x80\xA9", "\\u2028\\u2029");
    GIVES(HSD_ESCAPE_JSON, "\xF3\xA0\x81\x81", "\\udb40\\udc41");
    GIVES(HSD_ESCAPE_JSON, "\xFFx\xE2\x82", "\xEF\xBF\xBDx\xEF\xBF\xBD"); /* one mark for a cut-off character */
}

Test(escape, writes_csv_fields)
{
    GIVES(HSD_ESCAPE_CSV, "plain", "plain");
    GIVES(HSD_ESCAPE_CSV, "a,b", "\"a,b\"");
    GIVES(HSD_ESCAPE_CSV, "say \"hi\"", "\"say \"\"hi\"\"\"");
    GIVES(HSD_ESCAPE_CSV, "two\nlines", "two\\x0alines");
    GIVES(HSD_ESCAPE_CSV, "", "");
    GIVES(HSD_ESCAPE_CSV, " a", "\" a\"");
}

Test(escape, keeps_spreadsheets_from_computing)
{
    GIVES(HSD_ESCAPE_CSV, "=1+1", "\"'=1+1\"");
    GIVES(HSD_ESCAPE_CSV, "+a", "\"'+a\"");
    GIVES(HSD_ESCAPE_CSV, "-a", "\"'-a\"");
    GIVES(HSD_ESCAPE_CSV, "@a", "\"'@a\"");
    GIVES(HSD_ESCAPE_CSV, "'a", "\"''a\""); /* so that a leading ' can be taken off again */
    GIVES(HSD_ESCAPE_CSV,
          "\xEF\xBC\x9D"
          "1",
          "\"'\xEF\xBC\x9D"
          "1\"");
}

Test(escape, quotes_words_of_a_shell)
{
    GIVES(HSD_ESCAPE_SHELL, "a/b-c.hs", "a/b-c.hs");
    GIVES(HSD_ESCAPE_SHELL, "", "''");
    GIVES(HSD_ESCAPE_SHELL, "it's $HOME", "'it'\\''s $HOME'");
    GIVES(HSD_ESCAPE_SHELL, "a\x1b'b", "$'a\\x1b\\'b'");
    GIVES(HSD_ESCAPE_SHELL, "-rf", "./-rf");
    GIVES(HSD_ESCAPE_SHELL, "-", "-");
}

/* The whole or a beginning, never past the end, always a NUL. */
Test(escape, writes_no_more_than_there_is_room_for)
{
    const char *name = "a\x1b\xE2\x80\xAE\"=,";
    for (int form = HSD_ESCAPE_TERMINAL; form <= HSD_ESCAPE_SHELL; form++) {
        char whole[128];
        const size_t needed = hsd_escape((hsd_escape_form)form, name, strlen(name), whole, sizeof whole);
        cr_assert_eq(needed, strlen(whole));
        for (size_t capacity = 0; capacity <= needed + 1; capacity++) {
            char *room = malloc(capacity + 1);
            room[capacity] = 'Z';
            cr_expect_eq(hsd_escape((hsd_escape_form)form, name, strlen(name), room, capacity), needed);
            cr_expect(room[capacity] == 'Z');
            if (capacity > 0) cr_expect(strncmp(whole, room, strlen(room)) == 0);
            if (capacity > needed) cr_expect_str_eq(room, whole);
            free(room);
        }
    }
}

/* Every 32-bit beginning of a sequence is either the character that the encoder would write, or bad. */
Test(utf8, agrees_with_its_encoder_on_every_character)
{
    for (uint32_t code = 0; code < 0x110000; code++) {
        char bytes[4];
        uint32_t read;
        const size_t size = hsd_utf8_put(bytes, code);
        const size_t taken = hsd_utf8_next(bytes, size, &read);
        if (code >= 0xD800 && code < 0xE000)
            cr_assert(read == HSD_UTF8_BAD);
        else
            cr_assert(read == code && taken == size, "U+%04X", code);
        for (size_t cut = 1; cut < size; cut++)
            cr_assert(hsd_utf8_next(bytes, cut, &read) <= cut && read == HSD_UTF8_BAD);
    }
}

Test(utf8, takes_at_least_one_byte_of_anything)
{
    for (unsigned a = 0; a < 256; a++)
        for (unsigned b = 0; b < 256; b++) {
            const char bytes[4] = {(char)a, (char)b, (char)0xBF, (char)0xBF};
            uint32_t code;
            const size_t taken = hsd_utf8_next(bytes, 4, &code);
            cr_assert(taken >= 1 && taken <= 4);
            cr_assert(code == HSD_UTF8_BAD || code < 0x110000);
        }
}

/* ---- formats with a syntax of their own ---- */

Test(escape, makes_names_code_in_markdown)
{
    GIVES(HSD_ESCAPE_MARKDOWN, "Session", "`Session`");
    GIVES(HSD_ESCAPE_MARKDOWN, "List`1[[Map``2]]", "```List`1[[Map``2]]```");
    GIVES(HSD_ESCAPE_MARKDOWN, "`", "`` ` ``");
    GIVES(HSD_ESCAPE_MARKDOWN, "a|b", "`a\\x7cb`");
    GIVES(HSD_ESCAPE_MARKDOWN, "a\\|b\n", "`a\\\\\\x7cb\\x0a`");
    GIVES(HSD_ESCAPE_MARKDOWN, " a ", "`  a  `");
    GIVES(HSD_ESCAPE_MARKDOWN, "  ", "`  `");
    GIVES(HSD_ESCAPE_MARKDOWN, "", "");
}

Test(escape, leaves_prose_to_be_read)
{
    GIVES(HSD_ESCAPE_MARKDOWN_PROSE, "the live heap grew 16.0 MiB (+63%), in 1,204 objects: it's built-in.",
          "the live heap grew 16.0 MiB (+63%), in 1,204 objects: it's built-in.");
    GIVES(HSD_ESCAPE_MARKDOWN_PROSE, "type @team grew, see #1 and http://x",
          "type `@team` grew, see `#1` and `http://x`");
    GIVES(HSD_ESCAPE_MARKDOWN_PROSE, "1. a_b <c> GH-7 %m deadbeef www.x.y",
          "`1.` `a_b` `<c>` `GH-7` `%m` `deadbeef` `www.x.y`");
    GIVES(HSD_ESCAPE_MARKDOWN_PROSE, "    code  ", "code");
    GIVES(HSD_ESCAPE_MARKDOWN_PROSE, "a.hs, 2026-11-20 17:28:16Z, a_b: c#d; :x: ,,",
          "a.hs, `2026-11-20` `17:28:16Z`, `a_b`: `c#d`; `:x`: ,,");
}

Test(escape, keeps_to_the_characters_of_xml)
{
    GIVES(HSD_ESCAPE_XML, "<a href=\"x\">it's & ]]></a>",
          "&lt;a href=&quot;x&quot;&gt;it&apos;s &amp; ]]&gt;&lt;/a&gt;");
    GIVES(HSD_ESCAPE_XML, "a\x01\tb\xEF\xBF\xBE\xFF", "a\\x01\\x09b\\ufffe\\xff");
}

Test(escape, ends_no_label_and_no_command)
{
    GIVES(HSD_ESCAPE_OPENMETRICS, "a\"} 1\n\\b\\x0a", "a\\\"} 1\\\\x0a\\\\b\\\\\\\\x0a");
    GIVES(HSD_ESCAPE_GITHUB_DATA, "100%\n::error::x, a:b", "100%25\\x0a::error::x, a:b");
    GIVES(HSD_ESCAPE_GITHUB_PROPERTY, "100%, a:b\r", "100%25%2C a%3Ab\\x0d");
}
