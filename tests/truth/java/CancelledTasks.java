import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Time-outs are cancelled; the executor keeps them till they are due, tomorrow. */
public final class CancelledTasks {
    static final class Call {
        final int number;
        final byte[] answer = new byte[100];
        boolean isLate;
        Call(int number) { this.number = number; }
        void expire() { isLate = true; }
    }

    static final ScheduledThreadPoolExecutor timeouts = new ScheduledThreadPoolExecutor(1);

    static void call(int number) {
        Call call = new Call(number);
        timeouts.schedule(call::expire, 1, TimeUnit.DAYS).cancel(false);
    }

    public static void main(String[] args) throws Exception {
        Stage.play(CancelledTasks::call);
    }
}
