@NullMarked
package io.delayqueue.delivery;

import org.jspecify.annotations.NullMarked;
