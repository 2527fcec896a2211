/* Instructions as far as a pointer is followed through them, and types by the names of library functions. What becomes
 * of both in real programs: tests/agents. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/generic.h"
#include "symbols/x86.h"

#define DECODE(...) hsd_x86_decode((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}), 0x1000)

Test(x86, knows_where_a_register_goes)
{
    hsd_x86 one = DECODE(0x48, 0x89, 0x45, 0xe8); /* mov %rax,-0x18(%rbp) */
    cr_assert(one.kind == HSD_X86_STORE && one.size == 4 && one.is_memory && one.is_whole && one.reg == HSD_X86_RAX &&
              one.base == HSD_X86_RBP);
    cr_assert_eq(one.displacement, -0x18);
    one = DECODE(0x48, 0x89, 0x05, 0x22, 0x2b, 0x00, 0x00); /* mov %rax,0x2b22(%rip) */
    cr_assert(one.kind == HSD_X86_STORE && one.base == HSD_X86_RIP && one.displacement == 0x1007 + 0x2b22);
    one = DECODE(0x48, 0x89, 0x0c, 0x02); /* mov %rcx,(%rdx,%rax,1) */
    cr_assert(one.kind == HSD_X86_STORE && one.has_index && one.base == 2 && one.index == 0);
    one = DECODE(0x4c, 0x8b, 0x64, 0x24, 0x08); /* mov 0x8(%rsp),%r12 */
    cr_assert(one.kind == HSD_X86_LOAD && one.reg == 12 && one.base == HSD_X86_RSP && one.displacement == 8 &&
              !one.has_index);
    one = DECODE(0x48, 0x83, 0xc0, 0x10); /* add $0x10,%rax */
    cr_assert(one.kind == HSD_X86_ADD && one.base == HSD_X86_RAX && one.displacement == 16);
    one = DECODE(0x48, 0x01, 0xe9); /* add %rbp,%rcx */
    cr_assert(one.kind == HSD_X86_ADD_REGISTER && one.reg == HSD_X86_RBP && one.base == 1 && one.size == 3);
    one = DECODE(0x4c, 0x03, 0xc0); /* add %rax,%r8: the other form */
    cr_assert(one.kind == HSD_X86_ADD_REGISTER && one.reg == HSD_X86_RAX && one.base == 8);
    cr_assert_eq(DECODE(0x01, 0xe9).kind, HSD_X86_OTHER); /* add %ebp,%ecx: no pointer any more */
    one = DECODE(0x48, 0x03, 0x4d, 0x08);                 /* add 0x8(%rbp),%rcx */
    cr_assert(one.kind == HSD_X86_ADD_REGISTER && one.reg == HSD_X86_NO_REGISTER && one.base == 1 && !one.is_memory &&
              one.size == 4);
    /* add %rcx,0x8(%rbp): no register changes */
    cr_assert_eq(DECODE(0x48, 0x01, 0x4d, 0x08).kind, HSD_X86_OTHER);
    one = DECODE(0x89, 0xd8); /* mov %ebx,%eax: half of it */
    cr_assert(one.kind == HSD_X86_STORE && !one.is_memory && !one.is_whole);
}

Test(x86, knows_where_the_way_goes_on)
{
    hsd_x86 one = DECODE(0xe8, 0xfb, 0x0f, 0x00, 0x00);
    cr_assert(one.kind == HSD_X86_CALL && one.target == 0x2000 && !one.is_memory);
    one = DECODE(0xff, 0x15, 0x00, 0x10, 0x00, 0x00); /* call *0x1000(%rip) */
    cr_assert(one.kind == HSD_X86_CALL && one.is_memory && one.base == HSD_X86_RIP && one.displacement == 0x2006);
    one = DECODE(0x0f, 0x84, 0xfa, 0xff, 0xff, 0xff);
    cr_assert(one.kind == HSD_X86_BRANCH_ZERO && one.target == 0x1000);
    one = DECODE(0x75, 0x10);
    cr_assert(one.kind == HSD_X86_BRANCH_NOT_ZERO && one.target == 0x1012);
    cr_assert_eq(DECODE(0xc3).kind, HSD_X86_RETURN);
    cr_assert_eq(DECODE(0x41, 0x54).kind, HSD_X86_PUSH);
}

