/*
 * How many columns of a terminal a text takes, by our own table of characters: the answer must not
 * depend on the locale, as wcwidth(3) does.
 */
#ifndef HSD_REPORT_WIDTH_H
#define HSD_REPORT_WIDTH_H

#include <stddef.h>
#include <stdint.h>

/* 0, 1 or 2. */
unsigned hsd_width_of_character(uint32_t code);

/* Columns of text that went through hsd_escape (nothing hidden is left in it). */
size_t hsd_width_of_text(const char *text, size_t size);

#endif
