/*
 * Names of C++ as people write them. A demangler says everything:
 *
 *      std::unordered_map<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >, Session,
 *          std::hash<…>, std::equal_to<…>, std::allocator<…> >
 *
 * A programmer wrote std::unordered_map<std::string, Session>, and that is what is shown, compared and matched against
 * rules.
 */
#ifndef HSD_SYMBOLS_SPELLING_H
#define HSD_SYMBOLS_SPELLING_H

#include "base/buffer.h"
#include <hsdiff/status.h>

/*
 * Appends a demangled name:
 *      without arguments of templates that are the default (allocators, comparisons, hashes, deleters, traits);
 *      without the namespaces that libraries hide their versions in (std::__cxx11, std::__1, absl::lts_20230125);
 *      std::string for std::basic_string<char> and its kin, "node of std::map<K, V>" for what holds an element of one,
 *      std::make_shared<T> for a T and its counts in one;
 *      (anon):: for (anonymous namespace)::, and no blanks between closing brackets.
 * A name that is none of C++, or whose brackets do not match, or nest deeper than 100, is appended as it is. O(n) in
 * its length but for the arguments that are compared. HSD_E_NOMEM.
 */
hsd_status hsd_spell(hsd_buffer *out, const char *name, hsd_error *err);

#endif
