/**
 * Where the application's Redis is: one of its own unless another one is configured. And
 * how it is called: patiently. Knows no feature.
 */
@NullMarked
package io.delayqueue.sample.redis;

import org.jspecify.annotations.NullMarked;
