/**
 * Auto-configuration, properties, meters, health and endpoint of the outbox. This package
 * creates the beans of the outbox, and contains no logic of the outbox.
 */
@NullMarked
package io.delayqueue.outbox.autoconfigure;

import org.jspecify.annotations.NullMarked;
