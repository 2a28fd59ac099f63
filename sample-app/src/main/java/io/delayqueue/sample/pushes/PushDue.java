package io.delayqueue.sample.pushes;

/**
 * The message: a push is to be delivered.
 *
 * @param pushId the push
 */
record PushDue(String pushId) {

}
