/**
 * The API for operators: dead letters, pause, drain, purge, and masks of what they see.
 */
@NullMarked
package io.delayqueue.admin;

import org.jspecify.annotations.NullMarked;
