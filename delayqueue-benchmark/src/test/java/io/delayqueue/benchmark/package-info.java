@NullMarked
package io.delayqueue.benchmark;

import org.jspecify.annotations.NullMarked;
