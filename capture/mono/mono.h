/*
 * What is used of Mono's own headers (profiler API version 3, Mono 5.0 to 6.12), and nothing else of them.
 */
#ifndef HSC_MONO_MONO_H
#define HSC_MONO_MONO_H

#include <mono/metadata/profiler.h>

#if MONO_PROFILER_API_VERSION != 3
#error "the agent knows version 3 of Mono's profiler API"
#endif

/* Of other headers of Mono, which bring more than is wanted. Exported by every mono. */
MonoType *mono_class_get_type(MonoClass *klass);
const char *mono_class_get_name(MonoClass *klass);
const char *mono_class_get_namespace(MonoClass *klass);
MonoClass *mono_class_get_element_class(MonoClass *klass);
char *mono_type_get_name(MonoType *type);
void mono_free(void *memory);
char *mono_get_runtime_build_info(void);

#endif
