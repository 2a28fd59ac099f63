/**
 * The API for operators: dead letters, pause, drain, purge, and masks for contents.
 */
@NullMarked
package io.delayqueue.admin;

import org.jspecify.annotations.NullMarked;
