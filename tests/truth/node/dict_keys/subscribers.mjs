class Subscriber {
  constructor(name) { this.name = name; this.left = false; }
}

const subscribers = {};

export function subscribe(name) { subscribers[name] = new Subscriber(name); }
export function leave(name) { subscribers[name].left = true; }
