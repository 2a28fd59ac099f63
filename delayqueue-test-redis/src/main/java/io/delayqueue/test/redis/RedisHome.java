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
 * The directory of a {@link PersistentRedis}: its data and log, a lock for the search and
 * the start of the server, and the files with its port and its process id.
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
	 * @return the channel that frees the lock when closed; {@code null} if another
	 * process has it
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

	/**
	 * Returns the port of the server's last start, which another program may use by now;
	 * 0 if there is none.
	 */
	int port() throws IOException {
		long port = number(this.directory.resolve("port"));
		return (port > 0 && port < 65536) ? (int) port : 0;
	}

	/** Writes the port atomically, so that no reader gets a part of it. */
	void writePort(int port) throws IOException {
		Path draft = this.directory.resolve("port.new");
		Files.writeString(draft, port + "\n");
		Files.move(draft, this.directory.resolve("port"), StandardCopyOption.ATOMIC_MOVE,
				StandardCopyOption.REPLACE_EXISTING);
	}

	/**
	 * Returns the process of a server that still uses the directory, whether it answers
	 * or not. After a {@code kill -9} the file remains, and its number may be reused by
	 * another process. A zombie process has no command line.
	 * @return its process id; 0 if there is none
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
