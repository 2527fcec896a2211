'use strict';
const table = Array.from({ length: 20 }, (_, number) => ({ number, rule: `rule ${number}` }));
exports.apply = value => table[value % 20];
