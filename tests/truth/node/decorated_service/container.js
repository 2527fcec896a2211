// What frameworks for services do: what decorators say of a class is kept in WeakMaps beside it, and the container makes one object of each class,
// which nothing but its own tables refers to.
'use strict';
const metadata = [new WeakMap(), new WeakMap()];

function decorate(target, key, value) {
  for (const table of metadata) {
    if (!table.has(target)) table.set(target, new Map());
    table.get(target).set(key, value);
  }
}

class Wrapper { constructor(type) { this.type = type; this.instance = null; } }
class Scope { constructor(name) { this.name = name; this.providers = new Map(); } }

class Container {
  constructor() {
    this.scopes = new Map([['app', new Scope('app')]]);
    this.instances = new WeakMap();
  }

  get(type) {
    const { providers } = this.scopes.get('app');
    if (!providers.has(type)) {
      const wrapper = new Wrapper(type);
      const needed = metadata[0].get(type)?.get('needs') ?? [];
      wrapper.instance = new type(...needed.map(other => this.get(other)));
      this.instances.set(wrapper, wrapper.instance);
      providers.set(type, wrapper);
    }
    return providers.get(type).instance;
  }
}

module.exports = { Container, decorate };
