'use strict';
const trail = [];

class Entry {
  constructor(path) { this.path = path; this.at = process.hrtime(); }
}

module.exports = function audit(request, response, next) {
  trail.push(new Entry(request.url)); // LEAK
  next();
};
