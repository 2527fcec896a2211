import java.util.ArrayDeque;
import java.util.Deque;

/** Trades as records in a deque that was meant to be bounded. */
public final class TradeRecords {
    record Price(long cents) {}

    record Trade(int number, Price price) {}

    private static final int LIMIT = 1_000_000_000;
    private static final Deque<Trade> trades = new ArrayDeque<>();

    static void trade(int number) {
        trades.addLast(new Trade(number, new Price(number * 100L)));
        if (trades.size() > LIMIT) trades.removeFirst();
    }

    public static void main(String[] args) throws Exception {
        Stage.play(TradeRecords::trade);
    }
}
