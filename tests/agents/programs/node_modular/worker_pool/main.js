'use strict';
const {run} = require('./pool');
require('../drive.cjs')(i => run(i));
