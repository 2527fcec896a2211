'use strict';
const refs = new Map();

exports.page = function page(path) {
  const known = refs.get(path);
  let found = known && known.deref();
  if (!found) {
    found = {path, body: 'page of ' + path};
    refs.set(path, new WeakRef(found)); // LEAK
  }
  return found;
};
