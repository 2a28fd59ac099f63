/**
 * The connections to Redis: the template, the settings of the driver, kinds of failures,
 * and the repetition of failed calls. Depends neither on keys nor on messages. Public for
 * the other packages of this library, not API. Next package: {@code io.delayqueue.store}.
 */
@NullMarked
package io.delayqueue.redis;

import org.jspecify.annotations.NullMarked;
