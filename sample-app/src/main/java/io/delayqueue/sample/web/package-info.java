/**
 * Validation and errors of requests: RFC 9457 problem details with a type for each cause.
 * Spring MVC creates problem details of its own
 * ({@code spring.mvc.problemdetails.enabled}, with types from
 * {@code messages.properties}); this package creates those of the application. This
 * package does not depend on the features.
 */
@NullMarked
package io.delayqueue.sample.web;

import org.jspecify.annotations.NullMarked;
