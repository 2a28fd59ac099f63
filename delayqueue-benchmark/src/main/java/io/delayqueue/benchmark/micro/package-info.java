/**
 * What single steps cost this side of Redis, measured with JMH.
 */
@NullMarked
package io.delayqueue.benchmark.micro;

import org.jspecify.annotations.NullMarked;
