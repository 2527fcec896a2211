/*
 * Not linked into anything: names for the linker, which writes into an agent that it asks libdl.so.2 and
 * libpthread.so.0 for them, by the versions of old_names.cmake. Where these libraries are real (glibc up to 2.33) they
 * have them, and from 2.34 on glibc answers for them by itself.
 */
#define STANDS_IN(name)                                                                                                \
    void name(void);                                                                                                   \
    void name(void) {}

#if defined(OLD_DL)
STANDS_IN(dladdr)
STANDS_IN(dladdr1)
STANDS_IN(dlclose)
STANDS_IN(dlerror)
STANDS_IN(dlopen)
STANDS_IN(dlsym)
#else
STANDS_IN(pthread_attr_getstack)
STANDS_IN(pthread_attr_setstacksize)
STANDS_IN(pthread_condattr_setclock)
STANDS_IN(pthread_create)
STANDS_IN(pthread_detach)
STANDS_IN(pthread_getattr_np)
STANDS_IN(pthread_join)
STANDS_IN(pthread_kill)
STANDS_IN(pthread_once)
STANDS_IN(pthread_sigmask)
#endif
