/** Applications that do something else, to which delayed messages are added. */
@NullMarked
package io.delayqueue.host;

import org.jspecify.annotations.NullMarked;
