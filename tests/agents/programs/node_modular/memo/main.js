'use strict';
const {price} = require('./price');
require('../drive.cjs')(i => { price(i); });
