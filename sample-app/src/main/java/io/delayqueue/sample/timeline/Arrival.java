package io.delayqueue.sample.timeline;

/**
 * The payload of a delayed message: a new entry of a user's timeline.
 *
 * @param user the user
 * @param msgId the id of the entry
 */
record Arrival(String user, long msgId) {

}
