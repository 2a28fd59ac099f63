/**
 * The connections to Redis: the template, the settings of the driver, kinds of failures,
 * and the repetition of failed calls. This package depends neither on keys nor on
 * messages. The public types of this package are for other packages of this library, and
 * are not API. Next package: {@code io.delayqueue.store}.
 */
@NullMarked
package io.delayqueue.redis;

import org.jspecify.annotations.NullMarked;
