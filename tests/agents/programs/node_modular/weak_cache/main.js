'use strict';
const {page} = require('./cache');
require('../drive.cjs')(i => { page('/p/' + i); });
