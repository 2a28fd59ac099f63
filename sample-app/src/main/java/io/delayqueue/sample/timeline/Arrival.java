package io.delayqueue.sample.timeline;

/**
 * The message: a new entry of a user's timeline.
 *
 * @param user the user
 * @param msgId its id
 */
record Arrival(String user, long msgId) {

}
