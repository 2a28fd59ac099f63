package io.delayqueue.sample.timeline;

/**
 * The message: something has arrived for a user.
 *
 * @param user whose timeline it belongs to
 * @param msgId its id
 */
record Arrival(String user, long msgId) {

}
