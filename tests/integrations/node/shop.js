// A shop as services are written: prices that are cached on first use, templates that are loaded when first needed, a log of the last lines,
// baskets that listen to the stock. `forgetful` ones do not let go.
'use strict';

const {EventEmitter} = require('events');

const LOG_LINES = 200;

class Basket {
  constructor(shop, customer) {
    this.shop = shop;
    this.customer = customer;
    this.lines = [];
    this.onStock = item => this.lines.filter(line => line.item === item).forEach(line => { line.isStale = true; });
    shop.stock.on('changed', this.onStock);
  }

  add(item) {
    this.lines.push({item, cents: this.shop.priceOf(item), isStale: false});
  }

  close() {
    this.shop.stock.off('changed', this.onStock);
  }
}

class Shop {
  constructor({forgetful = false} = {}) {
    this.forgetful = forgetful;
    this.stock = new EventEmitter().setMaxListeners(0);
    this.sessions = new Map();
    this.prices = new Map(); // at most one for each item
    this.log = [];
    this.customers = 0;
  }

  priceOf(item) {
    if (!this.prices.has(item)) this.prices.set(item, 100 + item.length);
    return this.prices.get(item);
  }

  render(basket) {
    this.templates = this.templates || require('querystring'); // loaded lazily
    return this.templates.stringify({customer: basket.customer, items: basket.lines.map(line => line.item)});
  }

  write(line) {
    this.log.push(line);
    if (this.log.length > LOG_LINES) this.log.shift();
  }

  serve() {
    const customer = `customer ${++this.customers}`;
    const basket = new Basket(this, customer);
    this.sessions.set(customer, {basket, since: Date.now()});
    for (let i = 0; i < 3; i++) basket.add(`item ${(this.customers + i) % 50}`);
    this.write(this.render(basket));
    if (this.forgetful === 'session') return basket.close();
    this.sessions.delete(customer);
    if (this.forgetful !== 'listener') basket.close();
    return undefined;
  }

  async serveLater() {
    await new Promise(resolve => setTimeout(resolve, 1));
    this.serve();
  }
}

module.exports = {Shop};
