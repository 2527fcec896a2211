// Middleware that keeps every request it has seen in the locals of the application.
'use strict';
const { play } = require('./stage.cjs');

class Request { constructor(number) { this.number = number; this.headers = { host: 'shop.example', number }; } }

function createApp() {
  const stack = [];
  const app = {
    locals: { title: 'shop', pending: [] },
    use(one) { stack.push(one); return app; },
    handle(request) {
      let at = 0;
      const next = () => { const one = stack[at++]; if (one) one(request, next); };
      next();
    },
  };
  return app;
}

const app = createApp();
app.use(function count(request, next) { request.seen = 1; next(); });
app.use(function audit(request, next) { app.locals.pending.push(request); next(); });

play({ leak: number => app.handle(new Request(number)) });
