// Two hundred users, each with a list of events that only grows: no list has much of it.
import stage from './stage.cjs';

class UserEvent { constructor(number) { this.number = number; this.at = number * 7; } }

const eventsByUser = new Map();
for (let i = 0; i < 200; i++) eventsByUser.set('user' + i, { name: 'user' + i, events: [] });

stage.play({
  noise: ['cache', 'ring', 'requests'],
  leak(number) { eventsByUser.get('user' + number % 200).events.push(new UserEvent(number)); },
});
