'use strict';
const { decorate } = require('./container.js');

class Order { constructor(number) { this.number = number; this.lines = [{ sku: 'a' + number }]; } }

class OrdersService {
  constructor() { this.byId = new Map(); }

  create(number) {
    const order = new Order(number);
    this.byId.set(number, order); // truth: kept
    return order;
  }
}
decorate(OrdersService, 'injectable', true);
decorate(OrdersService.prototype.create, 'returns', Order);

class OrdersController {
  constructor(orders) { this.orders = orders; }

  serve(number) { return this.orders.create(number); }
}
decorate(OrdersController, 'needs', [OrdersService]);
decorate(OrdersController.prototype.serve, 'path', 'item/:id');

module.exports = { OrdersController };
