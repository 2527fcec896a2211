package org.hsdiff.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The test is run in rounds, with a heap dump after each, and fails where something grew in every round. What is set up before the test is set up once.
 *
 * <pre>
 * &#64;Test
 * &#64;NoLeak(rounds = 5, maxGrowth = "64 KiB")
 * void ordersEnd() { … }
 * </pre>
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@ExtendWith(NoLeakExtension.class)
public @interface NoLeak {
    /** Rounds that are judged, after two of warm-up; 2 at least. */
    int rounds() default 5;

    /** How often a round runs the test. */
    int calls() default 1;

    /** How much each round may leave behind, such as "64 KiB" or "0.1 %". "auto" goes by the size of the heap and the number of rounds. */
    String maxGrowth() default "auto";

    /** Holders that may grow, as globs: "*.pageCache*". */
    String[] allow() default {};
}
