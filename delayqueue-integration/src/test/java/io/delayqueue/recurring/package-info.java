@NullMarked
package io.delayqueue.recurring;

import org.jspecify.annotations.NullMarked;
