/**
 * How a request is checked, and how it fails: RFC 9457 problem details whose type tells
 * the cause apart. Spring MVC writes its own as such
 * ({@code spring.mvc.problemdetails.enabled}, their types are in
 * {@code messages.properties}); here are the application's. Knows no feature.
 */
@NullMarked
package io.delayqueue.sample.web;

import org.jspecify.annotations.NullMarked;
