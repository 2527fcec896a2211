// No leak: a server that answers, with a bounded list of the last requests.
import http from 'node:http';
import stage from './stage.cjs';

class Access { constructor(url) { this.url = url; } }

const last = Array.from({ length: 100 }, () => new Access('/'));
let at = 0;

const server = http.createServer((request, response) => {
  last[at++ % last.length] = new Access(request.url);
  response.end('ok');
});
server.keepAliveTimeout = 0; // none: captures stop the program for a while
await new Promise(done => server.listen(0, '127.0.0.1', done));
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });

function visit(number) {
  return new Promise((done, failed) => http.get({ agent, port: server.address().port, host: '127.0.0.1', path: '/' + number % 1000 }, response => {
    response.on('end', done).resume();
  }).on('error', failed));
}

for (let i = 0; i < 500; i++) await visit(i);
stage.play({ noise: ['cache', 'ring', 'timers', 'guests'], leak: visit });
