export type Task = () => Promise<number>;

export class TaskQueue {
  private readonly done: Task[] = [];

  async run(task: Task): Promise<number> {
    const result = await task();
    this.done.push(task);
    return result;
  }
}
