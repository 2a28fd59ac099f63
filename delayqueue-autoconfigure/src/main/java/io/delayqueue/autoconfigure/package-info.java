/**
 * Auto-configurations and {@code delayqueue.*} properties. This package connects the
 * other packages and contains no delivery logic.
 */
@NullMarked
package io.delayqueue.autoconfigure;

import org.jspecify.annotations.NullMarked;
