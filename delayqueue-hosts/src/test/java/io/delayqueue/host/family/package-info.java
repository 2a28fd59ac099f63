/**
 * An application with a parent and a child context.
 */
@NullMarked
package io.delayqueue.host.family;

import org.jspecify.annotations.NullMarked;
