/**
 * The examples of the guide {@code quotas-and-groups}.
 */
@NullMarked
package io.delayqueue.example.quotas;

import org.jspecify.annotations.NullMarked;
