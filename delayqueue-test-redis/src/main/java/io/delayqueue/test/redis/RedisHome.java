package io.delayqueue.test.redis;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * The directory of a {@link PersistentRedis}. The directory contains the data and the log
 * of the server, a lock file for its start, and files with its port and its process id.
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
	 * Tries to take the lock of the directory. The operating system frees the lock when
	 * the process ends, even by a kill.
	 * @return the channel whose closing frees the lock; {@code null} if another process
	 * has the lock
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
			// another thread of this process has the lock
		}
		channel.close();
		return null;
	}

	/**
	 * Returns the port with which the server was last started, or 0 if no server was
	 * started. Another program may use this port by now.
	 */
	int port() throws IOException {
		long port = number(this.directory.resolve("port"));
		return (port > 0 && port < 65536) ? (int) port : 0;
	}

	/** Writes the port file atomically, so that no process reads an incomplete port. */
	void writePort(int port) throws IOException {
		Path draft = this.directory.resolve("port.new");
		Files.writeString(draft, port + "\n");
		Files.move(draft, this.directory.resolve("port"), StandardCopyOption.ATOMIC_MOVE,
				StandardCopyOption.REPLACE_EXISTING);
	}

	/**
	 * Returns the process of a server that still uses the directory, whether the server
	 * answers or not. After a {@code kill -9} of the server the file with its process id
	 * remains, and the operating system may give this id to another process. So the
	 * command line must be that of a server. A zombie process has no command line.
	 * @return the process id; 0 if no such process exists
	 */
	long process() throws IOException {
		return ProcessHandle.of(number(ServerSpec.pidFile(this.directory)))
			.filter(ProcessHandle::isAlive)
			.filter((process) -> SERVER.matcher(process.info().commandLine().orElse("")).find())
			.map(ProcessHandle::pid)
			.orElse(0L);
	}

	private static long number(Path file) throws IOException {
		try {
			return Long.parseLong(Files.readString(file).trim());
		}
		catch (NoSuchFileException | NumberFormatException ex) {
			return 0;
		}
	}

}
