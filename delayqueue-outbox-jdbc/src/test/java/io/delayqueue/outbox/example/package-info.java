/**
 * The code of docs/transactions.md.
 */
@NullMarked
package io.delayqueue.outbox.example;

import org.jspecify.annotations.NullMarked;
