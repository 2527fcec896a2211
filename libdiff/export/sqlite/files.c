/*
 * SQLite's interface to files (its "VFS") over descriptors that are open already. Every database has one of its own,
 * registered under a name that nobody else has, so that nothing is shared but SQLite's list.
 *
 * Locks do nothing: no other process can open these files, or, of a database that somebody else made, whoever changes
 * it under our hands gets us damaged pages, which SQLite reports.
 */
#include "export/sqlite/files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "export/sqlite/engine.h"
#include "io/fd.h"

struct hsd_files {
    sqlite3_vfs vfs;
    char name[40];
    int fd;
    bool is_read_only, has_fault;
    hsd_temp_space *space;
    hsd_error fault;
};

typedef struct one_file { /* SQLite allocates it */
    sqlite3_file base;
    hsd_files *files;
    hsd_temp temp; /* open unless it is the descriptor */
    int fd;        /* of either */
    bool is_lent;
    uint64_t size;
} one_file;

static hsd_files *files_of(sqlite3_vfs *vfs) { return vfs->pAppData; }

/* Where an error goes: the first one is kept. */
static hsd_error *fault_of(hsd_files *files)
{
    if (files->has_fault) return NULL;
    files->has_fault = true;
    hsd_error_init(&files->fault);
    return &files->fault;
}

/* ---- one file */

static int file_close(sqlite3_file *file)
{
    hsd_temp_close(&((one_file *)file)->temp);
    return SQLITE_OK;
}

static int read_fully(one_file *f, uint8_t *at, size_t size, uint64_t offset)
{
    while (size > 0) {
        size_t got = 0;
        const int error = hsd_fd_read(f->fd, at, size, (off_t)offset, &got);
        if (error == 0 && got == 0) break;
        if (error != 0) {
            hsd_fail_errno(fault_of(f->files), error, f->is_lent ? "cannot read" : "cannot read a temporary file");
            return SQLITE_IOERR_READ;
        }
        at += got;
        offset += got;
        size -= got;
    }
    memset(at, 0, size);
    return size == 0 ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

/* What is encrypted is read by the file's own calls, which read no further than it goes. */
static int read_secret(one_file *f, uint8_t *at, size_t size, uint64_t offset)
{
    const uint64_t left = offset < f->size ? f->size - offset : 0;
    const size_t there = left < size ? (size_t)left : size;
    hsd_error problem;
    hsd_error_init(&problem);
    if (hsd_temp_read(&f->temp, offset, at, there, &problem) != HSD_OK) {
        hsd_error *fault = fault_of(f->files);
        if (fault != NULL) *fault = problem;
        return SQLITE_IOERR_READ;
    }
    memset(at + there, 0, size - there);
    return there == size ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

static int file_read(sqlite3_file *file, void *data, int amount, sqlite3_int64 offset)
{
    one_file *f = (one_file *)file;
    if (!f->is_lent && f->temp.is_secret) return read_secret(f, data, (size_t)amount, (uint64_t)offset);
    return read_fully(f, data, (size_t)amount, (uint64_t)offset);
}

static int write_lent(one_file *f, const void *data, size_t size, uint64_t offset)
{
    const int error = hsd_fd_write(f->fd, data, size, (off_t)offset);
    if (error == 0) return SQLITE_OK;
    hsd_fail_errno(fault_of(f->files), error, "cannot write");
    return SQLITE_IOERR_WRITE;
}

static int file_write(sqlite3_file *file, const void *data, int amount, sqlite3_int64 offset)
{
    one_file *f = (one_file *)file;
    const size_t size = (size_t)amount;
    hsd_error problem;
    hsd_error_init(&problem);
    if (f->is_lent && f->files->is_read_only) return SQLITE_READONLY;
    if (f->is_lent) {
        const int code = write_lent(f, data, size, (uint64_t)offset);
        if (code != SQLITE_OK) return code;
    } else if (hsd_temp_write(&f->temp, (uint64_t)offset, data, size, &problem) != HSD_OK) {
        hsd_error *fault = fault_of(f->files);
        if (fault != NULL) *fault = problem;
        return SQLITE_IOERR_WRITE;
    }
    if ((uint64_t)offset + size > f->size) f->size = (uint64_t)offset + size;
    return SQLITE_OK;
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    one_file *f = (one_file *)file;
    if (f->is_lent && f->files->is_read_only) return SQLITE_READONLY;
    if (ftruncate(f->fd, (off_t)size) != 0) {
        hsd_fail_errno(fault_of(f->files), errno, "cannot shorten");
        return SQLITE_IOERR_TRUNCATE;
    }
    f->size = (uint64_t)size;
    return SQLITE_OK;
}

/* Results are synced when they are finished. */
static int file_sync(sqlite3_file *file, int flags)
{
    (void)file, (void)flags;
    return SQLITE_OK;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size)
{
    *size = (sqlite3_int64)((one_file *)file)->size;
    return SQLITE_OK;
}

static int file_lock(sqlite3_file *file, int level)
{
    (void)file, (void)level;
    return SQLITE_OK;
}

static int file_is_reserved(sqlite3_file *file, int *answer)
{
    (void)file;
    *answer = 0;
    return SQLITE_OK;
}

static int file_control(sqlite3_file *file, int what, void *argument)
{
    (void)file, (void)what, (void)argument;
    return SQLITE_NOTFOUND;
}

static int file_sector(sqlite3_file *file)
{
    (void)file;
    return 4096;
}

static int file_traits(sqlite3_file *file)
{
    const one_file *f = (const one_file *)file;
    return f->is_lent && f->files->is_read_only ? SQLITE_IOCAP_IMMUTABLE : 0;
}

static const sqlite3_io_methods methods = {
    .iVersion = 1,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_lock,
    .xCheckReservedLock = file_is_reserved,
    .xFileControl = file_control,
    .xSectorSize = file_sector,
    .xDeviceCharacteristics = file_traits,
};

/* ---- opening them */

static int open_temp(one_file *f)
{
    hsd_error problem;
    hsd_error_init(&problem);
    if (hsd_temp_open(&f->temp, f->files->space, &problem) != HSD_OK) {
        hsd_error *fault = fault_of(f->files);
        if (fault != NULL) *fault = problem;
        return SQLITE_CANTOPEN;
    }
    f->fd = f->temp.fd;
    return SQLITE_OK;
}

static int open_lent(one_file *f)
{
    struct stat info;
    f->is_lent = true;
    f->fd = f->files->fd;
    if (fstat(f->fd, &info) != 0) {
        hsd_fail_errno(fault_of(f->files), errno, "cannot read");
        return SQLITE_CANTOPEN;
    }
    f->size = (uint64_t)info.st_size;
    return SQLITE_OK;
}

static int vfs_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *flags_out)
{
    const int spilled =
        SQLITE_OPEN_TEMP_DB | SQLITE_OPEN_TRANSIENT_DB | SQLITE_OPEN_TEMP_JOURNAL | SQLITE_OPEN_SUBJOURNAL;
    one_file *f = (one_file *)file;
    (void)name;
    *f = (one_file){.files = files_of(vfs), .temp.fd = -1};
    int code = SQLITE_CANTOPEN;
    if ((flags & SQLITE_OPEN_MAIN_DB) != 0)
        code = f->files->fd >= 0 ? open_lent(f) : open_temp(f);
    else if ((flags & spilled) != 0)
        code = open_temp(f);
    if (code == SQLITE_OK) f->base.pMethods = &methods;
    if (flags_out != NULL) *flags_out = flags;
    return code;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
    (void)vfs, (void)name, (void)sync;
    return SQLITE_OK;
}

static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *answer)
{
    (void)vfs, (void)name, (void)flags;
    *answer = 0;
    return SQLITE_OK;
}

