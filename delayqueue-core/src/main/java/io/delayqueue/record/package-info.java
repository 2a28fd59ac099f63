/**
 * The form in which Redis stores a message: its record, which the library reads in every
 * version so far, its envelope with payload, headers and retry settings, and its failed
 * deliveries; also the definition of a recurring schedule, and call tokens. Does not call
 * Redis. Public for the other packages of this library, not API. Next package:
 * {@code io.delayqueue.store}.
 */
@NullMarked
package io.delayqueue.record;

import org.jspecify.annotations.NullMarked;
