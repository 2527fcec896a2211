// A program that does everything in an async function, as those do that wait for a database: the variables of the module are there, and of the
// functions that are left none sees them alone. It has no 'use strict': there a class has a scope of its own around its methods.
const stage = require('./stage.cjs');

class Repository {
  constructor() { this.loaded = new Map(); }

  async find(id) {
    const row = { id, name: 'user ' + id };
    this.loaded.set(id, row);
    await null;
    return row;
  }
}

const repository = new Repository();

(async () => {
  const served = { requests: 0 };
  await null;
  const leak = number => {
    served.requests++;
    return repository.find(number);
  };
  stage.play({ noise: ['cache', 'requests', 'timers'], leak });
})();
