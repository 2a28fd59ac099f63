package io.delayqueue.test.fault;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import io.delayqueue.test.redis.RedisServer;

/**
 * Moves the wall clock of a Redis server. This class needs no compiler, and no preloaded
 * library, which a statically linked server would not load. The clock is moved as
 * follows:
 * <ol>
 * <li>a program reads the time through functions of the vDSO, which the kernel maps into
 * each process; see https://man7.org/linux/man-pages/man7/vdso.7.html;</li>
 * <li>as soon as the mapping is written to, the process gets a copy of its own; a parent
 * process may write to it through {@code /proc};</li>
 * <li>this class writes code that reads the time by a system call and adds the offset.
 * The monotonic clock does not change.</li>
 * </ol>
 * The server is frozen during the change. The class works on Linux on x86-64 only.
 */
public final class ServerClock {

	private static final int SECTION_DYNSYM = 11;

	private static final int SYMBOL_SIZE = 24;

	/**
	 * Maps each function of the vDSO to the machine code that replaces it; {@code OFFSET}
	 * stands for the seconds to be added.
	 * <ul>
	 * <li>gettimeofday: system call 96; if rdi is not null: [rdi] += OFFSET</li>
	 * <li>clock_gettime: system call 228; if edi is CLOCK_REALTIME: [rsi] += OFFSET</li>
	 * <li>time: system call 201; rax += OFFSET; if rdi is not null: [rdi] = rax</li>
	 * </ul>
	 */
	private static final Map<String, String> CODE = new TreeMap<>(
			Map.of("__vdso_gettimeofday", "b860000000 0f05 4885ff 740d 48ba OFFSET 480117 c3", "__vdso_clock_gettime",
					"b8e4000000 0f05 85ff 750d 48ba OFFSET 480116 c3", "__vdso_time",
					"b8c9000000 0f05 48ba OFFSET 4801d0 4885ff 7403 488907 c3"));

	private ServerClock() {
	}

	/**
	 * Moves the clock of a running server forward or back. A restart of the server resets
	 * its clock.
	 * @param server the server
	 * @param offset the offset from the machine's clock, in whole seconds
	 * @throws IllegalStateException if the server does not run, or its clock cannot be
	 * moved on this machine; the message names the missing right or platform
	 */
	public static void set(RedisServer server, Duration offset) {
		synchronized (server) {
			boolean wasFrozen = server.isFrozen();
			server.freeze();
			try {
				while (isReadingTime(server.pid())) {
					server.resume();
					server.freeze();
				}
				set(server.pid(), offset);
			}
			finally {
				if (!wasFrozen) {
					server.resume();
				}
			}
		}
	}

	private static void set(long pid, Duration offset) {
		requireThatThisMachineCan();
		try (RandomAccessFile memory = new RandomAccessFile("/proc/" + pid + "/mem", "rw")) {
			Range vdso = vdso(pid);
			byte[] image = new byte[(int) (vdso.end() - vdso.start())];
			memory.seek(vdso.start());
			memory.readFully(image);
			String seconds = HexFormat.of()
				.formatHex(ByteBuffer.allocate(Long.BYTES)
					.order(ByteOrder.LITTLE_ENDIAN)
					.putLong(offset.toSeconds())
					.array());
			Map<String, Long> functions = functions(image);
			for (Map.Entry<String, String> code : CODE.entrySet()) {
				Long function = functions.get(code.getKey());
				if (function == null) {
					throw new IllegalStateException(
							"The vDSO of process " + pid + " has no " + code.getKey() + ", but " + functions.keySet());
				}
				memory.seek(vdso.start() + function);
				memory.write(HexFormat.of().parseHex(code.getValue().replace("OFFSET", seconds).replace(" ", "")));
			}
		}
		catch (IOException ex) {
			throw cannot(pid, ex);
		}
	}

	/**
	 * Returns whether a thread of a frozen process was stopped inside a function of the
	 * vDSO, whose code must not be changed then.
	 */
	private static boolean isReadingTime(long pid) {
		requireThatThisMachineCan();
		try (Stream<Path> threads = Files.list(Path.of("/proc", Long.toString(pid), "task"))) {
			Range vdso = vdso(pid);
			for (Path thread : threads.toList()) {
				// The file contains the number of a system call, its arguments, the stack
				// pointer and the program counter
				String at = Files.readString(thread.resolve("syscall")).strip();
				String counter = at.substring(at.lastIndexOf(' ') + 1);
				if (!counter.startsWith("0x") || vdso.holds(Long.parseUnsignedLong(counter.substring(2), 16))) {
					return true;
				}
			}
			return false;
		}
		catch (IOException ex) {
			throw cannot(pid, ex);
		}
	}

	private static void requireThatThisMachineCan() {
		if (!System.getProperty("os.name").equals("Linux") || !System.getProperty("os.arch").equals("amd64")) {
			throw new IllegalStateException("The clock of a server can only be moved on Linux on x86-64, and this is "
					+ System.getProperty("os.name") + " on " + System.getProperty("os.arch"));
		}
	}

	private static IllegalStateException cannot(long pid, IOException why) {
		return new IllegalStateException("Cannot move the clock of process " + pid
				+ ": this needs the right to write /proc/<pid>/mem of a child process (in a container: the capability"
				+ " SYS_PTRACE, or a kernel.yama.ptrace_scope of 1 or less)", why);
	}

	private record Range(long start, long end) {

		boolean holds(long address) {
			return address >= this.start && address < this.end;
		}

	}

	private static Range vdso(long pid) throws IOException {
		for (String line : Files.readAllLines(Path.of("/proc", Long.toString(pid), "maps"))) {
			if (line.endsWith("[vdso]")) {
				int dash = line.indexOf('-');
				return new Range(Long.parseLong(line.substring(0, dash), 16),
						Long.parseLong(line.substring(dash + 1, line.indexOf(' ')), 16));
			}
		}
		throw new IllegalStateException("Process " + pid + " has no vDSO, so its clock cannot be moved");
	}

	/**
	 * Returns the offset of each function of an ELF image, by the name of the function.
	 */
	private static Map<String, Long> functions(byte[] bytes) {
		ByteBuffer image = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
		Map<String, Long> functions = new TreeMap<>();
		int sections = (int) image.getLong(40);
		int size = image.getShort(58);
		int count = image.getShort(60);
		for (int i = 0; i < count; i++) {
			int section = sections + i * size;
			if (image.getInt(section + 4) == SECTION_DYNSYM) {
				int symbols = (int) image.getLong(section + 24);
				int names = (int) image.getLong(sections + image.getInt(section + 40) * size + 24);
				for (int at = symbols; at < symbols + image.getLong(section + 32); at += SYMBOL_SIZE) {
					functions.put(text(bytes, names + image.getInt(at)), image.getLong(at + 8));
				}
			}
		}
		return functions;
	}

	private static String text(byte[] bytes, int at) {
		int end = at;
		while (bytes[end] != 0) {
			end++;
		}
		return new String(bytes, at, end - at, StandardCharsets.US_ASCII);
	}

}
