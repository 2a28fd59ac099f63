/**
 * Tests of the auto-configurations and of the properties.
 */
@NullMarked
package io.delayqueue.autoconfigure;

import org.jspecify.annotations.NullMarked;
