package demo;

import java.util.ArrayList;
import java.util.Map;

/** One type shrinks while another grows under another root: the total hardly moves, both must be named. */
public final class ShrinkAndGrow {
    static final class Ticket {
        final int id;
        long seat;
        long row;
        Ticket(int id) { this.id = id; }
    }

    static final class Invoice {
        final int id;
        long sum;
        long tax;
        Invoice(int id) { this.id = id; }
    }

    static ArrayList<Ticket> tickets = new ArrayList<>();
    static ArrayList<Invoice> invoices = new ArrayList<>();

    static void bill(int count) {
        for (int i = 0; i < count; i++) {
            invoices.add(new Invoice(i));
        }
    }

    static void sell() {
        for (int i = 0; i < 27_000; i++) {
            tickets.add(new Ticket(i));
        }
        bill(1000);
    }

    static void settle() {
        tickets.removeIf(ticket -> ticket.id % 9 != 0);
        tickets.trimToSize();
        bill(25_500);
    }

    public static void main(String[] args) throws Exception {
        Plant.in(args)
                .growing("demo.ShrinkAndGrow$Invoice", "static demo.ShrinkAndGrow.invoices")
                .shrinking("demo.ShrinkAndGrow$Ticket")
                .holder("static demo.ShrinkAndGrow.invoices", "java.util.ArrayList", "[*] demo.ShrinkAndGrow$Invoice", "demo.ShrinkAndGrow$Invoice")
                .holder("static demo.ShrinkAndGrow.tickets", "java.util.ArrayList", null, "demo.ShrinkAndGrow$Ticket")
                .counts(Map.of("demo.ShrinkAndGrow$Ticket", () -> tickets.size(), "demo.ShrinkAndGrow$Invoice", () -> invoices.size()))
                .leak(() -> sell(), () -> settle());
    }
}
