/**
 * An application, and its tests as its authors would write them.
 */
@NullMarked
package io.delayqueue.example.shop;

import org.jspecify.annotations.NullMarked;
