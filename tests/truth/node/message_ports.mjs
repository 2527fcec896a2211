// Channels to workers that are never closed.
import { MessageChannel } from 'node:worker_threads';
import stage from './stage.cjs';

class Line { constructor(number, port) { this.number = number; this.port = port; this.log = []; } }

const lines = new Map();

function connect(number) {
  const { port1, port2 } = new MessageChannel();
  const line = new Line(number, port1);
  port2.unref();
  port1.on('message', text => line.log.push(text));
  lines.set(number, line);
}

stage.play({ leak: connect });
