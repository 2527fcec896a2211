'use strict';
const billing = require('./billing');
const orders = require('./orders');
require('../drive.cjs')(i => { billing.add(i); orders.add(i); });
