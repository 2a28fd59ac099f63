/**
 * The soak: producers and workers under random faults, and a checker that evaluates their
 * journal afterwards. Its own test is a set of mutations, each of which it must detect.
 */
@NullMarked
package io.delayqueue.soak;

import org.jspecify.annotations.NullMarked;
