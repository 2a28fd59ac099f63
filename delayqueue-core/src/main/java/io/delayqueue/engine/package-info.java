/**
 * The engine of one process, for applications without Spring Boot. Begin with:
 * <ul>
 * <li>{@link io.delayqueue.engine.DelayQueueEngineBuilder}: the settings of an
 * engine;</li>
 * <li>{@link io.delayqueue.engine.DelayQueueEngine}: creates and connects the background
 * actors (sweepers, consumers, maintenance), and gives access to the API.</li>
 * </ul>
 */
@NullMarked
package io.delayqueue.engine;

import org.jspecify.annotations.NullMarked;
