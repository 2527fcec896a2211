// States are kept in a WeakMap, so they would go with their connections; but connections stay in an array.
'use strict';
const { play } = require('./stage.cjs');

class Conn { constructor(number) { this.number = number; } }
class ConnState { constructor(conn) { this.conn = conn; this.seen = 0; } }

const states = new WeakMap();
const live = [];

function connect(number) {
  const conn = new Conn(number);
  states.set(conn, new ConnState(conn));
  live.push(conn);
}

play({ leak: connect });
