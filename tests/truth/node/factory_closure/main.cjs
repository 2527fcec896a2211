// A store that a factory makes: its entries are a variable of the factory's call, which no object has as a property.
'use strict';
const { play } = require('../stage.cjs');
const { createStore } = require('./store.cjs');

const store = createStore();

play({ noise: ['cache', 'ring', 'requests', 'timers'], leak(number) { store.add(number); } });
