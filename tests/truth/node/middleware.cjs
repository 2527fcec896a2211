// A route adds a handler to the stack of the application each time that it is asked for.
'use strict';
const { play } = require('./stage.cjs');

class Layer { constructor(handle) { this.handle = handle; this.path = '/'; } }

function createApp() {
  return {
    router: { stack: [] },
    use(handle) { this.router.stack.push(new Layer(handle)); },
  };
}

const app = createApp();

function serve(number) {
  app.use(function countVisits(request) { request.number = number; }); // truth: made
}

play({ leak: serve });
