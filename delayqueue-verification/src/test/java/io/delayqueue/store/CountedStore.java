package io.delayqueue.store;

import io.delayqueue.test.fault.CountingScripts;
import io.delayqueue.test.fault.CountingScripts.Cost;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The store of a partition on the shared server, over connections of its own, whose
 * scripts are counted. The connections end after the test.
 */
final class CountedStore implements AfterEachCallback {

	private final Connected connected = Connected.over(Driver.JEDIS, SharedRedis.get().uri());

	private final CountingScripts scripts;

	private final TestStore store;

	CountedStore(TestPartition partition) {
		this.scripts = CountingScripts.of(this.connected.template(), partition.redis());
		this.store = partition.storeOver(this.connected);
	}

	TestStore store() {
		return this.store;
	}

	/** The cost of all scripts since the last call of this method. */
	Cost cost() {
		return this.scripts.cost();
	}

	/** The most that one script has cost since the last call of {@link #cost}. */
	Cost most() {
		return this.scripts.most();
	}

	@Override
	public void afterEach(ExtensionContext context) {
		this.connected.close();
	}

}
