const handlers = new Map();

export function subscribe(topic, user) {
  const filter = {user, seen: 0};
  handlers.set(topic + user, message => { // LEAK
    filter.seen++;
    return message.user === filter.user;
  });
}

export const publish = message => [...handlers.values()].filter(handler => handler(message)).length;
