package io.delayqueue.soak;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

import io.delayqueue.process.fixture.Journal;
import io.delayqueue.process.fixture.Journal.Writer;
import io.delayqueue.process.fixture.WorkerProcess;
import io.delayqueue.process.fixture.WorkerProcess.Program;

/**
 * The workers of a soak: a constant number of processes, some of which are killed, frozen
 * or starting. The journal records the faults of a worker at a moment when it no longer
 * writes.
 */
final class Fleet implements AutoCloseable {

	private final Program program;

	private final Journal journal;

	private final Writer writer;

	private final List<WorkerProcess> workers = new ArrayList<>();

	private int launched;

	/** The version of the application that starts. */
	private int version = 1;

	Fleet(Program program, Journal journal, Writer writer, int size) {
		this.program = program;
		this.journal = journal;
		this.writer = writer;
		for (int i = 0; i < size; i++) {
			this.workers.add(launch());
		}
	}

	private WorkerProcess launch() {
		List<String> arguments = new ArrayList<>(this.program.arguments());
		arguments.add(Deployment.argument(this.version));
		return WorkerProcess.launch("w" + ++this.launched,
				new Program(this.program.main(), this.program.directory(), this.program.before(), arguments),
				this.journal);
	}

	/** From now on, workers of the next version start. */
	void newVersion() {
		this.version++;
	}

	int version() {
		return this.version;
	}

	int size() {
		return this.workers.size();
	}

	WorkerProcess get(int index) {
		return this.workers.get(index);
	}

	/** The worker that was started first. */
	int oldest() {
		return IntStream.range(0, size())
			.boxed()
			.min(Comparator.comparingInt((i) -> Integer.parseInt(get(i).name().substring(1))))
			.orElseThrow();
	}

	/** The number of starting workers. */
	int down() {
		return (int) this.workers.stream().filter((worker) -> !worker.isReady()).count();
	}

	/** Kills a worker and starts another one to replace it. */
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
	 * Waits until all workers work.
	 * @throws IllegalStateException if a worker has ended by itself
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
