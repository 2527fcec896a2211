// One type shrinks while another grows under another root: the total hardly moves, both must be named.
'use strict';
const {plant} = require('./plant.js');

class Ticket {
  constructor(id) { this.id = id; this.seat = id + 1; this.row = id + 2; this.price = 10; this.paid = false; this.gate = 4; }
}
class Invoice {
  constructor(id) { this.id = id; this.sum = id + 1; this.tax = id + 2; this.due = 30; this.paid = false; this.lines = 2; }
}

global.tickets = [];
global.invoices = [];

plant({
  root: 'global.invoices',
  growing: ['Invoice'],
  shrinking: ['Ticket'],
  holders: [
    {path: 'Array', items: '[*] Invoice'},
    {root: 'global.tickets', path: '', types: ['Ticket']}, // the old array is gone with what it lost: the name holds the new one
  ],
  warmUp: () => {
    for (let i = 0; i < 9000; i++) global.tickets.push(new Ticket(i));
    for (let i = 0; i < 1000; i++) global.invoices.push(new Invoice(i));
  },
  leak: () => {
    global.tickets = global.tickets.filter(ticket => ticket.id % 9 === 0);
    for (let i = 0; i < 8500; i++) global.invoices.push(new Invoice(i));
    return {fresh: {Invoice: 8500}, freed: {Ticket: 8000}};
  },
  counts: () => ({Ticket: global.tickets.length, Invoice: global.invoices.length}),
});
