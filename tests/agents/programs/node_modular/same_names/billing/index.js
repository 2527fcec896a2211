'use strict';
const rows = [];
exports.add = i => { if (rows.length > 100) rows.length = 0; rows.push({bill: i}); };
