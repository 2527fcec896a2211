/*
 * A fleet: the sums of many captures of many processes as a folder of Parquet files, and what grows in it. The folder
 * may be a bucket (s3://bucket/prefix), and tables of a PostgreSQL server (postgresql://host/database) stand for it.
 * Sums by type, root and place (hsdiff/profile.h) are rows whose keys two machines agree on without talking, so they
 * add wherever they meet. doc/fleet.md describes the tables.
 *
 *      captures ──hsd_fleet_writer_*──► store ──hsd_fleet_report_run──► what grows in one version and not in the one
 *                                         │                             before
 *                                         ├──hsd_fleet_sql──► the answer to any question
 *                                         └──hsd_fleet_compact──► fewer and smaller files
 *
 * Files of a store never change. They appear whole, a batch of captures at a time; several programs may add at once.
 *
 * What reads a store runs DuckDB's command: $HSDIFF_DUCKDB, else `duckdb` from PATH. Writing to a folder needs nothing.
 * For a bucket both do, with DuckDB's extension httpfs; for a database both run $HSDIFF_PSQL, else `psql` from PATH.
 * Who asks a bucket is said by the environment (AWS_ACCESS_KEY_ID and the like), or by a secret that DuckDB keeps; who
 * asks a database as libpq wants it. No secret gets into a message, or into the command line of a program.
 *
 * *What asking a store returns*, wherever this header says so:
 *
 *   HSD_E_NOT_FOUND    the store, or the command that asks it, is not there; the hint says how to get it
 *   HSD_E_UNSUPPORTED  an address that cannot be one, a server that is too old
 *   HSD_E_NOT_THIS_FORMAT  the folder is no store
 *   HSD_E_TOO_NEW      the store has a version that this build does not know
 *   HSD_E_CORRUPT      a file in it is torn, or none of ours; DuckDB cannot read it
 *   HSD_E_IO           the system refused, or the server, or it cannot be reached
 *   HSD_E_NOMEM        no memory
 */
#ifndef HSDIFF_FLEET_H
#define HSDIFF_FLEET_H

#include <hsdiff/profile.h>
#include <hsdiff/report.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- where a store is ---- */

typedef enum hsd_fleet_where { HSD_FLEET_FOLDER, HSD_FLEET_BUCKET, HSD_FLEET_DATABASE } hsd_fleet_where;

/* By how its name begins: s3:// is a bucket, postgresql:// and postgres:// are a database, all else is a folder. */
HSD_API hsd_fleet_where hsd_fleet_where_is(const char *store);

/* The name of a store as it may be shown: without a password. Cut at `room` bytes, the zero among them; returns `out`.
 */
HSD_API char *hsd_fleet_store_name(char *out, size_t room, const char *store);

/* ---- adding ---- */

#define HSD_FLEET_LABELS_MOST      64u
#define HSD_FLEET_LABEL_BYTES_MOST 1000u /* of a name, and of a value */

/* `service` is needed; version, host, pod are columns; all others are kept together. */
typedef struct hsd_fleet_label {
    const char *name, *value;
} hsd_fleet_label;

typedef struct hsd_fleet_writer hsd_fleet_writer;

typedef struct hsd_fleet_add_options {
    size_t struct_bytes; /* HSD_OPTIONS_INIT */
    const hsd_fleet_label *labels;
    size_t label_count;
    uint64_t taken_unix_ns; /* of a capture that does not say when it was taken; 0 = now */
    uint64_t floor_bytes;   /* rows with less fold into `other`; 0 = a 4,096th of the live bytes, at least 1 KiB */
    bool no_places;         /* stop at types and roots: no dominators */
    bool partial;           /* the capture was opened with HSD_DAMAGE_SKIP */
} hsd_fleet_add_options;

typedef struct hsd_fleet_added {
    uint64_t captures, rows, bytes; /* that the store got, in files */
    uint64_t known;                 /* captures that it had already */
} hsd_fleet_added;

