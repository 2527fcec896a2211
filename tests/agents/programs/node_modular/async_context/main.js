'use strict';
const {run, current} = require('./context');
require('../drive.cjs')(i => run(i, async () => { await null; current().log.push('end'); }));
