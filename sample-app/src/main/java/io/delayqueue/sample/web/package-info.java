/**
 * Validates requests, and creates error responses: RFC 9457 problem details with a type
 * for each cause. Spring MVC creates the problem details of its own exceptions ({@code
 * spring.mvc.problemdetails.enabled}, with types from {@code messages.properties}). This
 * package does not depend on the packages of the features, such as {@code orders}.
 */
@NullMarked
package io.delayqueue.sample.web;

import org.jspecify.annotations.NullMarked;
