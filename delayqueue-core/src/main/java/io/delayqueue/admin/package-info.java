/**
 * The API for operators: lists, redrives and discards dead letters; pauses, holds, drains
 * and purges queues; masks confidential contents.
 */
@NullMarked
package io.delayqueue.admin;

import org.jspecify.annotations.NullMarked;
