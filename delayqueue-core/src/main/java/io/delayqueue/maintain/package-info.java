/**
 * Maintains the keys of the queues that this process consumes: the audit finds counts
 * that do not add up, the repair corrects and reports the damage, and the janitor removes
 * dead consumers. Maintenance never handles a message. This package interacts with the
 * other background activities only through Redis and the signals of
 * {@code io.delayqueue.lifecycle}. The public types of this package are for other
 * packages of this library, and are not API. Next package:
 * {@code io.delayqueue.listener}.
 */
@NullMarked
package io.delayqueue.maintain;

import org.jspecify.annotations.NullMarked;
