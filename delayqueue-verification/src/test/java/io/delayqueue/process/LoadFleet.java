package io.delayqueue.process;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;

import io.delayqueue.process.fixture.Journal.Writer;
import io.delayqueue.process.fixture.ProcessHarness;
import io.delayqueue.process.fixture.WorkerProcess;

/**
 * A constant number of processes, of which one after the other is killed and replaced.
 * The replacements are started in advance, because the start of a process takes as much
 * processor time as several running processes.
 */
final class LoadFleet {

	private final Writer journal;

	private final Random random;

	private final List<WorkerProcess> processes = new ArrayList<>();

	private final Deque<WorkerProcess> spares = new ArrayDeque<>();

	private int kills;

	/**
	 * Starts all processes; the property of the late spare processes is the first new
	 * count.
	 */
	LoadFleet(ProcessHarness harness, Writer journal, LoadPlan plan) {
		this.journal = journal;
		this.random = new Random(plan.seed());
		for (int i = 0; i < LoadPlan.PROCESSES; i++) {
			this.processes.add(harness.launch("process-" + i, "worker.load=true"));
		}
		this.processes.forEach(WorkerProcess::awaitReady);
		for (int i = 0; i < plan.spares(); i++) {
			int count = plan.isLate(i) ? plan.counts().get(0) : 1;
			this.spares.add(
					harness
						.launch("spare-" + i,
								LoadPlan.QUEUES.stream()
									.map((queue) -> "delayqueue.queues." + queue + ".partitions=" + count)
									.toArray(String[]::new))
						.awaitReady());
		}
	}

	/** Kills a process, and a spare one begins to consume; does nothing without one. */
	void killOne() {
		if (this.spares.isEmpty()) {
			return;
		}
		int index = this.random.nextInt(this.processes.size());
		WorkerProcess victim = this.processes.get(index);
		victim.kill();
		this.journal.add(LoadChecker.KILLED, victim.name(), 0, "-");
		WorkerProcess spare = this.spares.remove();
		LoadPlan.QUEUES.forEach((queue) -> spare.send("start " + queue));
		this.processes.set(index, spare);
		this.kills++;
	}

	int kills() {
		return this.kills;
	}

}
