/**
 * Tests of annotated methods, with consumers in memory.
 */
@NullMarked
package io.delayqueue.listener;

import org.jspecify.annotations.NullMarked;
