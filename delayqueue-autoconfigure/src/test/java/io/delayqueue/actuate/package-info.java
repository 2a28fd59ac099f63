/**
 * The tests of the endpoint and of health, over HTTP and on a real Redis.
 */
@NullMarked
package io.delayqueue.actuate;

import org.jspecify.annotations.NullMarked;
