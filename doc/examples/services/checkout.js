// A shop's service that leaks: it remembers a session for each customer and never forgets one. The cache of pages beside it is bounded.
//
//   node checkout.js          GET /cart?user=NUMBER
'use strict';
const http = require('http');

class Session {
  constructor(user) {
    this.user = user;
    this.cart = [];
  }
}

class CartItem {
  constructor(sku, count) { this.sku = sku; this.count = count; }
}

const sessions = new Map();
const pages = new Map();

function sessionOf(user) {
  let session = sessions.get(user);
  if (!session) {
    session = new Session(user);
    sessions.set(user, session);
  }
  return session;
}

function page(url) {
  if (!pages.has(url)) pages.set(url, '<h1>' + url + '</h1>');
  if (pages.size > 100) pages.delete(pages.keys().next().value);
  return pages.get(url);
}

function cart(user) {
  const session = sessionOf(user);
  for (let i = 0; i < 4; i++) session.cart.push(new CartItem('sku-' + user + '-' + i, i + 1));
  return page('/cart/' + user % 150) + session.cart.length;
}

http.createServer((request, response) => {
  response.end(cart(new URL(request.url, 'http://shop').searchParams.get('user')) + '\n');
}).listen(8080, '127.0.0.1');
