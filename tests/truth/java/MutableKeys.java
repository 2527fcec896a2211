import java.util.HashSet;
import java.util.Objects;
import java.util.Set;

/** The hash of an element changes while it is in a set, so that it is not found when it should be removed. */
public final class MutableKeys {
    static final class Lease {
        final int number;
        int renewed;
        Lease(int number) { this.number = number; }

        @Override
        public int hashCode() { return Objects.hash(number, renewed); }

        @Override
        public boolean equals(Object other) { return other instanceof Lease lease && lease.number == number && lease.renewed == renewed; }
    }

    static final class LeaseOffice {
        final Set<Lease> leases = new HashSet<>();

        void lend(int number) {
            Lease lease = new Lease(number);
            leases.add(lease);
            lease.renewed++;
            leases.remove(lease);
        }
    }

    static final LeaseOffice office = new LeaseOffice();

    public static void main(String[] args) throws Exception {
        Stage.play(number -> office.lend(number));
    }
}
