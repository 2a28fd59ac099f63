/** What comes with the starter, seen from an application that adds it. */
@NullMarked
package io.delayqueue.starter;

import org.jspecify.annotations.NullMarked;
