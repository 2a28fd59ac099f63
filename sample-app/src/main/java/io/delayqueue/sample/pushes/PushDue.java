package io.delayqueue.sample.pushes;

/**
 * The payload of a delayed message: a push is due.
 *
 * @param pushId the push's id
 */
record PushDue(String pushId) {

}
