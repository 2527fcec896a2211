import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;

/** Plugins that are loaded again at each change, each by a class loader of its own; the old ones stay in a list. */
public final class LoaderLeak {
    public static final class Plug {
        static final int[] TABLE = new int[256];
        static final List<String> NAMES = new ArrayList<>(List.of("first", "second"));
        final Object conf = new byte[128];
    }

    static final class PluginLoader extends ClassLoader {
        PluginLoader() { super(LoaderLeak.class.getClassLoader()); }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.equals(Plug.class.getName())) return super.loadClass(name, resolve);
            Class<?> known = findLoadedClass(name);
            if (known != null) return known;
            try (InputStream file = LoaderLeak.class.getResourceAsStream("LoaderLeak$Plug.class")) {
                byte[] bytes = file.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    static final List<Object> plugins = new ArrayList<>();

    static void reload(int number) throws Exception {
        plugins.add(new PluginLoader().loadClass(Plug.class.getName()).getDeclaredConstructor().newInstance());
    }

    public static void main(String[] args) throws Exception {
        Stage.play(LoaderLeak::reload);
    }
}
