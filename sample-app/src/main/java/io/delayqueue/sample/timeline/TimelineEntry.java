package io.delayqueue.sample.timeline;

import java.time.Instant;

/**
 * A message of a timeline.
 *
 * @param msgId its id
 * @param deliveredAt when it was delivered, by the clock of Redis
 */
record TimelineEntry(long msgId, Instant deliveredAt) {

}
