/**
 * Validation and errors of requests: RFC 9457 problem details with a type for each cause.
 * Spring MVC creates its own ones ({@code spring.mvc.problemdetails.enabled}, their types
 * are in {@code messages.properties}); this package creates those of the application.
 * Independent of the features.
 */
@NullMarked
package io.delayqueue.sample.web;

import org.jspecify.annotations.NullMarked;