/* The middle of shr $0x3,%ecx says which shift it is, and is no register. */
Test(x86, a_shift_changes_what_it_shifts)
{
    cr_assert_eq(DECODE(0xc1, 0xe9, 0x03).changed, 1u << HSD_X86_RCX);
    cr_assert_eq(DECODE(0x48, 0xd1, 0xfe).changed, 1u << HSD_X86_RSI); /* sar %rsi */
    cr_assert_eq(DECODE(0x49, 0xd3, 0xe8).changed, 1u << 8);           /* shr %cl,%r8 */
    cr_assert_eq(DECODE(0xfe, 0xc2).changed, 1u << HSD_X86_RDX);       /* inc %dl */
    cr_assert_eq(DECODE(0xc1, 0x6d, 0xf8, 0x03).changed, 0);           /* shrl $0x3,-0x8(%rbp) */
}

static uint32_t number_in_rdi(const uint8_t *bytes, size_t size) { return hsd_x86_number_in(bytes, size, HSD_X86_RDI); }

#define NUMBER(...) number_in_rdi((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

Test(x86, knows_the_number_that_was_moved_before)
{
    cr_assert_eq(NUMBER(0xbf, 0xe8, 0, 0, 0), 0xe8); /* mov $0xe8,%edi */
    /* with mov %rax,(%rcx) and mov 0x28(%rsp),%ecx behind it, and the end of another instruction in front */
    cr_assert_eq(NUMBER(0x24, 0x28, 0xbf, 0x28, 0, 0, 0, 0x48, 0x89, 0x01, 0x8b, 0x4c, 0x24, 0x28), 0x28);
    cr_assert_eq(NUMBER(0xbf, 0x28, 0, 0, 0, 0x48, 0x89, 0xc7), 0);       /* mov %rax,%rdi */
    cr_assert_eq(NUMBER(0xbf, 0x28, 0, 0, 0, 0x48, 0x83, 0xc7, 0x08), 0); /* add $8,%rdi */
    cr_assert_eq(NUMBER(0xbf, 0x28, 0, 0, 0, 0x48, 0x8d, 0x7b, 0x08), 0); /* lea 0x8(%rbx),%rdi */
    cr_assert_eq(NUMBER(0xbf, 0x28, 0, 0, 0, 0x5f), 0);                   /* pop %rdi */
    cr_assert_eq(NUMBER(0xbf, 0x28, 0, 0, 0, 0xeb, 0x10), 0);             /* jmp */
    cr_assert_eq(NUMBER(0xbf, 0x10, 0, 0, 0, 0xbf, 0x20, 0, 0, 0), 0x20); /* the last */
    cr_assert_eq(NUMBER(0xbf, 0x28, 0, 0), 0);
    cr_assert_eq(NUMBER(0xbf, 0x28, 0, 0, 0, 0x48), 0); /* cut off */
    cr_assert_eq(hsd_x86_number_in((const uint8_t *)"", 0, HSD_X86_RDI), 0);
}

Test(x86, what_is_cut_off_or_not_known_ends_the_way)
{
    const uint8_t whole[] = {0x48, 0xc7, 0x84, 0x24, 1, 2, 3, 4, 5, 6, 7, 8}; /* movq $…,0x…(%rsp) */
    cr_assert_eq(hsd_x86_decode(whole, sizeof whole, 0).size, sizeof whole);
    for (size_t size = 0; size < sizeof whole; size++) {
        uint8_t *exact = malloc(size + 1); /* with nothing behind, for sanitizers */
        memcpy(exact, whole, size);
        cr_assert_eq(hsd_x86_decode(exact, size, 0).kind, HSD_X86_UNKNOWN, "%zu", size);
        free(exact);
    }
    cr_assert_eq(DECODE(0x0f, 0x0b).kind, HSD_X86_UNKNOWN);
}

/* Functions from the inside out, "name" or "name|parameter T|result", until an empty one. */
static void expect(const char *wanted, const hsd_generic_function *functions, size_t count)
{
    hsd_generic generic = {.says_little = false};
    hsd_buffer out = {0};
    for (size_t i = 0; i < count; i++)
        cr_assert_eq(hsd_generic_add(&generic, &functions[i], NULL), HSD_OK);
    cr_assert_eq(hsd_generic_append(&generic, &out, NULL), HSD_OK);
    cr_assert_eq(hsd_buffer_append(&out, "", 1, NULL), HSD_OK);
    cr_assert_str_eq((const char *)out.data, wanted);
    hsd_buffer_release(&out);
    hsd_generic_release(&generic);
}

#define EXPECT(wanted, ...)                                                                                            \
    expect(wanted, (const hsd_generic_function[]){__VA_ARGS__},                                                        \
           sizeof((const hsd_generic_function[]){__VA_ARGS__}) / sizeof(hsd_generic_function))

