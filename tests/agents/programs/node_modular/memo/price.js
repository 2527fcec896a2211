'use strict';
const memoize = require('./memoize');
exports.price = memoize(article => ({article, cents: article * 100}));
