package io.delayqueue.test;

import org.springframework.boot.test.autoconfigure.TestSliceTestContextBootstrapper;

/** Bootstraps the application context of a {@link DelayQueueTest}. */
final class DelayQueueTestContextBootstrapper extends TestSliceTestContextBootstrapper<DelayQueueTest> {

}
