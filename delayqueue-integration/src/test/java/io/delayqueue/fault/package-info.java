/**
 * Faults around applications, one row of the fault table each, on real servers. The
 * display names carry the numbers of the rows. Slow tests have the tag {@code slow} and
 * run with the Maven profile {@code faults}.
 */
@NullMarked
package io.delayqueue.fault;

import org.jspecify.annotations.NullMarked;
