// The leak of Meteor: a closure nobody calls keeps the context in which the previous one was made.
'use strict';
const { play } = require('./stage.cjs');

class Payload { constructor(number) { this.number = number; } }

let theThing = null;

function replaceThing(number) {
  const original = theThing;
  const unused = function () { return original; };
  theThing = {
    payload: new Payload(number),
    method() { return 'called'; }, // truth: made
  };
  return unused.length;
}

play({ leak: replaceThing });
