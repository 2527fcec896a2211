// A server that remembers its connections, to close them at the end; those that are reset stay in the list.
'use strict';
const net = require('node:net');
const { once } = require('node:events');
const { play } = require('./stage.cjs');

class Connection { constructor(socket, number) { this.socket = socket; this.number = number; this.since = number; } }

const connections = [];
let begun = () => {};

const server = net.createServer(socket => {
  connections.push(new Connection(socket, connections.length));
  socket.on('error', () => {});
  socket.resume();
  socket.write('hello\n');
  socket.on('close', () => begun());
});

async function connect() {
  const closed = new Promise(done => { begun = done; });
  const client = net.connect(server.address().port, '127.0.0.1');
  await once(client, 'data');
  client.end();
  await closed;
}

server.listen(0, '127.0.0.1', async () => {
  for (let i = 0; i < 100; i++) await connect();
  connections.length = 0;
  play({ noise: ['cache', 'ring', 'timers'], leak: connect });
});
