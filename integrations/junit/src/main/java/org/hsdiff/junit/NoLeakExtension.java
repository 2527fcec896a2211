package org.hsdiff.junit;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.platform.commons.support.AnnotationSupport;

/** Runs a test that has {@link NoLeak} again and again, dumps the heap after each round, and has {@link HeapCheck} judge the dumps. */
public final class NoLeakExtension implements InvocationInterceptor {
    @Override
    public void interceptTestMethod(Invocation<Void> first, ReflectiveInvocationContext<Method> test, ExtensionContext context) throws Throwable {
        run(first, test, context);
    }

    @Override
    public void interceptTestTemplateMethod(Invocation<Void> first, ReflectiveInvocationContext<Method> test, ExtensionContext context) throws Throwable {
        run(first, test, context);
    }

    private static void run(Invocation<Void> first, ReflectiveInvocationContext<Method> test, ExtensionContext context) throws Throwable {
        NoLeak wanted = AnnotationSupport.findAnnotation(test.getExecutable(), NoLeak.class).orElseThrow();
        if (wanted.rounds() < 2 || wanted.calls() < 1)
            throw new ExtensionConfigurationException("@NoLeak: rounds is 2 or more, and calls 1 or more");
        HeapCheck check = new HeapCheck(wanted, context.getRequiredTestClass().getSimpleName() + "." + test.getExecutable().getName());
        Path folder = Files.createTempDirectory("hsdiff-");
        try {
            check.judge(dumps(first, test, context, wanted, folder), folder);
        } finally {
            remove(folder);
        }
    }

    /** The first call is the one that JUnit makes; the others are made as it would make them. */
    private static List<Path> dumps(Invocation<Void> first, ReflectiveInvocationContext<Method> test, ExtensionContext context, NoLeak wanted, Path folder)
            throws Throwable {
        List<Path> dumps = new ArrayList<>();
        first.proceed();
        for (int round = 0; round < wanted.rounds() + 2; round++) {
            for (int call = round == 0 ? 1 : 0; call < wanted.calls(); call++) callAgain(test, context);
            dumps.add(HeapCheck.dump(folder.resolve("round-" + round + ".hprof")));
        }
        return dumps;
    }

    private static void callAgain(ReflectiveInvocationContext<Method> test, ExtensionContext context) throws Throwable {
        Method method = test.getExecutable();
        method.setAccessible(true);
        try {
            method.invoke(context.getRequiredTestInstance(), test.getArguments().toArray());
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
        }
    }

    private static void remove(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : (Iterable<Path>) files.sorted(Comparator.reverseOrder())::iterator) Files.delete(file);
        }
    }
}
