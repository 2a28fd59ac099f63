/**
 * The costs of single steps without Redis, measured with JMH.
 */
@NullMarked
package io.delayqueue.benchmark.micro;

import org.jspecify.annotations.NullMarked;
