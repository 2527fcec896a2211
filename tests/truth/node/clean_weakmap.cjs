// States in a WeakMap, each refers to its key: all of them go.
'use strict';
const { play } = require('./stage.cjs');

class Conn { constructor(number) { this.number = number; } }
class ConnState { constructor(conn) { this.conn = conn; this.seen = 0; } }

const states = new WeakMap();
const open = Array.from({ length: 500 }, (_, i) => new Conn(i));

function connect(number) {
  const conn = new Conn(number);
  states.set(conn, new ConnState(conn));
  open[number % open.length] = conn;
}

play({ leak: connect });
