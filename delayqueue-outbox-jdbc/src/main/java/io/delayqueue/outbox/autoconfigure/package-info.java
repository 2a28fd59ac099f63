/**
 * Auto-configuration, properties, meters, health and endpoint of the outbox. Connects the
 * other packages and contains no logic of the outbox.
 */
@NullMarked
package io.delayqueue.outbox.autoconfigure;

import org.jspecify.annotations.NullMarked;
