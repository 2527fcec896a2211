// A shop over HTTP whose heap is captured under load: node --expose-gc server.js --seed S [--items N] [--leak BYTES --round REQUESTS]
//
// Prints "listening PORT place" once it serves, with place the JSON of where the leak hangs, or null. load.py makes the requests; POST
// /capture?file=F writes a heap snapshot after full collections and answers with {leaked: things kept so far}; POST /stop ends it.
// Everything that the shop keeps is bounded (shop.js); what --leak adds is in leaks.js.
'use strict';
const {AsyncLocalStorage} = require('async_hooks');
const {EventEmitter} = require('events');
const http = require('http');
const {Readable, Transform} = require('stream');
const {pipeline} = require('stream/promises');
const {parseArgs} = require('util');
const v8 = require('v8');
const {leakEvery, kinds} = require('./leaks.js');
const {makeShop} = require('./shop.js');

const options = parseArgs({options: {
  seed: {type: 'string', default: '1'}, items: {type: 'string', default: '300'}, leak: {type: 'string', default: '0'},
  kind: {type: 'string'}, round: {type: 'string', default: '300'},
}}).values;
const seed = Number(options.seed);
const shop = makeShop(seed, Number(options.items));
const bus = new EventEmitter().setMaxListeners(0);
const contexts = new AsyncLocalStorage();
const leak = leakEvery(options.kind ?? kinds[seed % kinds.length], Number(options.leak), Number(options.round));
let requestCount = 0;

class HttpError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

// ---- bodies ----

async function readBody(request) {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function readJson(request) {
  try {
    return JSON.parse((await readBody(request)).toString('utf8'));
  } catch (error) {
    throw new HttpError(400, `the body is not JSON: ${error.message}`);
  }
}

// ---- sessions ----

function sessionOf(request) {
  const sid = /(?:^|; )sid=([^;]*)/.exec(request.headers.cookie ?? '')?.[1];
  const session = sid && shop.sessions.get(sid);
  if (!session) throw new HttpError(401, 'no session');
  session.seen = Date.now();
  session.visits++;
  return session;
}

async function login({request, response}) {
  const {user, language} = await readJson(request);
  const sid = Buffer.from(`${user}:${shop.random()}`).toString('base64url');
  shop.sessions.set(sid, {user, language, cart: [], seen: Date.now(), visits: 0, flags: {beta: shop.random() < 0.1}});
  response.setHeader('Set-Cookie', `sid=${sid}; HttpOnly`);
  return {user, language};
}

function cart({request}) {
  const session = sessionOf(request);
  const total = session.cart.reduce((sum, line) => sum + line.count * shop.products[line.item].price, 0);
  return {user: session.user, lines: session.cart, total: total.toFixed(2)};
}

async function addToCart({request}) {
  const line = await readJson(request);
  const session = sessionOf(request);
  session.cart = [...session.cart.filter(other => other.item !== line.item), line].slice(-8);
  bus.emit('cart', session, line);
  return {lines: session.cart.length};
}

async function order({request}) {
  const wanted = await readJson(request);
  const session = sessionOf(request);
  if (session.cart.length === 0) throw new HttpError(409, 'the cart is empty');
  const made = {number: ++shop.orderCount, user: session.user, lines: session.cart, ...wanted};
  session.cart = [];
  shop.orders.push(made);
  await reserve(made);
  bus.emit('order', made);
  return {number: made.number, lines: made.lines.length};
}

// Talks to a slow stock room: a timer for each line, and a time-out for all of them.
async function reserve(made) {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), 5000);
  await Promise.all(made.lines.map(async line => {
    await new Promise(resolve => setTimeout(resolve, Math.floor(shop.random() * 3)));
    if (late.signal.aborted) throw new HttpError(503, 'the stock room does not answer');
    shop.products[line.item].stock -= line.count;
  }));
  clearTimeout(timer);
}

// ---- pages ----

