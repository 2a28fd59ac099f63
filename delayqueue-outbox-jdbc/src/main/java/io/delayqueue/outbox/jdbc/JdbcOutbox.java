package io.delayqueue.outbox.jdbc;

import java.time.Duration;

import javax.sql.DataSource;

import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.outbox.DelayQueueOutbox;
import io.delayqueue.outbox.DelayQueueOutboxAdmin;
import io.delayqueue.schedule.UnsentCalls;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.context.SmartLifecycle;

/**
 * The outbox of one process: the table, the sender (the thread that sends rows of this
 * process right after their commit) and the relay (the thread that sends all other rows).
 * This class is thread-safe.
 *
 * <p>
 * An outbox that is a Spring bean starts its threads with the context, and stops them
 * after the listeners, because transactions of listeners may write rows. The sender and
 * the relay each use one connection from the pool of the data source while they work.
 */
public final class JdbcOutbox implements SmartLifecycle, UnsentCalls, AopInfrastructureBean {

	/**
	 * The lifecycle phase of the outbox. Spring stops higher phases first, so the outbox
	 * stops after the listeners and the engine, and before the connections to Redis.
	 */
	private static final int PHASE = 900;

	private static final Duration STOPPING = Duration.ofSeconds(10);

	private final OutboxCounts counts = new OutboxCounts();

	private final OutboxRelay relay;

	private final OutboxSender sender;

	private final DelayQueueOutbox operations;

	private final DelayQueueOutboxAdminTemplate admin;

	private volatile boolean running;

	/**
	 * Creates the outbox of one process.
	 * @param dataSource the data source of the callers' transactions
	 * @param settings the settings of the outbox
	 * @param engine the engine that schedules the messages in Redis
	 */
	public JdbcOutbox(DataSource dataSource, OutboxSettings settings, DelayQueueEngine engine) {
		OutboxTable table = new OutboxTable(dataSource, settings.tableName(), this.counts);
		RowCalls calls = new RowCalls(engine.preparedCalls(), engine.gate(), new RowPolicy(settings.maxBackOff()),
				settings.window(), this.counts);
		RowDelivery delivery = new RowDelivery(table, calls, settings.claimTimeout());
		this.relay = new OutboxRelay(delivery, engine.gate(), settings.batchSize(), settings.pollInterval(),
				engine.tasks());
		this.sender = new OutboxSender(delivery, engine.gate(), settings.batchSize(), this.relay::wakeUp,
				engine.tasks());
		this.operations = new DelayQueueOutboxTemplate(engine.preparedCalls(), table, new CallerTransaction(dataSource),
				settings.window(), this.sender);
		this.admin = new DelayQueueOutboxAdminTemplate(table, this.relay::wakeUp);
	}

	/**
	 * {@return the operations with which applications write calls to the outbox in their
	 * transactions}
	 */
	public DelayQueueOutbox operations() {
		return this.operations;
	}

	/**
	 * {@return the operations for operators on the rows of the outbox}
	 */
	public DelayQueueOutboxAdmin admin() {
		return this.admin;
	}

	/**
	 * Returns the counts of outbox rows that this process has sent.
	 * @return the counts since the start of the process
	 */
	public OutboxCounts counts() {
		return this.counts;
	}

	@Override
	public boolean isEmpty() {
		return this.admin.count().pending() == 0;
	}

	@Override
	public void start() {
		this.running = true;
		this.sender.start();
		this.relay.start();
	}

	@Override
	public void stop() {
		this.running = false;
		this.sender.stop(STOPPING);
		this.relay.stop(STOPPING);
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

}
