'use strict';
const {start} = require('./job');
require('../drive.cjs')(i => start(i));
