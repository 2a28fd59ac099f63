package io.delayqueue.sample.callbacks;

import java.net.URI;

/**
 * The message: a partner must be notified.
 *
 * @param id the callback's id
 * @param url the partner's address
 */
record Callback(String id, URI url) {

}
