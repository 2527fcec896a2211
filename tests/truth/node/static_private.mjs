// Leases that come back are put on a list, and never taken from it again.
import stage from './stage.cjs';

class Lease { constructor(number) { this.number = number; this.until = number + 60; } }

class Pool {
  static #idle = [];
  static lend(number) { return new Lease(number); }
  static giveBack(lease) { Pool.#idle.push(lease); }
}

stage.play({ leak: number => { Pool.giveBack(Pool.lend(number)); } });
