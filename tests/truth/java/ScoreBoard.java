import java.util.concurrent.ConcurrentSkipListMap;

/** A skip list of scores, filled in no order. */
public final class ScoreBoard {
    static final class Score {
        final int player;
        Score(int player) { this.player = player; }
    }

    static final ConcurrentSkipListMap<Integer, Score> board = new ConcurrentSkipListMap<>();

    public static void main(String[] args) throws Exception {
        Stage.play(number -> board.put(number * 0x9e3779b1, new Score(number)));
    }
}
