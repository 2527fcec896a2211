"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.store = exports.CartStore = void 0;
class CartStore {
    carts = new Map();
    create(id) {
        const cart = { id, lines: [] };
        this.carts.set(id, cart);
        return cart;
    }
}
exports.CartStore = CartStore;
exports.store = new CartStore();
