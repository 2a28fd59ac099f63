package io.delayqueue.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.delayqueue.autoconfigure.DelayQueueProperties.StartupChecks;
import io.delayqueue.lifecycle.BackgroundLoop;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.store.DriverSettings;
import io.delayqueue.store.Finding;
import io.delayqueue.store.ServerChecks;
import io.delayqueue.store.ServerFaults;
import io.delayqueue.store.StoreException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.context.SmartLifecycle;

/**
 * Has Redis looked at, at the first contact with it.
 * <ol>
 * <li>At the start, before anything listens or takes requests: faults end the start, all
 * of them in one exception, if that is wanted.</li>
 * <li>If Redis does not answer, the start goes on after a few seconds at most. Redis is
 * looked at as soon as it answers, and faults are logged and shown.</li>
 * <li>While there are faults it is looked at again and again, so that what was mended is
 * not shown for ever. Once there are none, never again.</li>
 * </ol>
 */
final class StartupCheck implements SmartLifecycle {

	/** After the connections, and before what uses them. */
	static final int PHASE = 1;

	private static final Log logger = LogFactory.getLog(StartupCheck.class);

	private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);

	private static final long NOT_ANSWERED_NANOS = TimeUnit.SECONDS.toNanos(1);

	private static final long NOT_MENDED_NANOS = TimeUnit.SECONDS.toNanos(10);

	// immutable

	private final StartupChecks mode;

	private final KnownQueues queues;

	private final DriverSettings driver;

	private final ServerChecks checks;

	private final ServerFaults faults;

	private final RedisGate gate;

	private final BackgroundLoop loop = new BackgroundLoop("delayqueue-startup-check", this::look);

	private final Runnable onRedisFound = this.loop::wakeUp;

	// shared and safe

	/** Whatever comes first: what the first look was, or the end of waiting for it. */
	private final CompletableFuture<Look> first = new CompletableFuture<>();

	private volatile boolean running;

	private volatile boolean over;

	// guarded by this

	private boolean reported;

	StartupCheck(StartupChecks mode, KnownQueues queues, DriverSettings driver, ServerChecks checks,
			ServerFaults faults, RedisGate gate) {
		this.mode = mode;
		this.queues = queues;
		this.driver = driver;
		this.checks = checks;
		this.faults = faults;
		this.gate = gate;
	}

	/**
	 * What came of looking at Redis.
	 *
	 * @param findings what was found
	 * @param unanswered why nothing could be found, {@code null} if Redis has answered
	 */
	private record Look(List<Finding> findings, @Nullable String unanswered) {
	}

	/**
	 * Looks at Redis if it answers.
	 * @throws UnfitRedisException with all faults, if they are to end the start
	 */
	@Override
	public void start() {
		this.running = true;
		if (this.mode == StartupChecks.OFF || this.over) {
			return;
		}
		boolean again = this.first.isDone();
		this.gate.onOpen(this.onRedisFound);
		this.loop.start();
		if (!again) {
			PoolCheck.warning(this.driver, this.queues.consumed()).ifPresent(logger::warn);
			begin(firstLook());
		}
	}

	private Look firstLook() {
		try {
			return this.first.get(LONGEST_WAIT.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (TimeoutException late) {
			this.first.complete(new Look(List.of(), "nothing within " + LONGEST_WAIT.toSeconds() + " s"));
		}
		catch (InterruptedException interrupted) {
			Thread.currentThread().interrupt();
			this.first.complete(new Look(List.of(), "the start was interrupted"));
		}
		catch (ExecutionException impossible) {
			throw new IllegalStateException("A look never fails, which indicates a bug", impossible);
		}
		return this.first.join();
	}

	private void begin(Look look) {
		if (look.unanswered() != null) {
			logger.warn("Redis does not answer (" + look.unanswered()
					+ "); the start goes on, and whether delayed messages can work with it is looked at when it does");
			return;
		}
		List<Finding> ofTheStart = look.findings().stream().filter(Finding::isFault).toList();
		boolean fails = this.mode == StartupChecks.FAIL && !ofTheStart.isEmpty();
		report(fails ? look.findings().stream().filter((finding) -> !finding.isFault()).toList() : look.findings());
		if (fails) {
			stop();
			throw new UnfitRedisException(ofTheStart);
		}
	}

	private long look() {
		if (this.over || !this.gate.isOpen()) {
			return BackgroundLoop.untried(NOT_ANSWERED_NANOS);
		}
		List<Finding> findings;
		try {
			List<QueueSettings> consumed = this.queues.consumed();
			findings = this.checks.findings(consumed, this.queues.others());
		}
		catch (RuntimeException failure) {
			this.first.complete(new Look(List.of(), String.valueOf(failure.getMessage())));
			if (!(failure instanceof StoreException away)) {
				throw failure;
			}
			if (away.isRedisLost()) {
				this.gate.lost(away);
			}
			logger.debug("Redis does not answer", away);
			return NOT_ANSWERED_NANOS;
		}
		if (!this.first.complete(new Look(findings, null))) {
			report(findings);
		}
		if (findings.stream().noneMatch(Finding::isFault)) {
			this.over = true;
			end();
		}
		return NOT_MENDED_NANOS;
	}

	private synchronized void report(List<Finding> findings) {
		if (!this.reported) {
			this.reported = true;
			findings.forEach((finding) -> {
				switch (finding.severity()) {
					case DANGER -> logger.error(finding);
					case WARNING -> logger.warn(finding);
					case FAULT -> {
						// Told below, and again when they change
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
		this.loop.stop(Duration.ZERO);
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
