// A server that keeps a record of each request for its statistics, and with it the request itself.
'use strict';
const http = require('node:http');
const { play } = require('./stage.cjs');

class Access {
  constructor(request, number) { this.request = request; this.number = number; }
}

const statistics = { accesses: [] };

const server = http.createServer((request, response) => {
  const number = Number(request.url.slice(1));
  if (number >= 0) statistics.accesses.push(new Access(request, number));
  response.end('ok');
});
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });

function visit(number) {
  return new Promise((done, failed) => http.get({ agent, port: server.address().port, host: '127.0.0.1', path: '/' + number }, response => {
    response.on('end', done).resume();
  }).on('error', failed));
}

server.keepAliveTimeout = 0; // none: captures stop the program for a while
server.listen(0, '127.0.0.1', async () => {
  for (let i = 0; i < 300; i++) await visit(-1);
  play({ noise: ['cache', 'ring', 'timers'], leak: visit });
});
