// Each order waits for a confirmation that never comes.
'use strict';
const { play } = require('./stage.cjs');

class Order {
  constructor(number) { this.number = number; this.state = 'new'; }
}

const waiting = new Set();

function confirmation() {
  return new Promise(resolve => { waiting.add(resolve); }); // truth: made
}

async function placeOrder(number) {
  const order = new Order(number);
  await confirmation();
  order.state = 'confirmed';
}

play({ noise: ['cache', 'ring', 'requests'], leak(number) { placeOrder(number); } });
