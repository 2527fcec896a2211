import com.shop.QuoteService;
import org.frame.Container;

/** A service of a program that a container of beans runs: from a static of the framework, over a map of everything. */
public final class main {
    public static void main(String[] args) throws Exception {
        Container container = Container.start();
        container.add("requestDecoderOfTheGateway", new Object());
        container.add("quoteService", new QuoteService());
        container = null;
        Stage.play(number -> ((QuoteService) Container.current().bean("quoteService")).quote("symbol " + number));
    }
}
