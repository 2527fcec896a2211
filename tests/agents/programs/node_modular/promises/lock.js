'use strict';
const waiting = [];

exports.acquire = function acquire(owner) {
  return new Promise(resolve => { // LEAK
    waiting.push({owner, resolve});
  });
};
