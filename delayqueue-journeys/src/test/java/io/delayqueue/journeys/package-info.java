/**
 * One application that uses every feature of the library, on the servers, drivers and
 * connection factories that users have.
 */
@NullMarked
package io.delayqueue.journeys;

import org.jspecify.annotations.NullMarked;
