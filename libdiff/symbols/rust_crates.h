/*
 * Whose a crate of Rust is. Types say by their paths which crate they are of, "lru::LruCache"; the units of an image
 * say where each crate that has code was compiled:
 *
 *      src/main.rs/@/shop.4f2a…-cgu.0                                                      the program's own
 *      /home/me/.cargo/registry/src/index…/foldhash-0.1.5/src/lib.rs/@/foldhash.cb52…      a library
 */
#ifndef HSD_SYMBOLS_RUST_CRATES_H
#define HSD_SYMBOLS_RUST_CRATES_H

#include "symbols/dies.h"

#ifdef HSD_HAVE_DW

/* Whether the crate in front of the path is a library's: compiled where cargo keeps what it fetches, or none of those
 * that have units here, as one of nothing but generic types. False where the image does not say, or nothing is
 * in front. */
bool hsd_crate_is_of_library(Dwarf_Die *type, const char *path);

#endif
#endif
