/**
 * The examples of {@code docs/quotas-and-groups.md} of batches.
 */
@NullMarked
package io.delayqueue.example.batches;

import org.jspecify.annotations.NullMarked;
