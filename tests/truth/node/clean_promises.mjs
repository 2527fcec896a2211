// No leak: promises that are resolved, streams that are read, generators that end.
import { PassThrough } from 'node:stream';
import stage from './stage.cjs';

class Order { constructor(number) { this.number = number; } }

function* steps(order) {
  yield order.number;
  yield -order.number;
}

async function placeOrder(number) {
  const order = new Order(number);
  for (const step of steps(order)) await Promise.resolve(step);
  const body = new PassThrough();
  body.end('order ' + number);
  for await (const part of body) order.number += part.length;
}

stage.play({ noise: ['cache', 'ring', 'requests', 'timers'], leak: placeOrder });
