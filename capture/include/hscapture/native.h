/*
 * The native agent, libhsdiff-native.so, as a program sees it that links it: captures at moments of its own choosing.
 *
 *      LD_PRELOAD=…/libhsdiff-native.so ./server          no change to the program: hsdiff capture PID
 *      cc server.c -o server …/libhsdiff-native.so        the same, and the calls below
 *
 * From the first allocation on the agent knows every block that malloc, calloc, realloc, reallocarray, posix_memalign,
 * aligned_alloc, memalign, valloc and pvalloc have given out: its address, size, number and stack. Operator new goes
 * through malloc unless the program has one of its own. Not seen: allocators linked in statically, libraries opened
 * with RTLD_DEEPBIND, memory of mmap. A capture stops the threads for some milliseconds, forks, and the child writes it
 * while the program runs on. What the environment says, once, at the start:
 *
 *      HSDIFF_NATIVE="KEY=VALUE …"
 *      stacks=unwind     (default) call frame information of the compiler: whole stacks also through libraries without frame
 *                        pointers, which Debian's are. No library is loaded and no lock is taken for it
 *      stacks=fp         frame pointers: faster, for programs and libraries built with -fno-omit-frame-pointer; elsewhere a stack ends early
 *      stacks=none       sizes and references alone
 *      depth=N           frames of a stack, 1 to 64; 32
 *      sample=BYTES      only one allocation in so many bytes is recorded, a block of that size or more mostly, a small one seldom; counts and
 *                        bytes of the capture are scaled and said to be so. 0: every one
 *      follow=1          programs that this one executes have the agent too, and forked children listen at once. 0: our word is taken out
 *                        of LD_PRELOAD at the start
 *      fork=later|now|off  forked children record on in a table of their own; they can be captured when they first wait for
 *                        work, allocate or read after half a second, or start a thread (later), from the start (now), or do not record (off)
 *      listen=0          cannot be asked from outside
 *      stop=auto         (default) threads are stopped by a process that traces them for the moment, of which the program notices nothing: calls in
 *                        which they wait go on. Where tracing is forbidden, or a debugger does it already, by a signal
 *      stop=trace        never by a signal: then there is no capture where tracing is forbidden
 *      stop=signal       always by a signal. It ends the system calls that any handler ends: poll and sleep return early with EINTR, others go on
 *      signal=N          that signal; by default the first real-time signal from SIGRTMIN+6 that nobody handles. Taken when it is first needed
 *      stop_ms=N         how long a thread is waited for that does not stop; 500. Such a one is scanned as it runs, and counted
 *
 * Identities are exact: an allocation keeps its number for life, also when realloc moves it. Where malloc's own
 * structures are read by others (malloc_usable_size, mallinfo) nothing changes.
 */
#ifndef HSCAPTURE_NATIVE_H
#define HSCAPTURE_NATIVE_H

/* Before each function that programs may call: the shared library shows these and no others. */
#ifndef HSC_API
#if defined(__GNUC__)
#define HSC_API __attribute__((visibility("default")))
#else
#define HSC_API
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Writes a capture of this moment into a new file, and returns when it is there.
 *
 *   path  made with O_CREAT|O_EXCL|O_NOFOLLOW and mode 0600; borrowed for the call
 *
 * Returns 0, or -1 with errno, and then there is no file:
 *   EEXIST and the others of open(2): the file could not be made.
 *   EAGAIN: no copy of the process could be made.
 *   EIO: the capture was cut.
 *
 * May be called from any thread, and not from a signal handler. The threads stand still for some milliseconds, as
 * described above.
 */
HSC_API int hsn_capture(const char *path);

/*
 * hsn_capture into an open descriptor, from where it stands. `fd` is borrowed: it stays open. Returns 0, or -1 with
 * EAGAIN or EIO as above.
 */
HSC_API int hsn_capture_fd(int fd);

/*
 * Stops the recording of what the calling thread allocates, until as many calls of hsn_resume as of hsn_pause were
 * made by it. What the thread frees meanwhile is recorded. Other threads are not concerned.
 */
HSC_API void hsn_pause(void);

/* Takes one hsn_pause of the calling thread back. */
HSC_API void hsn_resume(void);

#ifdef __cplusplus
}
#endif
#endif
