export class TaskQueue {
    done = [];
    async run(task) {
        const result = await task();
        this.done.push(task);
        return result;
    }
}
