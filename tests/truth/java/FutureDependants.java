import java.util.concurrent.CompletableFuture;

/** Everybody waits for a connection that is never made. */
public final class FutureDependants {
    static final class Query {
        final int number;
        boolean isSent;
        Query(int number) { this.number = number; }
    }

    static final class Client {
        private final CompletableFuture<String> connected = new CompletableFuture<>();

        void send(int number) {
            Query query = new Query(number);
            connected.thenAccept(name -> query.isSent = true);
        }
    }

    static final Client client = new Client();

    public static void main(String[] args) throws Exception {
        Stage.play(number -> client.send(number));
    }
}
