/**
 * What the guide {@code quotas-and-groups} shows, compiled and run.
 */
@NullMarked
package io.delayqueue.example.quotas;

import org.jspecify.annotations.NullMarked;
