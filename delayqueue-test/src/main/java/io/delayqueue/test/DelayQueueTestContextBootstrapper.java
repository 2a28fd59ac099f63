package io.delayqueue.test;

import org.springframework.boot.test.autoconfigure.TestSliceTestContextBootstrapper;

/** Bootstraps {@link DelayQueueTest}. */
final class DelayQueueTestContextBootstrapper extends TestSliceTestContextBootstrapper<DelayQueueTest> {

}
