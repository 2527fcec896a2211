'use strict';
const byId = new Map();
const byName = new Map();

class User {
  constructor(id) { this.id = id; this.name = 'user ' + id; }
}

exports.add = function add(id) {
  const user = new User(id);
  byId.set(id, user);
  byName.set(user.name, user);
};
exports.find = id => byId.get(id);
