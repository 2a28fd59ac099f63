package io.delayqueue.store;

import java.util.List;
import java.util.function.BinaryOperator;

import io.delayqueue.redis.StoreException;
import io.delayqueue.test.redis.RespClient;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Stops scripts on the shared Redis after a number of writes, for all tests of a class.
 */
final class StoppedScripts implements BeforeAllCallback, AfterAllCallback, AutoCloseable {

	private final BinaryOperator<String> edit;

	private RespClient redis;

	private StoppingTemplate template;

	private Connected connected;

	StoppedScripts() {
		this((file, text) -> text);
	}

	private StoppedScripts(BinaryOperator<String> edit) {
		this.edit = edit;
	}

	/**
	 * Opens connections that the caller closes.
	 * @param edit changes the text of each file
	 */
	static StoppedScripts with(BinaryOperator<String> edit) {
		StoppedScripts scripts = new StoppedScripts(edit);
		scripts.open();
		return scripts;
	}

	@Override
	public void beforeAll(ExtensionContext context) {
		open();
	}

	private void open() {
		this.redis = SharedRedis.get().client();
		this.template = new StoppingTemplate(this.redis, this.edit);
		this.connected = Connected.over(Driver.JEDIS, SharedRedis.get().uri(), this.template);
	}

	@Override
	public void afterAll(ExtensionContext context) {
		close();
	}

	@Override
	public void close() {
		this.connected.close();
		this.redis.close();
	}

	/** The store of a partition, whose scripts {@link #stops} can stop. */
	TestStore storeOf(TestPartition partition) {
		return partition.storeOver(this.connected);
	}

	/**
	 * Runs a call whose scripts stop before their next write after this number of them.
	 * @return whether a script has stopped
	 */
	boolean stops(Runnable call, int writes) {
		this.template.stopAfter(writes);
		try {
			call.run();
			return false;
		}
		catch (StoreException stop) {
			assertThat(stop).hasMessageContaining("STOPPED");
			return true;
		}
		finally {
			this.template.resume();
		}
	}

	/**
	 * The writes of the last script in order, command and key, without those that removed
	 * nothing.
	 */
	List<String> written() {
		return this.template.written();
	}

}
