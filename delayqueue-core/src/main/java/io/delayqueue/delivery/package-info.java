/**
 * Consumes one queue: takes permits, sweeps and reads messages, calls the handler, and
 * settles the messages. Begin with {@link io.delayqueue.delivery.RunningConsumer}. This
 * package does not depend on the listener annotation or on listener methods. The public
 * types of this package are for other packages of this library, and are not API. Next
 * package: {@code io.delayqueue.listener}.
 */
@NullMarked
package io.delayqueue.delivery;

import org.jspecify.annotations.NullMarked;
