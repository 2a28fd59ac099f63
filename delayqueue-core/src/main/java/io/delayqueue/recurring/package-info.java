/**
 * Stores the definitions of recurring schedules. In the partitions that this process
 * owns, the package also stores their occurrences, and advances each definition to its
 * next instant. This package never handles a message. The package interacts with other
 * background actors only through Redis and the signals of {@code
 * io.delayqueue.lifecycle}. The public types of this package are for the
 * auto-configuration, and are not API. Next package: {@code io.delayqueue.maintain}.
 */
@NullMarked
package io.delayqueue.recurring;

import org.jspecify.annotations.NullMarked;
