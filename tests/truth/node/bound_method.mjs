// Views listen by a bound method, and take another bound one away.
import { EventEmitter } from 'node:events';
import stage from './stage.cjs';

class View {
  constructor(store, number) {
    this.number = number;
    this.store = store;
    store.on('change', this.render.bind(this));
  }

  close() { this.store.off('change', this.render.bind(this)); }
  render() { this.rendered = true; }
}

class Store extends EventEmitter {
  constructor() { super(); this.setMaxListeners(0); }
}

const store = new Store();

stage.play({ noise: ['cache', 'ring', 'guests'], leak(number) { new View(store, number).close(); } });
