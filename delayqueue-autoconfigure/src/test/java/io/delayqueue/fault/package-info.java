/**
 * What goes wrong around applications, one row of the fault table each, on real servers.
 * The display names carry the numbers of the rows. What takes long has the tag
 * {@code slow} and runs with the Maven profile {@code faults}.
 */
@NullMarked
package io.delayqueue.fault;

import org.jspecify.annotations.NullMarked;
