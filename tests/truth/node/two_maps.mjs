// Users in two indexes of one module, behind a real HTTP server.
import http from 'node:http';
import stage from './stage.cjs';

class User {
  constructor(id) { this.id = id; this.name = 'user-' + id; }
}

const byId = new Map();
const byName = new Map();

const server = http.createServer((request, response) => {
  const user = new User(Number(request.url.slice(1)) | 0); // an integer: optimized code boxes what may be none
  byId.set(user.id, user);
  byName.set(user.name, user);
  response.end('ok');
});
server.keepAliveTimeout = 0; // none: captures stop the program for a while
await new Promise(done => server.listen(0, '127.0.0.1', done));
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });

function visit(number) {
  return new Promise((done, failed) => http.get({ agent, port: server.address().port, host: '127.0.0.1', path: '/' + number }, response => {
    response.on('end', done).resume();
  }).on('error', failed));
}

for (let i = 0; i < 300; i++) await visit(i % 3);
byId.clear();
byName.clear();
stage.play({ leak: visit });
