/**
 * Applications in JVMs of their own that are killed, frozen and asked to end, on a real
 * Redis. The numbers of the rows are those of the list of faults that the library has to
 * survive.
 */
@NullMarked
package io.delayqueue.process;

import org.jspecify.annotations.NullMarked;
