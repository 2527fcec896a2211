'use strict';
class Poller {
  constructor(host) {
    this.host = host;
    this.history = [];
    setInterval(() => this.poll(), 600000).unref(); // LEAK
  }

  poll() { this.history.push(Date.now()); }
}
exports.watch = host => new Poller(host);
