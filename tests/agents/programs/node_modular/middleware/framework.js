'use strict';
const http = require('http');

exports.createApp = function createApp() {
  const stack = [];
  function app(request, response) {
    let at = 0;
    const next = () => { const layer = stack[at++]; if (layer) layer(request, response, next); };
    next();
  }
  app.use = layer => { stack.push(layer); };
  app.listen = (port, done) => http.createServer(app).listen(port, '127.0.0.1', done);
  return app;
};
