import java.lang.management.ManagementFactory;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/** Each connection is registered for management and never taken out again. */
public final class ManagedConnections {
    public interface ConnectionMBean {
        int getNumber();
    }

    public static final class Connection implements ConnectionMBean {
        private final int number;
        public Connection(int number) { this.number = number; }
        public int getNumber() { return number; }
    }

    static final MBeanServer beans = ManagementFactory.getPlatformMBeanServer();

    static void open(int number) throws Exception {
        beans.registerMBean(new Connection(number), new ObjectName("shop:type=Connection,number=" + number));
    }

    public static void main(String[] args) throws Exception {
        Stage.play(ManagedConnections::open);
    }
}
