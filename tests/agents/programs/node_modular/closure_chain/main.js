'use strict';
const {replace} = require('./thing');
require('../drive.cjs')(i => { replace(i); });