static int vfs_full_name(sqlite3_vfs *vfs, const char *name, int capacity, char *out)
{
    (void)vfs;
    snprintf(out, (size_t)capacity, "%s", name);
    return SQLITE_OK;
}

static void *vfs_no_library(sqlite3_vfs *vfs, const char *name)
{
    (void)vfs, (void)name;
    return NULL;
}

static void vfs_why_no_library(sqlite3_vfs *vfs, int capacity, char *out)
{
    (void)vfs;
    snprintf(out, (size_t)capacity, "extensions are not loaded");
}

static void (*vfs_no_symbol(sqlite3_vfs *vfs, void *library, const char *name))(void)
{
    (void)vfs, (void)library, (void)name;
    return NULL;
}

static void vfs_close_library(sqlite3_vfs *vfs, void *library) { (void)vfs, (void)library; }

/* What has nothing to do with files is the system's. */
static void borrow_the_rest(sqlite3_vfs *vfs, const sqlite3_vfs *system)
{
    vfs->xRandomness = system->xRandomness;
    vfs->xSleep = system->xSleep;
    vfs->xCurrentTime = system->xCurrentTime;
    vfs->xGetLastError = system->xGetLastError;
}

hsd_status hsd_files_new(hsd_files **out, int fd, bool is_read_only, hsd_temp_space *space, hsd_error *err)
{
    *out = NULL;
    const sqlite3_vfs *system = sqlite3_initialize() == SQLITE_OK ? sqlite3_vfs_find(NULL) : NULL;
    hsd_files *files = system != NULL ? calloc(1, sizeof *files) : NULL;
    if (files == NULL) return hsd_fail_nomem(err, "a database");
    files->fd = fd;
    files->is_read_only = is_read_only;
    files->space = space;
    snprintf(files->name, sizeof files->name, "hsdiff-%p", (void *)files);
    files->vfs = (sqlite3_vfs){.iVersion = 1,
                               .szOsFile = sizeof(one_file),
                               .mxPathname = 512,
                               .zName = files->name,
                               .pAppData = files,
                               .xOpen = vfs_open,
                               .xDelete = vfs_delete,
                               .xAccess = vfs_access,
                               .xFullPathname = vfs_full_name,
                               .xDlOpen = vfs_no_library,
                               .xDlError = vfs_why_no_library,
                               .xDlSym = vfs_no_symbol,
                               .xDlClose = vfs_close_library};
    borrow_the_rest(&files->vfs, system);
    if (sqlite3_vfs_register(&files->vfs, 0) != SQLITE_OK) {
        free(files);
        return hsd_fail_nomem(err, "a database");
    }
    *out = files;
    return HSD_OK;
}

const char *hsd_files_name(const hsd_files *files) { return files->name; }

const hsd_error *hsd_files_fault(const hsd_files *files) { return files->has_fault ? &files->fault : NULL; }

void hsd_files_free(hsd_files *files)
{
    if (files == NULL) return;
    sqlite3_vfs_unregister(&files->vfs);
    free(files);
}
