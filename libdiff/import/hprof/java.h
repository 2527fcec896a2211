/*
 * What is known beforehand of the Java library (capture/jvm/known.h), asked with the texts of this importer.
 */
#ifndef HSD_IMPORT_HPROF_JAVA_H
#define HSD_IMPORT_HPROF_JAVA_H

#include "base/buffer.h"
#include "jvm/known.h"

static inline hsc_java_name hsd_hprof_java(hsd_bytes name) { return (hsc_java_name){name.data, name.size}; }

#endif
