//! A program in Zig on the allocator of C, for types by debug information. Obeys the lines of tests/agents/kit.py.
const std = @import("std");

const Order = struct { number: u64, amount: [11]u64 };
const Node = struct { next: ?*Node, data: [20]u64 };
const Account = struct { balance: [18]f64 };

extern fn getline(line: *?[*:0]u8, room: *usize, stream: *anyopaque) isize;
extern fn puts(text: [*:0]const u8) c_int;
extern fn printf(format: [*:0]const u8, ...) c_int;
extern fn fflush(stream: ?*anyopaque) c_int;
extern fn strtoul(text: [*:0]const u8, end: ?*anyopaque, base: c_int) c_ulong;
extern var stdin: *anyopaque;

const allocator = std.heap.c_allocator;
var nodes: ?*Node = null;
var orders: std.ArrayList(Order) = .empty;
var accounts: std.AutoHashMapUnmanaged(u64, *Account) = .empty;
var texts: std.ArrayList([]u8) = .empty;
var planted: usize = 0;

noinline fn addNode(data: u64) void {
    const node = allocator.create(Node) catch unreachable;
    node.* = .{ .next = nodes, .data = @splat(data) };
    nodes = node;
}

noinline fn plant() void {
    addNode(planted);
    orders.append(allocator, .{ .number = planted, .amount = @splat(0) }) catch unreachable;
    const account = allocator.create(Account) catch unreachable;
    account.balance = @splat(1);
    accounts.put(allocator, planted, account) catch unreachable;
    const text = allocator.alloc(u8, 50) catch unreachable;
    @memset(text, 'a');
    texts.append(allocator, text) catch unreachable;
    planted += 1;
}

pub fn main() void {
    var line: ?[*:0]u8 = null;
    var room: usize = 0;
    _ = puts("ready");
    _ = fflush(null);
    while (getline(&line, &room, stdin) > 0 and line.?[0] == 'l') {
        for (0..strtoul(line.? + 5, null, 10)) |_| plant();
        _ = printf("leaked %zu\n", planted);
        _ = fflush(null);
    }
}
