/**
 * The example of holds in the guide {@code failures}.
 */
@NullMarked
package io.delayqueue.example.holds;

import org.jspecify.annotations.NullMarked;
