// An HTTP server with a heap of so many MiB beside its sessions: node_server.js MIB [OBJECTS_MIB]. What is above OBJECTS_MIB is arrays of numbers, each
// an object of a megabyte: V8 takes by far the longest over objects. See kit.py for the lines that it obeys; "port" tells where it listens, "children" how
// many signals of ended children it got.
'use strict';
const http = require('http');
const readline = require('readline');
const v8 = require('v8');

class Item {
  constructor(number) { this.number = number; this.name = 'item ' + number; this.tags = [number, number + 1]; }
}

class Session {
  constructor(number) { this.number = number; this.user = new User(number); }
}

class User {
  constructor(number) { this.name = 'user ' + number; }
}

global.stock = new Map();
const MIB = 1048576;
const used = () => v8.getHeapStatistics().used_heap_size;
const [size, objects] = process.argv.slice(2).map(Number);
while (used() < (objects || size) * MIB) {
  for (let i = 0; i < 1000; i++) global.stock.set('item ' + global.stock.size, new Item(global.stock.size));
}
global.samples = [];
while (used() < size * MIB) global.samples.push(new Array(MIB / 8).fill(0.5));
global.registry = {sessions: []};
let children = 0;
process.on('SIGCHLD', () => children++);

const server = http.createServer((request, response) => {
  const garbage = Array.from({length: 200}, (_, i) => ({i, text: 'text ' + i}));
  response.end(JSON.stringify({items: global.stock.size, length: JSON.stringify(garbage).length}));
});
server.listen(0, '127.0.0.1', () => {
  readline.createInterface({input: process.stdin}).on('line', line => {
    const [verb, count] = line.split(' ');
    if (verb === 'quit') process.exit(0);
    if (verb === 'port') return console.log('port', server.address().port);
    if (verb === 'children') return console.log('children', children);
    for (let i = 0; i < Number(count); i++) global.registry.sessions.push(new Session(i));
    console.log('leaked', global.registry.sessions.length);
  });
  console.log('ready');
});
