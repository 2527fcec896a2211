// A price feed: each ticket that is opened listens for prices, and none ever stops listening.
'use strict';
const { play } = require('../stage.cjs');
const bus = require('./bus.cjs');

class Ticket {
  constructor(number) { this.number = number; this.price = 0; }
}

function openTicket(number) {
  const ticket = new Ticket(number);
  bus.on('price', function onPrice(price) { ticket.price = price; }); // truth: made
}

play({ leak: openTicket });
