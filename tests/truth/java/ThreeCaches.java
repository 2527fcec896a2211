import java.util.HashMap;
import java.util.Map;

/** Three caches without a bound, in one catalogue: none has half of what came. */
public final class ThreeCaches {
    static final class Article {
        final int number, price;
        Article(int number) {
            this.number = number;
            price = number * 2;
        }
    }

    static final class Page {
        final int hits = 1, status = 200;
    }

    static final class Stock {
        final int shelf = 1, left = 10;
    }

    static final class Catalogue {
        final Map<Integer, Article> articles = new HashMap<>();
        final Map<Integer, Page> pages = new HashMap<>();
        final Map<Integer, Stock> stocks = new HashMap<>();

        void show(int number) {
            articles.put(number, new Article(number));
            pages.put(-number, new Page());
            stocks.put(number + 1_000_000, new Stock());
        }
    }

    static final Catalogue catalogue = new Catalogue();

    public static void main(String[] args) throws Exception { Stage.play(catalogue::show); }
}