Test(generic, cpp)
{
    EXPECT("shop::Item[]", {.name = "std::__new_allocator<shop::Item>::allocate"},
           {.name = "std::vector<shop::Item, std::allocator<shop::Item> >::push_back"});
    EXPECT("node of std::map<long, Session>",
           {.name = "std::__new_allocator<std::_Rb_tree_node<std::pair<long const, Session> > >::allocate"});
    EXPECT("Account", {.name = "std::make_unique<Account>"});
    EXPECT("std::string", {.name = "std::__new_allocator<char>::allocate"},
           {.name = "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::_M_create"});
    EXPECT("buckets of std::unordered_map<long, Visit>",
           {.name = "std::__new_allocator<std::__detail::_Hash_node_base*>::allocate"},
           {.name = "std::_Hashtable<long, std::pair<long const, Visit>, std::allocator<std::pair<long const, Visit> > "
                    ">::_M_rehash"});
    EXPECT("", {.name = "operator new"}, {.name = "std::vector<int>::push_back"});
}

/* Frames have names by which a linker knows functions; all of a program would be called Frame. */
Test(generic, parts_of_a_library_are_no_types_of_a_program)
{
    static const struct {
        const char *type;
        bool is_part;
    } known[] = {{"std::_Rb_tree_node<int>", true},
                 {"std::string::_Alloc_hider", true},
                 {"std::vector<Order>::_Vector_impl", true},
                 {"__gnu_cxx::_Hash", true},
                 {"std::string", false},
                 {"std::vector<std::_Any>", false},
                 {"shop::_Order", false},
                 {"std::", false},
                 {"", false}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        cr_assert_eq(hsd_generic_is_part(known[i].type, strlen(known[i].type)), known[i].is_part, "%s", known[i].type);
}

Test(generic, a_coroutine_is_called_by_its_function)
{
    hsd_buffer out = {0};
    cr_assert(hsd_generic_is_coroutine("_ZL8download7Request.Frame") &&
              hsd_generic_is_coroutine("_Z4pollv.coro_frame_ty"));
    cr_assert(!hsd_generic_is_coroutine("shop.Frame") && !hsd_generic_is_coroutine("_Z4pollv") &&
              !hsd_generic_is_coroutine("_Z4pollv.cold") && !hsd_generic_is_coroutine("Frame"));
    cr_assert_eq(hsd_generic_spell_coroutine(&out, "_ZN4shop8downloadENSt7__cxx1112basic_stringIcE.Frame", NULL),
                 HSD_OK);
    cr_assert_eq(memcmp(out.data, "coroutine ", 10), 0); /* damaged, and said as it is */
    hsd_buffer_clear(&out);
    cr_assert_eq(hsd_generic_spell_coroutine(&out, "_ZN4shop8downloadEi.Frame", NULL), HSD_OK);
    cr_assert_eq(hsd_buffer_append(&out, "", 1, NULL), HSD_OK);
    cr_assert_str_eq((const char *)out.data, "coroutine shop::download");
    hsd_buffer_release(&out);
}

Test(generic, rust)
{
    EXPECT("Vec<Order>", {.name = "alloc::raw_vec::RawVec<T,A>::grow_one", .parameter = "Order"},
           {.name = "alloc::vec::Vec<T,A>::push", .parameter = "Order"});
    EXPECT("VecDeque<Order>", {.name = "alloc::raw_vec::RawVec<T,A>::grow_one", .parameter = "Order"},
           {.name = "alloc::collections::vec_deque::VecDeque<T,A>::grow", .parameter = "Order"});
    /* of queues whose code is the same the linker keeps one function: what was inlined in the caller knows its own */
    EXPECT("VecDeque<Ticket>", {.name = "alloc::raw_vec::RawVec<T,A>::grow_one", .parameter = "Order"},
           {.name = "alloc::collections::vec_deque::VecDeque<T,A>::grow", .parameter = "Order"},
           {.name = "alloc::collections::vec_deque::VecDeque<T,A>::push_back_mut", .parameter = "Ticket"},
           {.name = "alloc::collections::vec_deque::VecDeque<T,A>::push_back", .parameter = "Ticket"});
    EXPECT("BinaryHeap<Ticket>", {.name = "alloc::raw_vec::RawVec<T,A>::grow_one", .parameter = "Order"},
           {.name = "alloc::collections::binary_heap::BinaryHeap<T,A>::push", .parameter = "Ticket"});
    EXPECT("VecDeque<Order>", {.name = "alloc::raw_vec::RawVec<T,A>::grow_one", .parameter = "Order"},
           {.name = "alloc::collections::vec_deque::VecDeque<T,A>::grow", .parameter = "Order"},
           {.name = "alloc::collections::vec_deque::VecDeque<T,A>::make_contiguous", .parameter = "Ticket"});
    EXPECT("String", {.name = "<alloc::vec::Vec<u8>>::with_capacity"},
           {.name = "<alloc::string::String>::with_capacity"});
    EXPECT("Vec<u8>", {.name = "<alloc::vec::Vec<u8>>::with_capacity"}, {.name = "std::io::Buffer::new"},
           {.name = "alloc::string::String::from"});
    EXPECT("Arc<Node>", {.name = "alloc::boxed::Box<T>::new", .parameter = "ArcInner<shop::Node>"},
           {.name = "alloc::sync::Arc<T>::new", .parameter = "Node"});
    EXPECT("BTreeMap<String, u64>",
           {.name = "alloc::boxed::Box<T,A>::new_uninit_in", .parameter = "LeafNode<alloc::string::String, u64>"});
    EXPECT("HashMap<u32, Session>",
           {.name = "hashbrown::raw::RawTable<T,A>::reserve_rehash", .parameter = "(u32, shop::Session)"});
    EXPECT("HashSet<u64>", {.name = "hashbrown::raw::RawTable<T,A>::reserve_rehash", .parameter = "(u64, ())"});
    EXPECT("LinkedList<Order>", {.name = "alloc::boxed::Box<T>::new", .parameter = "Node<shop::Order>"},
           {.name = "alloc::collections::linked_list::LinkedList<T>::push_back"});
    EXPECT("HashMap<u32, Session>",
           {.name = "hashbrown::raw::inner::RawTable<T,A>::reserve_rehash", .parameter = "(u32, shop::Session)"});
    EXPECT("Box<watch::{closure}>", {.name = "alloc::boxed::Box<T>::new", .parameter = "shop::watch::{closure_env#0}"});
    EXPECT("task of watch", {.name = "alloc::boxed::Box<T>::new",
                             .parameter = "tokio::runtime::task::core::Cell<shop::watch::{async_fn_env#0}, Handle>"});
    EXPECT("Segment<Event>", {.name = "queue::list::Segment<T>::new", .parameter = "shop::Event"});
    EXPECT("", {.name = "queue::list::Segment<T>::with_room", .parameter = "shop::Event"});
    EXPECT("Block<Event>", {.name = "tokio::sync::mpsc::block::Block<T>::new", .parameter = "shop::Event"});
    EXPECT("Vec<HashMap<u32, Session>>",
           {.name = "alloc::vec::Vec<T,A>::push",
            .parameter = "std::collections::HashMap<u32, shop::Session, std::hash::random::RandomState>"});
}

Test(generic, zig)
{
    EXPECT("Node", {.name = "mem.Allocator.create__func_7", .result = "error{OutOfMemory}!*shop.Node"});
    EXPECT("[]Node", {.name = "mem.Allocator.alloc__func_7", .result = "error{OutOfMemory}![]shop.Node"});
    EXPECT("ArrayList(Order)",
           {.name = "mem.Allocator.alignedAlloc__func_8", .result = "error{OutOfMemory}![]shop.Order"},
           {.name = "array_list.Aligned(shop.Order,null).append"});
    EXPECT("HashMap(u64, *Account)", {.name = "hash_map.Custom(u64,*shop.Account,hash_map.AutoContext(u64),80).grow"});
}

Test(generic, names_that_end_early_say_nothing_wrong)
{
    static const char *const names[] = {"std::__new_allocator<",
                                        "std::__new_allocator<::allocate",
                                        "std::make_unique<",
                                        "std::basic_string<",
                                        "std::basic_string<,,",
                                        "std::_Hashtable<",
                                        "alloc::boxed::",
                                        "hashbrown::raw::RawTable<",
                                        "alloc::vec::Vec<",
                                        "array_list.Aligned(",
                                        "hash_map.Custom(",
                                        "mem.Allocator.create__",
                                        "<",
                                        "",
                                        "_ZN"};
    static const char *const types[] = {NULL, "", "(", "(,", "LeafNode<", "ArcInner<", "Node<", "::", "[", "!", "!*"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        for (size_t k = 0; k < sizeof types / sizeof types[0]; k++) {
            hsd_generic generic = {.says_little = false};
            hsd_buffer out = {0};
            const hsd_generic_function one = {.name = names[i], .parameter = types[k], .result = types[k]};
            cr_assert_eq(hsd_generic_add(&generic, &one, NULL), HSD_OK);
            cr_assert_eq(hsd_generic_add(&generic, &one, NULL), HSD_OK);
            cr_assert_eq(hsd_generic_append(&generic, &out, NULL), HSD_OK);
            hsd_buffer_release(&out);
            hsd_generic_release(&generic);
        }
    }
}
