package io.delayqueue.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.delayqueue.autoconfigure.DelayQueueProperties.StartupChecks;
import io.delayqueue.lifecycle.Pause;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.Task;
import io.delayqueue.lifecycle.TaskPool;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.redis.DriverSettings;
import io.delayqueue.redis.StoreException;
import io.delayqueue.server.Finding;
import io.delayqueue.server.ServerChecks;
import io.delayqueue.server.ServerFaults;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.context.SmartLifecycle;

/**
 * Checks at startup, or as soon as Redis answers, whether delayed messages can work with
 * this Redis.
 * <ol>
 * <li>The check runs before listeners start and before the application accepts requests.
 * In the mode {@code FAIL}, faults prevent the start of the application, and one
 * exception contains all faults.</li>
 * <li>If Redis does not answer, the start continues after at most 5 seconds. Redis is
 * checked as soon as it answers. The check then logs the faults, and the health component
 * reports them.</li>
 * <li>While there are faults, the check is repeated every 10 seconds, so that the health
 * component no longer reports a fault that has been corrected. After a check without
 * faults, Redis is not checked again.</li>
 * </ol>
 */
final class StartupCheck implements SmartLifecycle, AopInfrastructureBean {

	/**
	 * The lifecycle phase of the check: Spring starts it after the connections to Redis,
	 * and before the components that use these connections.
	 */
	static final int PHASE = 1;

	private static final Log logger = LogFactory.getLog(StartupCheck.class);

	private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);

	private static final Pause RETRY_AFTER_OUTAGE = Pause.untried(TimeUnit.SECONDS.toNanos(1));

	private static final Pause RETRY_AFTER_FAULT = Pause.of(TimeUnit.SECONDS.toNanos(10));

	// immutable

	private final StartupChecks mode;

	private final KnownQueues queues;

	private final DriverSettings driver;

	private final ServerChecks checks;

	private final ServerFaults faults;

	private final RedisGate gate;

	private final Task task;

	private final Runnable onRedisFound;

	// shared and safe

	/**
	 * The result of the first check of Redis. If this check does not end in time, the
	 * result contains only the reason why there was no answer.
	 */
	private final CompletableFuture<Result> first = new CompletableFuture<>();

	private volatile boolean running;

	private volatile boolean over;

	// guarded by this

	private boolean reported;

	StartupCheck(StartupChecks mode, KnownQueues queues, DriverSettings driver, ServerChecks checks,
			ServerFaults faults, RedisGate gate, TaskPool tasks) {
		this.task = tasks.unlisted("delayqueue-startup-check", this::check);
		this.onRedisFound = this.task::wake;
		this.mode = mode;
		this.queues = queues;
		this.driver = driver;
		this.checks = checks;
		this.faults = faults;
		this.gate = gate;
	}

	/**
	 * The result of a check of Redis.
	 *
	 * @param findings the faults and warnings that the check has found
	 * @param unanswered the reason why Redis could not be checked, {@code null} if Redis
	 * answered
	 */
	private record Result(List<Finding> findings, @Nullable String unanswered) {
	}

	/**
	 * Starts the check, and waits at most 5 seconds for its first result.
	 * @throws UnfitRedisException with all faults, in the mode {@code FAIL}
	 */
	@Override
	public void start() {
		this.running = true;
		if (this.mode == StartupChecks.OFF || this.over) {
			return;
		}
		boolean restarted = this.first.isDone();
		this.gate.onOpen(this.onRedisFound);
		this.task.start();
		if (!restarted) {
			new DriverCheck(this.driver).poolWarning(this.queues.consumed()).ifPresent(logger::warn);
			evaluate(firstResult());
		}
	}

	private Result firstResult() {
		try {
			return this.first.get(LONGEST_WAIT.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (TimeoutException late) {
			this.first.complete(new Result(List.of(), "no answer within " + LONGEST_WAIT.toSeconds() + " s"));
		}
		catch (InterruptedException interrupted) {
			Thread.currentThread().interrupt();
			this.first.complete(new Result(List.of(), "the start was interrupted"));
		}
		catch (ExecutionException impossible) {
			throw new IllegalStateException("A check ended with an unexpected exception, which indicates a bug",
					impossible);
		}
		return this.first.join();
	}

	private void evaluate(Result result) {
		if (result.unanswered() != null) {
			logger.warn("Redis does not answer (" + result.unanswered() + ")"
					+ ((this.driver.address() != null) ? " at " + this.driver.address() : "")
					+ "; the start continues, and Redis is checked as soon as it answers"
					+ ((this.mode == StartupChecks.FAIL) ? ". The faults that are found then cannot stop the start any"
							+ " more, as delayqueue.startup-checks=fail demands: they are logged, and the health"
							+ " component is DOWN" : ""));
			return;
		}
		List<Finding> startupFaults = result.findings().stream().filter(Finding::isFault).toList();
		boolean fails = this.mode == StartupChecks.FAIL && !startupFaults.isEmpty();
		report(fails ? result.findings().stream().filter((finding) -> !finding.isFault()).toList() : result.findings());
		if (fails) {
			stop();
			throw new UnfitRedisException(startupFaults);
		}
	}

	private Pause check() {
		if (this.over || !this.gate.isOpen()) {
			return RETRY_AFTER_OUTAGE;
		}
		List<Finding> findings;
		try {
			List<QueueSettings> consumed = this.queues.consumed();
			findings = this.checks.findings(consumed, this.queues.notConsumed());
		}
		catch (RuntimeException failure) {
			this.first.complete(new Result(List.of(), String.valueOf(failure.getMessage())));
			if (!(failure instanceof StoreException away)) {
				throw failure;
			}
			if (away.isRedisLost()) {
				this.gate.lost(away);
			}
			logger.debug("Redis does not answer", away);
			return RETRY_AFTER_OUTAGE;
		}
		if (!this.first.complete(new Result(findings, null))) {
			report(findings);
		}
		if (findings.stream().noneMatch(Finding::isFault)) {
			this.over = true;
			end();
		}
		return RETRY_AFTER_FAULT;
	}

	private synchronized void report(List<Finding> findings) {
		if (!this.reported) {
			this.reported = true;
			findings.forEach((finding) -> {
				switch (finding.severity()) {
					case DANGER -> logger.error(finding);
					case WARNING -> logger.warn(finding);
					case FAULT -> {
						// Faults are logged below, and logged again whenever they change
					}
				}
			});
		}
		if (this.faults.found(findings)) {
			List<String> now = this.faults.faults();
			now.forEach((fault) -> logger.error("Delayed messages cannot work with this Redis: " + fault));
			if (now.isEmpty()) {
				logger.info("Delayed messages can work with this Redis now");
			}
		}
	}

	private void end() {
		this.gate.forget(this.onRedisFound);
		this.task.stop();
	}

	@Override
	public void stop() {
		this.running = false;
		end();
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
