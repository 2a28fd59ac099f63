package io.delayqueue.soak;

import java.util.ArrayList;
import java.util.List;

import io.delayqueue.process.fixture.Journal;
import io.delayqueue.process.fixture.Journal.Writer;
import io.delayqueue.process.fixture.WorkerProcess;
import io.delayqueue.process.fixture.WorkerProcess.Program;

/**
 * The workers of a soak: always the same number of processes, some of which are killed,
 * stand still, or are about to start. What happens to them stands in the journal, at a
 * moment when they write nothing any more.
 */
final class Fleet implements AutoCloseable {

	private final Program program;

	private final Journal journal;

	private final Writer writer;

	private final List<WorkerProcess> workers = new ArrayList<>();

	private int launched;

	Fleet(Program program, Journal journal, Writer writer, int size) {
		this.program = program;
		this.journal = journal;
		this.writer = writer;
		for (int i = 0; i < size; i++) {
			this.workers.add(launch());
		}
	}

	private WorkerProcess launch() {
		return WorkerProcess.launch("w" + ++this.launched, this.program, this.journal);
	}

	int size() {
		return this.workers.size();
	}

	WorkerProcess get(int index) {
		return this.workers.get(index);
	}

	/** How many of them are only starting. */
	int down() {
		return (int) this.workers.stream().filter((worker) -> !worker.isReady()).count();
	}

	/** Kills a worker and starts another one in its place. */
	void kill(int index) {
		WorkerProcess worker = this.workers.get(index);
		worker.kill();
		this.writer.add("stopped", worker.name(), 0, "killed");
		this.workers.set(index, launch());
	}

	void freeze(int index) {
		WorkerProcess worker = this.workers.get(index);
		worker.freeze();
		this.writer.add("stopped", worker.name(), 0, "frozen");
	}

	void resume(int index) {
		WorkerProcess worker = this.workers.get(index);
		this.writer.add("resumed", worker.name(), 0, "-");
		worker.resume();
	}

	/**
	 * Waits until all work.
	 * @throws IllegalStateException if one has ended by itself
	 */
	void awaitReady() {
		this.workers.forEach(WorkerProcess::awaitReady);
		for (WorkerProcess worker : this.workers) {
			if (!worker.isAlive()) {
				throw new IllegalStateException(worker.name() + " has ended by itself:\n" + worker.log());
			}
		}
	}

	@Override
	public void close() {
		this.workers.forEach(WorkerProcess::close);
	}

}
