// No leak: listeners that are taken away again, intervals that are cleared.
'use strict';
const { EventEmitter } = require('node:events');
const { play } = require('./stage.cjs');

class Ticket { constructor(number) { this.number = number; } }

const bus = new EventEmitter();

function openTicket(number) {
  const ticket = new Ticket(number);
  const onPrice = price => { ticket.price = price; };
  bus.on('price', onPrice);
  const interval = setInterval(() => { ticket.number++; }, 1000);
  bus.emit('price', number);
  bus.off('price', onPrice);
  clearInterval(interval);
}

play({ leak: openTicket });
