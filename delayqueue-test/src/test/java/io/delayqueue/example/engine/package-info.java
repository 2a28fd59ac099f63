/**
 * The example of docs/customizing.md: the engine without Spring Boot.
 */
@NullMarked
package io.delayqueue.example.engine;

import org.jspecify.annotations.NullMarked;
