/**
 * The connection to Redis: to a server that the application starts unless another server
 * is configured. Calls are repeated after a connection failure. This package does not
 * depend on the features.
 */
@NullMarked
package io.delayqueue.sample.redis;

import org.jspecify.annotations.NullMarked;
