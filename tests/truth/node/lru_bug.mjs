// A cache that evicts its oldest entry, by a key of the wrong type: nothing is ever deleted.
import stage from './stage.cjs';

class Entry { constructor(key) { this.key = key; this.value = [key]; } }

export class RecentCache {
  #entries = new Map();
  #order = [];

  put(key) {
    this.#entries.set(key, new Entry(key));
    this.#order.push(key);
    if (this.#order.length > 100) this.#entries.delete(String(this.#order.shift()));
  }
}

const recent = new RecentCache();

stage.play({ leak(number) { recent.put(number); } });
