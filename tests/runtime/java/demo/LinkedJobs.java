package demo;

import java.util.Map;

/** A hand-made linked list that grows at its tail: a path as long as the leak, which no recursion survives. */
public final class LinkedJobs {
    static final class ListNode {
        final int value;
        ListNode next;
        ListNode(int value) { this.value = value; }
    }

    static final class Jobs {
        final ListNode head = new ListNode(0);
        int length = 1;
    }

    static final Jobs JOBS = new Jobs();

    static void append(int count) {
        ListNode tail = JOBS.head;
        while (tail.next != null) {
            tail = tail.next;
        }
        for (int i = 0; i < count; i++, JOBS.length++) {
            tail.next = new ListNode(i);
            tail = tail.next;
        }
    }

    public static void main(String[] args) throws Exception {
        Plant.in(args)
                .growing("demo.LinkedJobs$ListNode", "static demo.LinkedJobs.JOBS")
                // The node that was the last one before holds all that came.
                .holder("static demo.LinkedJobs.JOBS",
                        "demo.LinkedJobs$Jobs, .head demo.LinkedJobs$ListNode, .next demo.LinkedJobs$ListNode x2500",
                        null, "demo.LinkedJobs$ListNode")
                .counts(Map.of("demo.LinkedJobs$ListNode", () -> JOBS.length))
                .leak(() -> append(2500), () -> append(150_000));
    }
}
