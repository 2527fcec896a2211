'use strict';
class Note { constructor(number) { this.number = number; this.lines = [number]; } }

exports.createStore = function createStore() {
  const entries = [];
  return {
    add(number) { entries.push(new Note(number)); },
    count() { return entries.length; },
  };
};
