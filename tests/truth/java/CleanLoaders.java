import java.io.InputStream;
import java.util.ArrayDeque;

/** No leak: plugins are loaded again and again, and the last three are kept. */
public final class CleanLoaders {
    public static final class Plug {
        static final int[] TABLE = new int[256];
    }

    static final class PluginLoader extends ClassLoader {
        Class<?> load() throws Exception {
            try (InputStream file = CleanLoaders.class.getResourceAsStream("CleanLoaders$Plug.class")) {
                byte[] bytes = file.readAllBytes();
                return defineClass("CleanLoaders$Plug", bytes, 0, bytes.length);
            }
        }
    }

    static final ArrayDeque<Object> plugins = new ArrayDeque<>();

    static void reload(int number) throws Exception {
        plugins.add(new PluginLoader().load().getDeclaredConstructor().newInstance());
        if (plugins.size() > 3) plugins.remove();
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 50; i++) reload(i);
        Stage.play(CleanLoaders::reload);
    }
}