/*
 * Opens a store for adding, and makes it where there is nothing, or an empty folder. Of a database psql is started
 * here, so that a caller may give up starting programs and connecting before it reads a capture.
 *
 *   out   closed by the caller with hsd_fleet_writer_close; NULL on failure
 *   path  the store
 *   run   memory, temporary folder, notes; borrowed until close. NULL = defaults
 *
 * Returns HSD_OK, or
 *   HSD_E_NOT_THIS_FORMAT: it holds other things than a store.
 *   HSD_E_TOO_NEW: it is of a version that this build does not know.
 *   HSD_E_NOT_FOUND: of a bucket or a database: there is none, or no command that reaches it.
 *   HSD_E_UNSUPPORTED: an address that cannot be one, a server that is too old.
 *   HSD_E_IO: the system refused, or the server, or it cannot be reached.
 *   HSD_E_NOMEM: no memory.
 */
HSD_API hsd_status hsd_fleet_writer_open(hsd_fleet_writer **out, const char *path, const hsd_run *run, hsd_error *err);

/*
 * Whether captures can be labelled so; hsd_fleet_writer_add asks the same.
 *
 *   labels  `count` of them; borrowed for the call
 *
 * Returns HSD_OK; HSD_E_UNSUPPORTED: none is called service, one stands there twice, is too long or has no name, or
 * there are too many; the hint says how they are given. HSD_E_NOMEM: no memory.
 */
HSD_API hsd_status hsd_fleet_check_labels(const hsd_fleet_label *labels, size_t count, hsd_error *err);

/*
 * Adds up a capture and takes its rows. They are in the store when a batch is full, or finish was called: captures of
 * one service and day are one batch.
 *
 *   capture  borrowed for the call
 *   options  borrowed for the call
 *
 * Returns HSD_OK; HSD_E_UNSUPPORTED for labels that hsd_fleet_check_labels refuses; else as
 * hsd_profile_make and hsd_fleet_writer_open fail.
 */
HSD_API hsd_status hsd_fleet_writer_add(hsd_fleet_writer *writer, hsd_capture *capture,
                                        const hsd_fleet_add_options *options, hsd_error *err);

/* Writes what is left; on HSD_OK all that was added is in the store and on the disk. In a database each capture is a
 * transaction of its own, and all of them take place here. *added may be NULL. Fails as
 * hsd_fleet_writer_open does. */
HSD_API hsd_status hsd_fleet_writer_finish(hsd_fleet_writer *writer, hsd_fleet_added *added, hsd_error *err);

/* Releases it; what was not written is dropped. NULL is accepted. */
HSD_API void hsd_fleet_writer_close(hsd_fleet_writer *writer);

/* ---- what grows ---- */

typedef struct hsd_fleet_version { /* of a service, by when its processes began */
    hsd_text service, version;
    uint32_t before;              /* row of the version before of the service; own row = there is none */
    uint64_t processes, captures; /* that were asked for */
    uint64_t judged;              /* processes with three captures and more: what a majority is of */
    uint32_t captures_needed; /* > 0: with so few captures growth in every step could be chance, so that nothing can be
                               * told; so many of each process tell */
    uint64_t began_unix_ns;   /* the middle of the first captures of its processes: clocks may be wrong */
} hsd_fleet_version;

#define HSD_FLEET_LINES_MOST  16u /* of a finding, in its version and in the one before */
#define HSD_FLEET_LINE_POINTS 48u

typedef struct hsd_fleet_line { /* of one process: some of its captures, the first and the last among them, by time */
    bool is_before;             /* a process of the version before */
    uint32_t count;
    uint64_t unix_ns[HSD_FLEET_LINE_POINTS], bytes[HSD_FLEET_LINE_POINTS];
} hsd_fleet_line;

typedef struct hsd_fleet_finding {
    uint32_t version;                     /* row of versions */
    bool is_place;                        /* else a type */
    uint64_t key;                         /* of the tables */
    hsd_text name;                        /* a type; of a place its whole path, the holder last */
    hsd_text held;                        /* of a place: what accumulates there, as a path; "" = not told */
    uint64_t processes, before_processes; /* in which it grows, of those judged; and in the version before */
    int64_t per_hour;                     /* bytes: the median of the processes' Theil-Sen slopes */
    uint64_t spread_per_hour;             /* half of the interquartile range of them */
    int64_t before_per_hour;
    int64_t growth;               /* bytes: the median of what each process gained */
    uint64_t first_unix_ns;       /* the first capture of this version that has it */
    uint32_t p_millionths;        /* Mann-Kendall over all processes together: how often chance alone gives as much */
    uint32_t contrast_millionths; /* Mann-Whitney of the slopes here and in the version before; 1,000,000 without */
    /* Processes that have it, those of the version before first: line_count of them; NULL unless asked for. */
    const hsd_fleet_line *const *lines;
    size_t line_count;
} hsd_fleet_finding;

