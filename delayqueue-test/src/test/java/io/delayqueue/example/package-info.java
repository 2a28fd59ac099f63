/**
 * Examples of user code: those of the guides of {@code docs}, and a shop.
 */
@NullMarked
package io.delayqueue.example;

import org.jspecify.annotations.NullMarked;
