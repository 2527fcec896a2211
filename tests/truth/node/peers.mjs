// A map keyed by connection: when one ends its entry stays.
import { EventEmitter } from 'node:events';
import stage from './stage.cjs';

class Connection extends EventEmitter { constructor(number) { super(); this.number = number; } }
class Peer { constructor(connection) { this.name = connection.number; this.sent = 0; } }

const peers = new Map();

function accept(number) {
  const connection = new Connection(number);
  peers.set(connection, new Peer(connection));
  connection.on('end', () => { peers.get(connection).name = 0; });
  connection.emit('end');
}

stage.play({ leak: accept });
