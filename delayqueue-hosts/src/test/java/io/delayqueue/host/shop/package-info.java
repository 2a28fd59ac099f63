/**
 * A web application with users, sessions, a JPA repository and a batch job.
 */
@NullMarked
package io.delayqueue.host.shop;

import org.jspecify.annotations.NullMarked;
