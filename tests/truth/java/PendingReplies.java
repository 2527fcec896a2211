import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** Requests are sent and their futures wait by number in a map; half of the replies never come. */
public final class PendingReplies {
    static final class Answer {
        final int number;
        final byte[] text = new byte[60];
        Answer(int number) { this.number = number; }
    }

    static final class Client {
        private final ConcurrentHashMap<Integer, CompletableFuture<Answer>> waiting = new ConcurrentHashMap<>();
        int answered;

        void send(int number) {
            Answer expected = new Answer(number);
            CompletableFuture<Answer> future = new CompletableFuture<>();
            waiting.put(number, future);
            future.thenAccept(answer -> answered += answer.number - expected.number);
        }
    }

    static final Client client = new Client();

    public static void main(String[] args) throws Exception {
        Stage.play(client::send);
    }
}
