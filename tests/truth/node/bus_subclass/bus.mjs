import { EventEmitter } from 'node:events';

export class Bus extends EventEmitter {
  #subscribed = 0;
  subscribe(topic, listener) {
    this.#subscribed++;
    this.on(topic, listener);
  }
  get subscribed() { return this.#subscribed; }
}

export const bus = new Bus().setMaxListeners(0);
