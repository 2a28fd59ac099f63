/**
 * An application with typical tests of a user.
 */
@NullMarked
package io.delayqueue.example.shop;

import org.jspecify.annotations.NullMarked;
