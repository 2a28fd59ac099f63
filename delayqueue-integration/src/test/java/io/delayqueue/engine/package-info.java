@NullMarked
package io.delayqueue.engine;

import org.jspecify.annotations.NullMarked;
