/**
 * Measures the Java time of single steps without Redis, with JMH.
 */
@NullMarked
package io.delayqueue.benchmark.micro;

import org.jspecify.annotations.NullMarked;