function item({match}) {
  const product = shop.products[Number(match[1])];
  if (!product) throw new HttpError(404, 'no such item');
  return {...product, related: related(product)};
}

function related(product) {
  const key = product.tags.join(' ');
  let found = shop.fragments.get(key);
  if (!found) {
    found = (shop.index.get(product.tags[0]) ?? []).filter(other => other.tags.includes(product.tags[1])).slice(0, 5).map(other => other.name);
    shop.fragments.set(key, found);
  }
  return found;
}

function search({url}) {
  const words = (url.searchParams.get('q') ?? '').split(/[ +]/).filter(Boolean).sort();
  const page = Number(url.searchParams.get('page') ?? 0);
  const key = `search ${words.join(' ')} ${page}`;
  return cached(key, () => {
    const sets = words.map(word => new Set(shop.index.get(word) ?? []));
    const found = [...(sets[0] ?? [])].filter(product => sets.every(set => set.has(product))).sort((a, b) => a.price - b.price);
    return JSON.stringify({words, page, count: found.length, found: found.slice(page * 10, page * 10 + 10).map(({id, name, price}) => ({id, name, price}))});
  });
}

function cached(key, make) {
  let text = shop.pages.get(key);
  if (text === undefined) {
    text = make();
    shop.pages.set(key, text);
  }
  return text;
}

function render({match, url}) {
  const language = url.searchParams.get('lang') ?? 'en';
  return cached(`render ${match[1]} ${language}`, () => {
    const product = shop.products[Number(match[1])];
    let page = `<html lang="${language}"><head><title>${escapeHtml(product.name)}</title></head><body>`;
    for (const sentence of product.text.split(' ').map((word, i) => (i % 5 ? word : `${word}.`)).join(' ').split('. ')) {
      page += `<p class="${language}">${escapeHtml(sentence)}</p>`;
    }
    page += `<b>${product.price.toLocaleString('en-US', {style: 'currency', currency: 'EUR'})}</b></body></html>`;
    return page;
  });
}

