/**
 * Wires the rooms together from {@code delayqueue.*} properties. No logic lives here.
 */
@NullMarked
package io.delayqueue.autoconfigure;

import org.jspecify.annotations.NullMarked;
