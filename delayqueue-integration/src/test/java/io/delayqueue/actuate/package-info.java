/**
 * Tests of the endpoint, the dashboard and health, over HTTP and with a real Redis.
 */
@NullMarked
package io.delayqueue.actuate;

import org.jspecify.annotations.NullMarked;
