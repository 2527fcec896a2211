// A small shop's server. Every request opens a session, which ends with the answer; with LEAK=1 every sixth is forgotten in the table.
// Prints its address. Listens on PORT of 127.0.0.1, or on a free one.
'use strict';
const http = require('http');

class Session {
  constructor(number) {
    this.user = 'user-' + number;
    this.cart = [{ sku: number % 97, count: 1 }, { sku: number % 89, count: 2 }];
    this.seen = new Array(50).fill(number);
  }
}

const sessions = new Map();
const leaks = process.env.LEAK === '1';
let count = 0;

const server = http.createServer((request, response) => {
  const number = ++count;
  sessions.set(number, new Session(number));
  response.on('finish', () => {
    if (!leaks || number % 6 !== 0) sessions.delete(number);
  });
  response.end(sessions.get(number).user + '\n');
});

server.listen(Number(process.env.PORT || 0), '127.0.0.1', () => {
  console.log('listening on http://127.0.0.1:' + server.address().port + '/');
});
