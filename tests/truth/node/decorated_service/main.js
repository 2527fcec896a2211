// A service that keeps every order in a field of its own. A container made it, as classes are made that carry decorators.
'use strict';
const stage = require('../stage.cjs');
const { Container } = require('./container.js');
const { OrdersController } = require('./orders.js');

const app = new Container();
app.get(OrdersController);

stage.play({ noise: ['cache', 'requests', 'guests', 'timers'], leak(number) { app.get(OrdersController).serve(number); } });
