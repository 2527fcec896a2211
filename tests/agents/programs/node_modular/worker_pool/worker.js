'use strict';
const {parentPort} = require('worker_threads');
parentPort.on('message', ({id, input}) => parentPort.postMessage({id, output: input * 2}));
