/**
 * The tests of the meters and of the guard around them.
 */
@NullMarked
package io.delayqueue.observe;

import org.jspecify.annotations.NullMarked;
