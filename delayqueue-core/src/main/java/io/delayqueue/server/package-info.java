/**
 * Checks of the Redis server: version, eviction, persistence, clock, and the rights of
 * the connected user. The checks write nothing to Redis. The public types of this package
 * are for other packages of this library, and are not API.
 */
@NullMarked
package io.delayqueue.server;

import org.jspecify.annotations.NullMarked;
