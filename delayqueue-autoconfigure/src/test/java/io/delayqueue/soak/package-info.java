/**
 * The soak: producers and workers under faults that are drawn at random, and a checker
 * that judges their journal afterwards. Its own test is a set of mutations, each of which
 * it has to detect.
 */
@NullMarked
package io.delayqueue.soak;

import org.jspecify.annotations.NullMarked;
