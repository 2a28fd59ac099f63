/**
 * An application with a batch job.
 */
@NullMarked
package io.delayqueue.host.batch;

import org.jspecify.annotations.NullMarked;
