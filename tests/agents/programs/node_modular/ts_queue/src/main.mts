import drive from '../../drive.cjs';
import { TaskQueue } from './queue.mjs';

const queue = new TaskQueue();
const rates: Map<string, number> = await Promise.resolve(new Map([['eur', 100]]));

drive((i: number) => {
  const order = { id: i, amount: i * (rates.get('eur') ?? 1) };
  return queue.run(async () => order.amount); // LEAK
});
