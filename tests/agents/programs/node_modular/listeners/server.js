'use strict';
const http = require('http');
const {bus} = require('./bus');
const drive = require('../drive.cjs');

const server = http.createServer((request, response) => {
  const order = {path: request.url, items: [1, 2, 3]};
  bus.on('price', function onPrice(price) { order.price = price; }); // LEAK
  response.end('ok');
});

server.listen(0, '127.0.0.1', () => {
  const agent = new http.Agent({keepAlive: true});
  drive(i => new Promise((resolve, reject) => {
    http.get({port: server.address().port, path: '/order/' + i, agent}, answer => {
      answer.resume();
      answer.on('end', resolve);
    }).on('error', reject);
  }));
});
