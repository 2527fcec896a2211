'use strict';
const users = require('./users');
require('../drive.cjs')(i => users.add(i));
