/**
 * Applications in separate JVMs that are killed, frozen and terminated, on a real Redis.
 * The numbers of the rows are those of the fault table in docs/internals/faults.md.
 */
@NullMarked
package io.delayqueue.process;

import org.jspecify.annotations.NullMarked;
