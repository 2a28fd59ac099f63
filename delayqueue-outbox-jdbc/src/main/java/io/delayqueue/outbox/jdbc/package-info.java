/**
 * The outbox on JDBC: the table, the caller's transaction, and the threads that send rows
 * to Redis. The public types of this package are for the auto-configuration, and are not
 * API. This package does not depend on the auto-configuration.
 */
@NullMarked
package io.delayqueue.outbox.jdbc;

import org.jspecify.annotations.NullMarked;
