import java.util.Timer;
import java.util.TimerTask;

/** Each game has a Timer of its own, with its thread, and none is cancelled. */
public final class TimerForEach {
    static final class Game {
        final byte[] board = new byte[3000];
        int moves;
    }

    static void begin(int number) {
        Game game = new Game();
        new Timer("clock-" + number, true).schedule(new TimerTask() {
            @Override
            public void run() { game.moves++; }
        }, 86_400_000L);
    }

    public static void main(String[] args) throws Exception {
        Stage.play(TimerForEach::begin);
    }
}
