/**
 * Checks of the Redis server: version, eviction, persistence, clock, and the rights of
 * the connected user. Reads only. Public for the other packages of this library, not API.
 */
@NullMarked
package io.delayqueue.server;

import org.jspecify.annotations.NullMarked;
