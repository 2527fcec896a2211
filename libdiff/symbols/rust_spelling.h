/*
 * Types of Rust as people write them. DWARF has all paths, allocators and hashers:
 *
 *      alloc::vec::Vec<shop::Order, alloc::alloc::Global>       Vec<Order>
 *      shop::orders::{impl#2}::watch::{closure_env#0}           watch::{closure}
 *      shop::serve::{async_fn#0}::{async_block_env#1}           serve::{async block}
 *      tokio::runtime::task::core::Cell<shop::serve::{async_fn_env#0}, alloc::sync::Arc<…>>       task of serve
 */
#ifndef HSD_SYMBOLS_RUST_SPELLING_H
#define HSD_SYMBOLS_RUST_SPELLING_H

#include "base/buffer.h"
#include <hsdiff/status.h>

/* Appends the type without paths, and without allocators and hashers that are the default. Closures and what async
 * functions keep have no name but that of their function, which stays. HSD_E_NOMEM. */
hsd_status hsd_spell_rust(hsd_buffer *out, const char *type, hsd_error *err);

/* Appends the name of a member of a type. What a closure has captured of a structure is called by the whole way to it,
 * queue__pending, where people write queue.pending. `type` may be NULL. HSD_E_NOMEM. */
hsd_status hsd_spell_rust_member(hsd_buffer *out, const char *type, const char *name, hsd_error *err);

#endif
