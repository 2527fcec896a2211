export const sessions = new Map();

export class Session {
  constructor(id) { this.id = id; this.cart = []; }
}

export function open(id) {
  const session = new Session(id);
  sessions.set(id, session);
  return session;
}
