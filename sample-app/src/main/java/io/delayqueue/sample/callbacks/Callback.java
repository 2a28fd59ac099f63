package io.delayqueue.sample.callbacks;

import java.net.URI;

/**
 * The message: a partner is to be told.
 *
 * @param id the callback
 * @param url where the partner listens
 */
record Callback(String id, URI url) {

}
