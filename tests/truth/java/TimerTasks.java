import java.util.Timer;
import java.util.TimerTask;

/** Each session has its reminder in a Timer, also when it has ended. */
public final class TimerTasks {
    static final class Session {
        final int number;
        int reminded;
        Session(int number) { this.number = number; }
    }

    static final class Reminder extends TimerTask {
        final Session session;
        Reminder(Session session) { this.session = session; }

        @Override
        public void run() { session.reminded++; }
    }

    static final Timer reminders = new Timer("reminders", true);

    public static void main(String[] args) throws Exception {
        Stage.play(number -> reminders.schedule(new Reminder(new Session(number)), 86_400_000L + number));
    }
}
