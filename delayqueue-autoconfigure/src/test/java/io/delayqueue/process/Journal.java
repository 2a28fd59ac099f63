package io.delayqueue.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What happened in several processes, in the order in which it happened: a file that each
 * of them appends whole lines to, so that a line is there once it was written, whatever
 * becomes of its process. Safe for use by several threads.
 */
public final class Journal implements AutoCloseable {

	private static final int PAGE = 1 << 20;

	private final FileChannel file;

	// guarded by this

	private final List<Line> lines = new ArrayList<>();

	private byte[] unfinished = {};

	private long read;

	private Journal(FileChannel file) {
		this.file = file;
	}

	/**
	 * One line.
	 *
	 * @param millis when it was written; all processes share the clock of the host
	 * @param process who wrote it
	 * @param event what happened
	 * @param id the message's id, or what else it happened to
	 * @param attempt the delivery's number, 0 if there is none
	 * @param more anything else, without spaces
	 */
	public record Line(long millis, String process, String event, String id, int attempt, String more) {

		static Line parse(String text) {
			String[] fields = text.split(" ", 6);
			return new Line(Long.parseLong(fields[0]), fields[1], fields[2], fields[3], Integer.parseInt(fields[4]),
					fields[5]);
		}

	}

	/**
	 * Opens the journal, and creates it if it is not there.
	 * @param path the file
	 * @return the journal
	 */
	public static Journal at(Path path) {
		try {
			FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND).close();
			// The Java library cannot open one channel for both
			return new Journal(FileChannel.open(path, StandardOpenOption.READ));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * What is in the journal by now.
	 * @return all whole lines
	 */
	public List<Line> lines() {
		return linesFrom(0);
	}

	/**
	 * What is in the journal by now, without its beginning.
	 * @param first how many lines to leave out
	 * @return all whole lines after these
	 */
	public synchronized List<Line> linesFrom(int first) {
		try {
			ByteBuffer page = ByteBuffer.allocate(PAGE);
			while (this.file.read(page, this.read) > 0) {
				this.read += page.position();
				take(page.flip());
				page.clear();
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return List.copyOf(this.lines.subList(first, this.lines.size()));
	}

	private void take(ByteBuffer page) {
		byte[] bytes = new byte[this.unfinished.length + page.remaining()];
		System.arraycopy(this.unfinished, 0, bytes, 0, this.unfinished.length);
		page.get(bytes, this.unfinished.length, page.remaining());
		int from = 0;
		for (int i = 0; i < bytes.length; i++) {
			if (bytes[i] == '\n') {
				this.lines.add(Line.parse(new String(bytes, from, i - from, StandardCharsets.UTF_8)));
				from = i + 1;
			}
		}
		this.unfinished = Arrays.copyOfRange(bytes, from, bytes.length);
	}

	@Override
	public void close() {
		try {
			this.file.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * The end of a journal that one process writes to. Each line is one write to a file
	 * that was opened for appending. Safe for use by several threads.
	 */
	public static final class Writer implements AutoCloseable {

		private final FileChannel file;

		private final String process;

		private Writer(FileChannel file, String process) {
			this.file = file;
			this.process = process;
		}

		/**
		 * Opens the journal.
		 * @param path the file
		 * @param process who writes
		 * @return the writer
		 */
		public static Writer to(Path path, String process) {
			try {
				return new Writer(FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND),
						process);
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

		/**
		 * Adds a line.
		 * @param event what happened
		 * @param id the message's id, or what else it happened to
		 * @param attempt the delivery's number, 0 if there is none
		 * @param more anything else, without spaces
		 */
		public void add(String event, String id, int attempt, Object more) {
			String line = String.join(" ", Long.toString(System.currentTimeMillis()), this.process, event, id,
					Integer.toString(attempt), more.toString()) + "\n";
			try {
				this.file.write(ByteBuffer.wrap(line.getBytes(StandardCharsets.UTF_8)));
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

		@Override
		public void close() {
			try {
				this.file.close();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

	}

}
