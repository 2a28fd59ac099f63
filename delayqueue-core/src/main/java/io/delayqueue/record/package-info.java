/**
 * The form in which Redis stores a message: its record (each version of the library also
 * reads the records of older versions); its envelope with payload, headers and retry
 * settings; and the counts of its failed deliveries. This package also contains the
 * definition of a recurring schedule, the tokens of calls and their hashes. This package
 * does not call Redis. The public types of this package are for other packages of this
 * library, and are not API. Next package: {@code io.delayqueue.store}.
 */
@NullMarked
package io.delayqueue.record;

import org.jspecify.annotations.NullMarked;
