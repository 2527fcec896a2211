export class Session {
  constructor(number) { this.number = number; this.rights = ['read', 'write']; }
}

const openSessions = new Set();

export function begin(number) {
  const session = new Session(number);
  openSessions.add(session);
  return session;
}

export function end(session, isOrderly) {
  session.rights.length = 0;
  if (isOrderly) openSessions.delete(session);
}
