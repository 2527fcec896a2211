/*
 * Options that several commands take, for the lists of their cmd_*.c. One name means the same in every command that
 * takes it; where its values differ it has several rows, each for commands of its own.
 */
#ifndef CLI_OPTIONS_COMMON_H
#define CLI_OPTIONS_COMMON_H

#include "keys.h"
#include "options/options.h"

extern const cli_option cli_option_format_of_one, cli_option_format_of_growth, cli_option_html, cli_option_also,
    cli_option_warmup, cli_option_label, cli_option_label_of_fleet, cli_option_survivors, cli_option_cohorts,
    cli_option_no_cohorts, cli_option_identities, cli_option_places, cli_option_max_bytes,
    cli_option_format_of_captures, cli_option_count, cli_option_way, cli_option_open_inspector, cli_option_remote,
    cli_option_timeout, cli_option_symbols, cli_option_open, cli_option_port, cli_option_ipv6, cli_option_idle,
    cli_option_top, cli_option_summary, cli_option_no_holders, cli_option_partial, cli_option_partial_capture,
    cli_option_match, cli_option_key, cli_option_min, cli_option_bytes, cli_option_plain, cli_option_wide,
    cli_option_from, cli_option_exe, cli_option_dump, cli_option_with_values, cli_option_values_of_dumps,
    cli_option_final_is_strong, cli_option_level, cli_option_output, cli_option_force, cli_option_memory,
    cli_option_temp_dir, cli_option_threads, cli_option_no_progress, cli_option_no_sandbox, cli_option_color,
    cli_option_quiet, cli_option_verbose, cli_option_help, cli_option_version;

/* Appends a name to the choices "a|b", as far as there is room. */
void cli_add_choice(char *choices, size_t room, const char *name);

/* The formats of reports, those that hold checks alone among them: "text|json|…". */
const char *cli_formats_of_checks(void);

/* Of every command that ends in a report: its form and its files; and how numbers and names stand in its tables. */
#define CLI_OPTIONS_OF_A_REPORT &cli_option_format_of_growth, &cli_option_html, &cli_option_also, &cli_option_max_bytes
#define CLI_OPTIONS_OF_TABLES   &cli_option_bytes, &cli_option_plain, &cli_option_wide

/* Of every command that takes foreign dumps, and imports them on the way. */
#define CLI_OPTIONS_OF_DUMPS &cli_option_from, &cli_option_exe, &cli_option_dump, &cli_option_final_is_strong

/* Last in the lists: of every command that works, and of help, which names the first two itself. */
#define CLI_OPTIONS_OF_A_PAGE                                                                                          \
    &cli_option_color, &cli_option_quiet, &cli_option_verbose, &cli_option_help, &cli_option_version
#define CLI_OPTIONS_OF_WORK                                                                                            \
    &cli_option_output, &cli_option_force, &cli_option_memory, &cli_option_temp_dir, &cli_option_threads,              \
        &cli_option_no_progress, CLI_OPTIONS_OF_A_PAGE

/* And of every command that has a sandbox (sandbox_policy.c). */
#define CLI_OPTIONS_OF_READING                                                                                         \
    &cli_option_identity, &cli_option_output, &cli_option_force, &cli_option_memory, &cli_option_temp_dir,             \
        &cli_option_threads, &cli_option_no_sandbox, &cli_option_no_progress, CLI_OPTIONS_OF_A_PAGE

#endif
