/**
 * The outbox on JDBC: the table, the caller's transaction, and the threads that send rows
 * to Redis. Public types are for the auto-configuration only, on which this package does
 * not depend.
 */
@NullMarked
package io.delayqueue.outbox.jdbc;

import org.jspecify.annotations.NullMarked;
