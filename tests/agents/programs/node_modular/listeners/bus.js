'use strict';
const {EventEmitter} = require('events');
exports.bus = new EventEmitter();
exports.bus.setMaxListeners(0);
