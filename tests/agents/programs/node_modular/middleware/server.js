'use strict';
const http = require('http');
const {createApp} = require('./framework');
const app = createApp();
app.use(require('./routes/audit'));
app.use((request, response) => response.end('ok'));
const agent = new http.Agent({keepAlive: true});
const server = app.listen(0, () => {
  require('../drive.cjs')(i => new Promise(resolve => {
    http.get({port: server.address().port, path: '/page/' + i, agent}, answer => answer.resume().on('end', resolve));
  }));
});
