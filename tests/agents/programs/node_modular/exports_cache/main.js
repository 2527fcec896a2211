'use strict';
const config = require('./config');
require('../drive.cjs')(i => { config.cache['key ' + i] = {value: i, used: [i]}; });
