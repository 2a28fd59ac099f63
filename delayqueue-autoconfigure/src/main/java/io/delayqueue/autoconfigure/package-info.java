/**
 * Auto-configurations and {@code delayqueue.*} properties. Connects the other packages
 * and contains no delivery logic.
 */
@NullMarked
package io.delayqueue.autoconfigure;

import org.jspecify.annotations.NullMarked;
