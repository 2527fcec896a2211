import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;

/** A serializer that makes a codec for each class, by ClassValue, beside templates that are compiled again at each change: their classes stay. */
public final class ClassCodecs {
    public static final class Template {
        public String render(int order) { return "order " + order; }
    }

    static final class Codec {
        final Class<?> of;
        final byte[] buffer = new byte[512];

        Codec(Class<?> of) { this.of = of; }
    }

    static final ClassValue<Codec> CODECS = new ClassValue<>() {
        @Override
        protected Codec computeValue(Class<?> of) { return new Codec(of); }
    };

    static final class TemplateLoader extends ClassLoader {
        TemplateLoader() { super(ClassCodecs.class.getClassLoader()); }

        Class<?> compile() throws IOException {
            try (InputStream file = ClassCodecs.class.getResourceAsStream("ClassCodecs$Template.class")) {
                byte[] bytes = file.readAllBytes();
                return defineClass(Template.class.getName(), bytes, 0, bytes.length);
            }
        }
    }

    static final List<Class<?>> templates = new ArrayList<>();

    static void change(int number) throws Exception {
        Class<?> made = new TemplateLoader().compile();
        CODECS.get(made.getDeclaredConstructor().newInstance().getClass()).buffer[0] = 1;
        templates.add(made);
    }

    public static void main(String[] args) throws Exception {
        Stage.play(ClassCodecs::change);
    }
}
