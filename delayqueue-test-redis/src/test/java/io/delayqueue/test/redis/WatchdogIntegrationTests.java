package io.delayqueue.test.redis;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("slow")
class WatchdogIntegrationTests {

	@Test
	void serverAndTemporaryDirectoryAreRemovedWhenJvmIsKilled() throws IOException {
		Process jvm = jvm("wait");
		try (BufferedReader out = jvm.inputReader()) {
			long redis = Long.parseLong(out.readLine());
			Path directory = Path.of(out.readLine());
			assertThat(isAlive(redis)).isTrue();
			assertThat(directory).isDirectory();
			jvm.destroyForcibly();
			awaitGone(redis, directory);
		}
		finally {
			jvm.destroyForcibly();
		}
	}

	@Test
	void frozenChildIsKilledWhenJvmIsKilled(@TempDir Path directory) throws IOException {
		Process jvm = jvm("freeze", directory.toString());
		try (BufferedReader out = jvm.inputReader()) {
			long child = Long.parseLong(out.readLine());
			assertThat(isAlive(child)).isTrue();
			jvm.destroyForcibly();
			Await.until(Await.LIMIT, () -> "Process " + child + " did not end", () -> !isAlive(child));
		}
		finally {
			jvm.destroyForcibly();
		}
	}

	@Test
	void serverOutlivesShutdownHooksWhenJvmExits() throws IOException {
		Process jvm = jvm("exit");
		try (BufferedReader out = jvm.inputReader()) {
			long redis = Long.parseLong(out.readLine());
			Path directory = Path.of(out.readLine());
			assertThat(out.readLine()).isEqualTo("in shutdown hook: PONG");
			awaitGone(redis, directory);
		}
		finally {
			jvm.destroyForcibly();
		}
	}

	@Test
	void detachedServerOutlivesItsJvm(@TempDir Path directory) throws IOException {
		Process jvm = jvm("detached", directory.toString());
		try (BufferedReader out = jvm.inputReader()) {
			long redis = Long.parseLong(out.readLine());
			jvm.destroyForcibly().onExit().join();
			ProcessHandle handle = ProcessHandle.of(redis).orElseThrow();
			assertThat(handle.isAlive()).isTrue();
			handle.destroyForcibly();
			handle.onExit().join();
		}
		finally {
			jvm.destroyForcibly();
		}
	}

	private static void awaitGone(long pid, Path directory) {
		Await.until(Await.LIMIT, () -> "Process " + pid + " did not end", () -> !isAlive(pid));
		Await.until(Await.LIMIT, () -> directory + " was not deleted", () -> !directory.toFile().exists());
	}

	private static boolean isAlive(long pid) {
		return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
	}

	private static Process jvm(String... arguments) throws IOException {
		List<String> command = new ArrayList<>();
		command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
		command.add("-cp");
		command.add(System.getProperty("java.class.path"));
		command.add(Application.class.getName());
		command.addAll(List.of(arguments));
		return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
	}

	/** The JVM that ends in the test. */
	static final class Application {

		private Application() {
		}

		public static void main(String[] arguments) throws InterruptedException {
			if (arguments[0].equals("freeze")) {
				ChildProcess child = ChildProcess.start(List.of("cat"), Path.of(arguments[1], "log"));
				child.freeze();
				System.out.println(child.pid());
				Thread.currentThread().join();
			}
			RedisServerBuilder builder = RedisServer.builder();
			if (arguments[0].equals("detached")) {
				builder.directory(Path.of(arguments[1])).detached();
			}
			RedisServer redis = builder.start();
			System.out.println(redis.pid());
			System.out.println(redis.directory());
			if (arguments[0].equals("exit")) {
				Runtime.getRuntime()
					.addShutdownHook(new Thread(() -> System.out.println("in shutdown hook: " + redis.call("PING"))));
				System.exit(0);
			}
			Thread.currentThread().join();
		}

	}

}
