// Errors are collected for a report that is never made.
'use strict';
const { play } = require('./stage.cjs');

class PaymentError extends Error {
  constructor(number) {
    super('payment ' + number + ' was refused');
    this.number = number;
  }
}

class Reporter {
  failures = [];
  add(error) { this.failures.push(error); }
}

const reporter = new Reporter();

function pay(number) {
  try {
    throw new PaymentError(number);
  } catch (error) {
    reporter.add(error);
  }
}

play({ noise: ['cache', 'ring', 'requests', 'guests'], leak: pay });
