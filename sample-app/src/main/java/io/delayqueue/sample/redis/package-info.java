/**
 * The connection to Redis: to a server that the application starts unless another one is
 * configured. Calls are repeated after a connection failure. Independent of the features.
 */
@NullMarked
package io.delayqueue.sample.redis;

import org.jspecify.annotations.NullMarked;
