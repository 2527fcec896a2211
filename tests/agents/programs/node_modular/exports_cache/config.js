'use strict';
module.exports = {cache: {}, limits: {size: 10}};
