'use strict';
const rows = [];
exports.add = i => { rows.push({order: i, lines: [i]}); };
