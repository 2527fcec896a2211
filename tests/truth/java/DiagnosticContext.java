import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.SynchronousQueue;

/** A diagnostic context of a worker thread, as logging has it: what a request puts there is not removed. */
public final class DiagnosticContext {
    static final class Span {
        final int number;
        final long[] times = new long[4];
        Span(int number) { this.number = number; }
    }

    static final class Context {
        private static final ThreadLocal<Map<String, Span>> CURRENT = ThreadLocal.withInitial(HashMap::new);
        static void put(String key, Span span) { CURRENT.get().put(key, span); }
    }

    static final SynchronousQueue<Integer> requests = new SynchronousQueue<>();
    static final SynchronousQueue<Integer> replies = new SynchronousQueue<>();

    static void work() throws InterruptedException {
        for (;;) {
            int number = requests.take();
            Context.put("request-" + number, new Span(number));
            replies.put(number);
        }
    }

    public static void main(String[] args) throws Exception {
        Stage.daemon("worker-1", DiagnosticContext::work);
        Stage.play(number -> {
            requests.put(number);
            replies.take();
        });
    }
}
