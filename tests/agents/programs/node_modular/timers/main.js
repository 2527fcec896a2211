'use strict';
const {watch} = require('./poller');
require('../drive.cjs')(i => { watch('host ' + i); });
