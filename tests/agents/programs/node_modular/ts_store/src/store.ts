export interface Cart { id: number; lines: string[] }

export class CartStore {
  private readonly carts = new Map<number, Cart>();

  create(id: number): Cart {
    const cart: Cart = { id, lines: [] };
    this.carts.set(id, cart);
    return cart;
  }
}

export const store = new CartStore();
