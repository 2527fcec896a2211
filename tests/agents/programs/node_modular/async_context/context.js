'use strict';
const {AsyncLocalStorage} = require('async_hooks');
const storage = new AsyncLocalStorage();
const active = new Set();

class RequestContext {
  constructor(id) { this.id = id; this.log = ['begin ' + id]; }
}

exports.run = (id, work) => {
  const context = new RequestContext(id);
  active.add(context); // LEAK
  return storage.run(context, work);
};
exports.current = () => storage.getStore();
