/**
 * An application with users and sessions.
 */
@NullMarked
package io.delayqueue.host.web;

import org.jspecify.annotations.NullMarked;
