/**
 * Connects the application to Redis. The application starts a server of its own unless
 * another server is configured. Calls to Redis are repeated after a connection failure.
 * This package does not depend on the packages of the sample's features, such as orders.
 */
@NullMarked
package io.delayqueue.sample.redis;

import org.jspecify.annotations.NullMarked;
