package io.delayqueue.sample.redis;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.OptionalInt;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * The directory of a server: its data and log, a lock for whoever looks for the server or
 * starts it, and the files that tell its port and its process.
 */
final class RedisHome {

	private static final Pattern SERVER = Pattern.compile("redis|valkey");

	private final Path directory;

	private RedisHome(Path directory) {
		this.directory = directory;
	}

	static RedisHome at(Path directory) throws IOException {
		Files.createDirectories(directory);
		return new RedisHome(directory.toRealPath());
	}

	Path directory() {
		return this.directory;
	}

	/**
	 * Tries to take the lock. The operating system frees it when the process ends,
	 * however it ends.
	 * @return what frees the lock when closed; {@code null} if another one has it
	 */
	@Nullable FileChannel tryLock() throws IOException {
		FileChannel channel = FileChannel.open(this.directory.resolve("lock"), StandardOpenOption.CREATE,
				StandardOpenOption.WRITE);
		try {
			if (channel.tryLock() != null) {
				return channel;
			}
		}
		catch (OverlappingFileLockException ex) {
			// another thread of this process has it
		}
		channel.close();
		return null;
	}

	/** The port that the server was given, whoever listens there now. */
	OptionalInt port() throws IOException {
		long port = number("port");
		return (port > 0 && port < 65536) ? OptionalInt.of((int) port) : OptionalInt.empty();
	}

	/** Writes the port in one step, so that nobody reads half of it. */
	void writePort(int port) throws IOException {
		Path draft = this.directory.resolve("port.new");
		Files.writeString(draft, port + "\n");
		Files.move(draft, this.directory.resolve("port"), StandardCopyOption.ATOMIC_MOVE,
				StandardCopyOption.REPLACE_EXISTING);
	}

	/**
	 * The process of a server that still works on the data here, whether it answers or
	 * not. After a {@code kill -9} the file stays, and in time its number is given to
	 * another process; one that has ended and was not collected has no command line.
	 * @return its process id; 0 if there is none
	 */
	long inhabitant() throws IOException {
		return ProcessHandle.of(number("redis.pid"))
			.filter(ProcessHandle::isAlive)
			.filter((process) -> SERVER.matcher(process.info().commandLine().orElse("")).find())
			.map(ProcessHandle::pid)
			.orElse(0L);
	}

	private long number(String file) throws IOException {
		try {
			return Long.parseLong(Files.readString(this.directory.resolve(file)).trim());
		}
		catch (NoSuchFileException | NumberFormatException ex) {
			return 0;
		}
	}

}
