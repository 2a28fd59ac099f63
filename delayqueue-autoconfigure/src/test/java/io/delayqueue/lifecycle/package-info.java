/**
 * The tests of what keeps the actors going.
 */
@NullMarked
package io.delayqueue.lifecycle;

import org.jspecify.annotations.NullMarked;