function escapeHtml(text) {
  return text.replace(/[&<>"]/g, letter => `&#${letter.charCodeAt(0)};`);
}

function report({url}) {
  const group = url.searchParams.get('group');
  const groups = new Map();
  for (const product of shop.products) {
    const key = group === 'tag' ? product.tags[0] : group === 'price' ? Math.floor(product.price / 10) : product.stock % 10;
    const row = groups.get(key) ?? {key, count: 0, worth: 0};
    row.count++;
    row.worth += product.price;
    groups.set(key, row);
  }
  return [...groups.values()].sort((a, b) => b.worth - a.worth);
}

async function exportItems({url, response}) {
  const from = Number(url.searchParams.get('from'));
  const rows = shop.products.slice(from, from + Number(url.searchParams.get('count')));
  const toCsv = new Transform({
    writableObjectMode: true,
    transform(product, _, done) { done(null, `${product.id},${JSON.stringify(product.name)},${product.price}\n`); },
  });
  response.writeHead(200, {'Content-Type': 'text/csv'});
  await pipeline(Readable.from(rows), toCsv, response);
}

async function upload({request}) {
  const body = await readBody(request);
  const counts = new Uint32Array(256);
  for (const byte of body) counts[byte]++;
  return {bytes: body.length, most: counts.indexOf(Math.max(...counts)), digest: require('crypto').createHash('sha256').update(body).digest('hex')};
}

function time({url}) {
  const when = new Date(Date.UTC(2024, 1, 3, Number(url.searchParams.get('offset'))));
  return {iso: when.toISOString(), text: when.toLocaleDateString(url.searchParams.get('lang'), {weekday: 'long', month: 'long', day: 'numeric'})};
}

function broken({url}) {
  if (url.searchParams.get('kind') === '0') return shop.products[-1].name;
  if (url.searchParams.get('kind') === '1') return Promise.reject(new RangeError('out of stock'));
  throw new Error(`broken on purpose at ${requestCount}`);
}

// Code that few requests need: loaded when the first of them comes, whichever round that is.
async function rare({url}) {
  switch (url.searchParams.get('kind')) {
    case '0': return {packed: require('zlib').gzipSync(JSON.stringify(report({url}))).length};
    case '1': return {shown: require('util').inspect(shop.metrics, {depth: 4}).length};
    case '2': return {host: require('os').platform(), parsed: require('querystring').parse('a=1&b=2&a=3')};
    default: return {digest: require('crypto').pbkdf2Sync('word', 'salt', 10, 16, 'sha256').toString('hex'), id: require('crypto').randomUUID().length};
  }
}

// ---- the service ----

async function capture({url}) {
  await new Promise(resolve => setTimeout(resolve, 60));
  for (let i = 0; i < 2; i++) {
    gc();
    await new Promise(resolve => setImmediate(resolve));
  }
  v8.writeHeapSnapshot(url.searchParams.get('file'));
  return {leaked: leak?.count() ?? 0};
}

function stop() {
  setImmediate(() => process.exit(0));
  return {};
}

const ROUTES = [
  ['GET', /^\/item\/(\d+)$/, item], ['GET', /^\/search$/, search], ['GET', /^\/render\/(\d+)$/, render], ['GET', /^\/cart$/, cart],
  ['POST', /^\/cart$/, addToCart], ['POST', /^\/order$/, order], ['POST', /^\/login$/, login], ['GET', /^\/report$/, report],
  ['GET', /^\/export$/, exportItems], ['POST', /^\/upload$/, upload], ['GET', /^\/time$/, time], ['GET', /^\/broken$/, broken],
  ['GET', /^\/rare$/, rare], ['POST', /^\/capture$/, capture], ['POST', /^\/stop$/, stop],
];

async function route(request, response, context) {
  const url = new URL(request.url, 'http://localhost');
  for (const [method, pattern, handle] of ROUTES) {
    const match = method === request.method && pattern.exec(url.pathname);
    if (match) {
      context.route = handle.name;
      return handle({request, response, url, match});
    }
  }
  throw new HttpError(404, `no route ${url.pathname}`);
}

function answer(response, status, result) {
  if (response.headersSent) return;
  const text = typeof result === 'string' ? result : JSON.stringify(result);
  response.statusCode = status;
  response.setHeader('Content-Type', text.startsWith('<') ? 'text/html' : 'application/json');
  response.end(text);
}

async function serve(request, response) {
  const context = {id: ++requestCount, method: request.method, path: request.url, route: 'none', user: null, started: performance.now()};
  response.on('finish', () => {
    shop.metrics.add(context.route, response.statusCode, performance.now() - context.started, Number(response.getHeader('content-length') ?? 0));
  });
  const onCart = session => { context.user = session.user; };
  bus.once('cart', onCart);
  try {
    if (!shop.limiter.admit(request.headers['user-agent'] + request.socket.remotePort, Date.now())) throw new HttpError(429, 'too many');
    const result = await contexts.run(context, () => route(request, response, context));
    answer(response, 200, result);
  } catch (error) {
    if (!(error instanceof HttpError)) shop.errors.push({context, error});
    answer(response, error.status ?? 500, {error: error.message});
  }
  bus.off('cart', onCart);
  shop.log.push(`${context.method} ${context.path} ${response.statusCode}`);
  if (context.route !== 'capture') leak?.call(context, bus, shop);
}

bus.on('order', made => setImmediate(() => bus.emit('mail', `order ${made.number} of ${contexts.getStore()?.id}`)));
bus.on('mail', text => shop.log.push(text));
setInterval(() => shop.limiter.sweep(Date.now()), 200).unref();
setInterval(() => shop.log.push(JSON.stringify(shop.metrics.statuses)), 150).unref();

const server = http.createServer(serve);
server.listen(0, '127.0.0.1', () => console.log(`listening ${server.address().port} ${JSON.stringify(leak && {kind: leak.kind, ...leak.place})}`));
