/**
 * An application with a JPA repository.
 */
@NullMarked
package io.delayqueue.host.jpa;

import org.jspecify.annotations.NullMarked;
