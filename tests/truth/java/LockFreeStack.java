import java.util.concurrent.atomic.AtomicReference;

/** A stack that grows at its head. */
public final class LockFreeStack {
    static final class Task {
        final int number;
        final Task below;
        Task(int number, Task below) {
            this.number = number;
            this.below = below;
        }
    }

    static final class Pool {
        private final AtomicReference<Task> top = new AtomicReference<>();
        void push(int number) { top.updateAndGet(below -> new Task(number, below)); }
    }

    static final Pool pool = new Pool();

    public static void main(String[] args) throws Exception {
        Stage.play(number -> pool.push(number));
    }
}
