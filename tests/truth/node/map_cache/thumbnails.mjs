class Thumbnail {
  constructor(path) { this.path = path; this.width = 120; this.height = 80; }
}

const cache = new Map();

export function thumbnail(path) {
  let found = cache.get(path);
  if (!found) cache.set(path, found = new Thumbnail(path));
  return found;
}
