/**
 * An application that is restarted in one process.
 */
@NullMarked
package io.delayqueue.host.restart;

import org.jspecify.annotations.NullMarked;
