package shop;

import org.hsdiff.junit.NoLeak;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShopTest {
    private Shop shop;

    @BeforeEach
    void open() {
        shop = new Shop();
    }

    @AfterEach
    void close() {
        shop.close();
    }

    @Test
    @NoLeak(rounds = ROUNDS, calls = 300)
    void sessionsAreForgotten() throws Exception {
        shop.serve(false, true);
    }

    @ParameterizedTest
    @ValueSource(ints = 300)
    @NoLeak(rounds = ROUNDS, maxGrowth = "16 KiB")
    void listenersAreForgotten(int customers) throws Exception {
        for (int i = 0; i < customers; i++) shop.serve(true, false);
    }

    @Test
    @NoLeak(rounds = ROUNDS, calls = 300)
    void letsGo() throws Exception {
        shop.serve(true, true);
    }

    @Test
    @NoLeak(rounds = ROUNDS, calls = 300, allow = "*.sessions *")
    void sessionsMayBeKept() throws Exception {
        shop.serve(false, true);
    }

    private static final int ROUNDS = 5;
}
