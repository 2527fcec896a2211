class Booking { constructor(number) { this.number = number; this.amount = { value: number, currency: 'EUR' }; } }

class Ledger {
  #bookings = [];
  book(number) { this.#bookings.push(new Booking(number)); }
  get size() { return this.#bookings.length; }
}

export default new Ledger();
