package org.frame;

import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** What a framework has: all that it runs, by name, known to a hook that ends it. */
public final class Container {
    private static final class Hook {
        final Set<Container> contexts = new LinkedHashSet<>();
    }

    private static final class Registry {
        final Map<String, Object> singletonObjects = new ConcurrentHashMap<>();
    }

    private static final Hook shutdownHookOfAllContexts = new Hook();
    private final Registry beanFactory = new Registry();

    public static Container start() {
        Container made = new Container();
        shutdownHookOfAllContexts.contexts.add(made);
        return made;
    }

    public static Container current() { return shutdownHookOfAllContexts.contexts.iterator().next(); }

    public void add(String name, Object bean) { beanFactory.singletonObjects.put(name, bean); }

    public Object bean(String name) { return beanFactory.singletonObjects.get(name); }
}
