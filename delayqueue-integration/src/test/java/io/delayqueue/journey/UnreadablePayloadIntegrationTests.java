package io.delayqueue.journey;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.read.ListAppender;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.MessageKey;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.admin.DeadLetter;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.test.redis.SharedRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.validation.Errors;
import org.springframework.validation.Validator;
import org.springframework.validation.annotation.Validated;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Reports about an unreadable payload: the position of the error, and never its content.
 */
@SuppressWarnings("NullAway.Init")
class UnreadablePayloadIntegrationTests {

	private static final Logger library = (Logger) LoggerFactory.getLogger("io.delayqueue");

	private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

	private TestApplication application;

	private DelayQueueOperations queue;

	private DelayQueueAdmin admin;

	@BeforeEach
	void start() {
		this.application = new TestApplication(SharedRedis.get().uri())
			.with("delayqueue.queues.twice.unreadable-attempts=2")
			.with("delayqueue.queues.twice.back-off.first=1ms");
		ConfigurableApplicationContext context = this.application.start(Listener.class, Validation.class);
		this.queue = context.getBean(DelayQueueOperations.class);
		this.admin = context.getBean(DelayQueueAdmin.class);
		// After the start, which initialises the logging system
		this.lines.list = new CopyOnWriteArrayList<>();
		this.lines.start();
		library.addAppender(this.lines);
		library.setLevel(Level.DEBUG);
	}

	@AfterEach
	void stop() {
		library.detachAppender(this.lines);
		library.setLevel(null);
		this.application.close();
	}

	record Written(String cents) {
	}

	record Order(int cents) {
	}

	static class Listener {

		@DelayedListener(queue = "orders")
		void handle(Order order) {
			throw new AssertionError("must not be called");
		}

		@DelayedListener(queue = "twice")
		void twice(Order order) {
			throw new AssertionError("must not be called");
		}

		@DelayedListener(queue = "valid")
		void valid(@Payload @Validated Order order) {
			throw new AssertionError("must not be called");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Validation {

		@Bean
		Validator validator() {
			return new Validator() {

				@Override
				public boolean supports(Class<?> type) {
					return true;
				}

				@Override
				public void validate(Object target, Errors errors) {
					errors.rejectValue("cents", "order.cents");
				}

			};
		}

	}

	@Test
	void logAndDeadLetterHaveThePositionAndTheFullCauseIsLoggedAtDebug() {
		DeadLetter letter = dead("orders", new Written("4711x"));

		assertThat(letter.reason()).isEqualTo("UNREADABLE");
		assertThat(letter.message()).contains("cannot be read as " + Order.class.getName())
			.contains("tools.jackson.databind.exc.InvalidFormatException at Order[\"cents\"]");
		assertNotReported(letter, 1);
		assertThat(texts(Level.DEBUG)).anySatisfy((text) -> assertThat(text).contains("4711x"));
	}

	@Test
	void everyAttemptReportsThePositionOnly() {
		assertNotReported(dead("twice", new Written("4711x")), 2);
	}

	@Test
	void invalidPayloadIsReportedByFieldAndCode() {
		DeadLetter letter = dead("valid", new Order(4711));

		assertThat(letter.message()).endsWith("the payload is not valid: cents order.cents");
		assertNotReported(letter, 1);
	}

	private DeadLetter dead(String name, Object payload) {
		this.queue.schedule(ScheduleRequest.to(name).payload(payload).id("m").delay(Duration.ZERO));
		Awaitility.await().until(() -> this.admin.deadLetter(MessageKey.of(name, "m")).isPresent());
		return this.admin.deadLetter(MessageKey.of(name, "m")).orElseThrow();
	}

	private void assertNotReported(DeadLetter letter, int attempts) {
		assertThat(letter.toString()).doesNotContain("4711");
		List<String> logged = texts(Level.WARN, Level.ERROR);
		assertThat(logged).filteredOn((text) -> text.contains("Message 'm'"))
			.hasSize(attempts)
			.allSatisfy((text) -> assertThat(text).contains(letter.message()).doesNotContain("4711"));
	}

	private List<String> texts(Level... levels) {
		return this.lines.list.stream()
			.filter((line) -> List.of(levels).contains(line.getLevel()))
			.map((line) -> line.getFormattedMessage() + " " + ThrowableProxyUtil.asString(line.getThrowableProxy()))
			.toList();
	}

}