typedef struct hsd_fleet_report {
    hsd_fleet_version *versions; /* by service, then by when they began */
    size_t version_count;
    hsd_fleet_finding *findings; /* places first; by bytes an hour over all processes, largest first */
    size_t finding_count;
    uint64_t captures, processes;
    struct hsd_fleet_store *store;
} hsd_fleet_report;

typedef struct hsd_fleet_report_options {
    size_t struct_bytes;    /* HSD_OPTIONS_INIT */
    const char *service;    /* NULL = all */
    const char *version;    /* findings of this one alone; NULL = of all */
    const char *baseline;   /* with version: in place of the version before */
    uint64_t since_unix_ns; /* captures from then on */
    uint64_t noise_bytes;   /* growth of a process up to this is none; 0 = 64 KiB */
    bool with_lines;        /* findings have lines */
} hsd_fleet_report_options;

/*
 * Finds what grows in a majority of the processes of a version, and not in a majority of those of the version before.
 *
 *   out      freed by the caller with hsd_fleet_report_free; NULL on failure
 *   path     the store
 *   options  NULL = defaults
 *   run      NULL = defaults
 *
 * Returns HSD_OK; HSD_E_NOT_FOUND for a service, version or baseline that the store does not have; else what asking a
 * store returns (see the top of this header).
 */
HSD_API hsd_status hsd_fleet_report_run(hsd_fleet_report **out, const char *path,
                                        const hsd_fleet_report_options *options, const hsd_run *run, hsd_error *err);

/* Frees a report and all its texts. NULL is accepted. */
HSD_API void hsd_fleet_report_free(hsd_fleet_report *report);

/* ---- everything else ---- */

/* How rows are printed: the modes of DuckDB's command. */
typedef enum hsd_fleet_form { HSD_FLEET_BOX, HSD_FLEET_CSV, HSD_FLEET_JSON } hsd_fleet_form;

/*
 * Asks the store anything: views captures, rows and names are there.
 *
 *   statement  SQL of DuckDB, `size` bytes; one or several statements
 *   write      gets what the engine prints; with HSD_FLEET_BOX what could steer a terminal is escaped
 *
 * Returns HSD_OK; HSD_E_UNSUPPORTED with the engine's words for a statement that it refuses; what `write` returned;
 * else what asking a store returns.
 */
HSD_API hsd_status hsd_fleet_sql(const char *path, const char *statement, size_t size, hsd_fleet_form form,
                                 const hsd_run *run, hsd_write_fn write, void *context, hsd_error *err);

typedef struct hsd_fleet_compacted {
    uint64_t partitions, batches_before, batches_after, bytes_before, bytes_after; /* a bucket: bytes 0 = not known; a
                                                                                     database: captures with rows */
    uint64_t left_behind; /* of a bucket: batches that do not count any more, and stay */
} hsd_fleet_compacted;

typedef struct hsd_fleet_compact_options {
    size_t struct_bytes; /* HSD_OPTIONS_INIT */
    uint64_t
        keep_unix_ns; /* of days before it rows go, and the sums of each process and place stay; 0 = all rows stay */
} hsd_fleet_compact_options;

/*
 * Makes one batch of all batches of a service and day. In a database nothing has to be put together, and of a bucket
 * nothing is removed, and nobody keeps others from compacting it at the same time: that one alone does is up to the
 * caller. A store that is compacted by somebody else meanwhile is HSD_E_IO
 * with EWOULDBLOCK; else what asking a store returns. Readers that began before may find files gone, and ask again.
 *
 *   options  NULL = defaults
 *   done     may be NULL
 */
HSD_API hsd_status hsd_fleet_compact(const char *path, const hsd_fleet_compact_options *options, const hsd_run *run,
                                     hsd_fleet_compacted *done, hsd_error *err);

#ifdef __cplusplus
}
#endif
#endif
