package io.delayqueue.starter;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import javax.tools.ToolProvider;

import io.delayqueue.test.redis.AppendOnly;
import io.delayqueue.test.redis.ChildProcess;
import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * An application that consists of one class, one dependency, one annotation and one line
 * that schedules; of delayed messages it configures nothing, of Redis the address and the
 * timeout. It is compiled and run with the class path of an application that adds the
 * starter.
 */
class EmptyApplicationIntegrationTests {

	private static final String SOURCE = """
			package demo;

			import java.time.Duration;

			import io.delayqueue.DelayQueueOperations;
			import io.delayqueue.DelayedListener;

			import org.springframework.boot.ApplicationRunner;
			import org.springframework.boot.SpringApplication;
			import org.springframework.boot.autoconfigure.SpringBootApplication;
			import org.springframework.context.annotation.Bean;

			@SpringBootApplication
			public class Application {

				public static void main(String[] args) {
					SpringApplication.run(Application.class, args);
				}

				@Bean
				ApplicationRunner later(DelayQueueOperations delayQueue) {
					return (args) -> delayQueue.schedule("greetings", new Greeting("world"), Duration.ofSeconds(1));
				}

				@DelayedListener(queue = "greetings")
				void greet(Greeting greeting) {
					System.out.println("Hello, " + greeting.name() + "!");
				}

				record Greeting(String name) {
				}

			}
			""";

	@TempDir
	Path home;

	@Test
	void oneDependencyOneAnnotationAndOneLineAreEnough() throws IOException {
		String classPath = Files.readString(Path.of("target", "user.classpath"));
		compile(classPath);
		Path log = this.home.resolve("log");
		try (RedisServer redis = RedisServer.builder().appendOnly(AppendOnly.EVERY_SECOND).start();
				ChildProcess application = ChildProcess
					.start(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
							this.home + System.getProperty("path.separator") + classPath, "demo.Application",
							"--spring.data.redis.url=" + redis.uri(), "--spring.data.redis.timeout=2s"), log)) {
			await().untilAsserted(() -> {
				assertThat(log).content().contains("Hello, world!");
				assertThat(application.isAlive()).as("without a web server it stays for its messages").isTrue();
			});
			application.terminate();
			application.awaitEnd(Duration.ofMinutes(2));
			// Where many processes share a processor, the first contact may take longer
			assertThat(Files.readAllLines(log)).filteredOn((line) -> !line.contains("no answer within 5 s"))
				.noneMatch((line) -> Stream.of(" WARN ", " ERROR ", "Exception").anyMatch(line::contains));
		}
	}

	private void compile(String classPath) throws IOException {
		Path source = Files.createDirectories(this.home.resolve("demo")).resolve("Application.java");
		Files.writeString(source, SOURCE);
		int result = ToolProvider.getSystemJavaCompiler()
			.run(null, null, null, "-proc:none", "-parameters", "-cp", classPath, "-d", this.home.toString(),
					source.toString());
		assertThat(result).as("what javac says of the source").isZero();
	}

}
