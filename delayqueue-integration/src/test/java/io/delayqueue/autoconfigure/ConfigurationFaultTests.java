package io.delayqueue.autoconfigure;

import java.util.List;

import io.delayqueue.autoconfigure.InvalidConfigurationException.Fault;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Invalid properties prevent the start, and are reported in one message.
 */
class ConfigurationFaultTests {

	@Test
	void theDefaultsAreValid() {
		assertThat(Configured.faults()).isEmpty();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					key-prefix            | a b   | must be 1 to 100 characters of [A-Za-z0-9._:-], the first one a letter or a digit
					key-prefix            | {a}   | must be 1 to 100 characters of [A-Za-z0-9._:-], the first one a letter or a digit
					schedule.deadline     | 0s    | must be from 1ms to 1h
					schedule.deadline     | 61m   | must be from 1ms to 1h
					sweeper.interval      | 9ms   | must be from 10ms to 1m
					sweeper.interval      | 61s   | must be from 10ms to 1m
					sweeper.batch-size    | 0     | must be from 1 to 1000
					sweeper.batch-size    | 1001  | must be from 1 to 1000
					sweeper.high-water-mark | -1  | must be from 0 to 1000000
					maintenance.interval  | 9s    | must be from 10s to 1d
					maintenance.interval  | 25h   | must be from 10s to 1d
					health.max-overdue    | -1s   | must be from 0s to 365d
					health.max-overdue    | 366d  | must be from 0s to 365d
					health.tolerated-outage | -1s | must be from 0s to 1h
					health.tolerated-outage | 61m | must be from 0s to 1h
					""")
	void faultOfPropertyOutOfBoundsNamesValueAndBounds(String property, String value, String problem) {
		assertThat(Configured.faults("delayqueue." + property + "=" + value)).singleElement().satisfies((fault) -> {
			assertThat(fault).hasToString("delayqueue." + property + " is '" + value + "' but " + problem);
			assertThat(fault.fix()).contains("delayqueue." + property);
		});
	}

	@Test
	void faultOfAPlaceholderNamesThePropertyThatIsMissing() {
		assertThat(Configured.faults("delayqueue.key-prefix=${spring.application.name}")).singleElement()
			.satisfies((fault) -> {
				assertThat(fault).hasToString("delayqueue.key-prefix is '${spring.application.name}'"
						+ " but there is no property 'spring.application.name'");
				assertThat(fault.fix()).startsWith("Set spring.application.name, or ");
			});
		assertThat(
				Configured.faults("delayqueue.key-prefix=${spring.application.name}", "spring.application.name=shop"))
			.isEmpty();
		for (String property : List.of("concurrency", "max-delay", "max-payload-size")) {
			assertThat(Configured.faults("delayqueue.defaults." + property + "=${orders.limit}")).singleElement()
				.asString()
				.endsWith("is '${orders.limit}' but there is no property 'orders.limit'");
		}
		assertThat(Configured.faults("delayqueue.defaults.concurrency=${orders.limit}", "orders.limit=many"))
			.singleElement()
			.asString()
			.endsWith("must be a whole number");
	}

	@Test
	void faultOfTheTimeForAStopNamesThePropertyOfSpring() {
		assertThat(Configured.faults("spring.lifecycle.timeout-per-shutdown-phase=0s")).singleElement()
			.satisfies((fault) -> {
				assertThat(fault).asString()
					.startsWith("spring.lifecycle.timeout-per-shutdown-phase is '0s' but must be more than 0");
				assertThat(fault.fix()).contains("spring.lifecycle.timeout-per-shutdown-phase");
			});
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			partitions                   | 1025   | must be from 1 to 1024
			concurrency                  | 0      | must be from 1 to 10000
			visibility-timeout           | 999ms  | must be from 1s to 12h
			max-delay                    | 36501d | must be from 1s to 36500d
			max-payload-size             | 0B     | must be from 1B to 16MB
			max-payload-size             | 4GB    | must be from 1B to 16MB
			done-window-of-generated-ids | 25h    | must be from 1s to 1d
			done-window                  | 31d    | must be from 1s to 30d
			max-attempts                 | 0      | must be from 1 to 10000
			max-crashes                  | 101    | must be from 1 to 100
			max-defers                   | -1     | must be from 0 to 1000000
			unreadable-attempts          | 0      | must be from 1 to 10000
			timeout                      | 366d   | must be from 1s to 365d
			max-hold                     | 366d   | must be from 1s to 365d
			max-hold                     | 0s     | must be from 1s to 365d
			back-off.delays              | 1s,-1s | each must be from 0 to 3650 days
			back-off.delays              | 3651d  | each must be from 0 to 3650 days
			back-off.delays              | ''     | must have one delay or more
			back-off.first               | 0s     | must be from 1 ms to 3650 days
			back-off.step                | -1s    | must be from 0 to 3650 days
			back-off.multiplier          | 0.5    | must be from 1 to 100
			back-off.max                 | 1ms    | must be at least the first wait, which is 1s, and at most 3650 days
			back-off.jitter              | 1.5    | must be from 0 to 1
			never-retried                | java.lang.String | must name exceptions
			group.quota                  | -1     | must be from 0 to 1000000
			group.quota                  | 1000001 | must be from 0 to 1000000
			group.concurrency            | -1     | must be from 0 to 10000
			group.concurrency            | 10001  | must be from 0 to 10000
			group.max-active             | 0      | must be from 1 to 100000
			group.max-active             | 100001 | must be from 1 to 100000
			expiry.after                 | 0s     | must be from 1ms to 3650d
			expiry.after                 | 3651d  | must be from 1ms to 3650d
			""")
	void queueSettingOutOfBoundsIsReportedOnceForThePropertyThatIsSet(String setting, String value, String problem) {
		for (String path : List.of("delayqueue.defaults.", "delayqueue.queues.orders.")) {
			assertThat(Configured.faults(path + setting + "=" + value, "delayqueue.queues.other.concurrency=3"))
				.singleElement()
				.satisfies((fault) -> {
					assertThat(fault).hasToString(path + setting + " is '" + value + "' but " + problem);
					assertThat(fault.fix()).contains(path + setting);
				});
		}
	}

	@Test
	void allFaultsAreReportedAtOnce() {
		assertThat(Configured.faults("delayqueue.key-prefix=a b", "delayqueue.schedule.deadline=0s",
				"delayqueue.sweeper.interval=0s", "delayqueue.sweeper.batch-size=0", "delayqueue.defaults.partitions=0",
				"delayqueue.defaults.back-off.first=0s", "delayqueue.defaults.back-off.jitter=2",
				"delayqueue.queues.orders.concurrency=0", "delayqueue.queues.orders.partitions=0",
				"delayqueue.queues.[a.b].max-attempts=0", "delayqueue.queues.[a b].max-crashes=0"))
			.extracting(Fault::property)
			.containsExactlyInAnyOrder("delayqueue.key-prefix", "delayqueue.schedule.deadline",
					"delayqueue.sweeper.interval", "delayqueue.sweeper.batch-size", "delayqueue.defaults.partitions",
					"delayqueue.defaults.back-off.first", "delayqueue.defaults.back-off.jitter",
					"delayqueue.queues.orders.concurrency", "delayqueue.queues.orders.partitions",
					"delayqueue.queues.[a.b].max-attempts", "a name under delayqueue.queues",
					"delayqueue.queues.[a b].max-crashes");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			delayqueue.defaults.done-window-of-generated-ids      | 9s
			delayqueue.defaults.done-window                       | 9999ms
			delayqueue.queues.orders.done-window-of-generated-ids | 9s
			delayqueue.queues.orders.done-window                  | 9s
			""")
	void doneWindowMustBeAtLeastTwiceTheDeadline(String property, String window) {
		assertThat(Configured.faults(property + "=" + window)).singleElement().satisfies((fault) -> {
			assertThat(fault.property()).isEqualTo(property);
			assertThat(fault.problem()).contains("at least 10s", "delayqueue.schedule.deadline");
			assertThat(fault.fix()).contains(property + " to 10s", "delayqueue.schedule.deadline to ");
		});
		assertThat(Configured.faults(property + "=" + window, "delayqueue.schedule.deadline=4s")).isEmpty();
	}

	@Test
	void longerDeadlineRequiresLongerDoneWindow() {
		assertThat(Configured.faults("delayqueue.schedule.deadline=10s")).singleElement()
			.extracting(Fault::property)
			.isEqualTo("delayqueue.defaults.done-window-of-generated-ids");
		assertThat(Configured.faults("delayqueue.schedule.deadline=10s",
				"delayqueue.defaults.done-window-of-generated-ids=20s"))
			.isEmpty();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			sweeper.batch-size                | many         | must be a whole number
			sweeper.enabled                   | perhaps      | must be true or false
			startup-checks                    | maybe        | must be one of fail, warn, off
			sweeper.interval                  | soon         | must be a time, such as 500ms, 5s, 2m, 1h or 7d
			defaults.max-payload-size         | big          | must be a size, such as 64KB or 1MB
			defaults.back-off.jitter          | some         | must be a number
			defaults.back-off.delays          | 1s,soon      | must be a time, such as 500ms, 5s, 2m, 1h or 7d
			defaults.never-retried            | no.such.Type | must name a class that exists
			queues.orders.visibility-timeout  | long         | must be a time, such as 500ms, 5s, 2m, 1h or 7d
			queues.orders.back-off.multiplier | x            | must be a number
			defaults.group.when-full          | newest       | must be one of reject, drop-oldest
			queues.orders.group.when-full     | newest       | must be one of reject, drop-oldest
			queues.orders.group.quota         | many         | must be a whole number
			defaults.expiry.then              | keep         | must be one of dead-letter, drop
			queues.orders.expiry.then         | keep         | must be one of dead-letter, drop
			queues.orders.groups.overrides.hot.dedicated | perhaps | must be true or false
			queues.orders.groups.overrides.hot | 3           | must have no value of its own, only properties below it
			queues.orders                     | 3            | must have no value of its own, only properties below it
			sweeper                           | 3            | must have no value of its own, only properties below it
			""")
	void valueOfWrongTypeIsAFault(String property, String value, String problem) {
		assertThat(Configured.faults("delayqueue." + property + "=" + value)).singleElement().satisfies((fault) -> {
			assertThat(fault).hasToString("delayqueue." + property + " is '" + value + "' but " + problem);
			assertThat(fault.fix()).contains("delayqueue." + property);
		});
	}

	@Test
	void faultsOfAllKindsAreReportedTogether() {
		assertThat(Configured.faults("delayqueue.sweeper.batch-size=many", "delayqueue.swepper.interval=1s",
				"delayqueue.schedule.deadline=0s", "delayqueue.queues.orders.concurrency=0",
				"delayqueue.queues.orders.max-delay=x", "delayqueue.queues.orders.max-dely=1s"))
			.extracting(Fault::property)
			.containsExactlyInAnyOrder("delayqueue.sweeper.batch-size", "delayqueue.swepper.interval",
					"delayqueue.schedule.deadline", "delayqueue.queues.orders.concurrency",
					"delayqueue.queues.orders.max-delay", "delayqueue.queues.orders.max-dely");
	}

	@Test
	void bindingOfOtherPropertiesIsUnchanged() {
		Configured.RUNNER.withUserConfiguration(OtherProperties.class)
			.withPropertyValues("other.number=many")
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.isInstanceOf(NumberFormatException.class));
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void allFaultsAndTheirFixesArePrinted(CapturedOutput output) {
		SpringApplicationBuilder application = new SpringApplicationBuilder(Application.class)
			.web(WebApplicationType.NONE);
		assertThat(catchThrowable(() -> application.run("--spring.data.redis.client-type=jedis",
				"--delayqueue.sweeper.interval=2m", "--delayqueue.queues.orders.visibility-timeout=500ms",
				"--spring.main.lazy-initialization=true")))
			.hasRootCauseInstanceOf(InvalidConfigurationException.class);
		assertThat(output.getAll().replace(System.lineSeparator(), "\n")).contains("""
				APPLICATION FAILED TO START
				***************************

				Description:

				The configuration of delayed messages is invalid:
				    1. delayqueue.sweeper.interval is '2m' but must be from 10ms to 1m
				    2. delayqueue.queues.orders.visibility-timeout is '500ms' but must be from 1s to 12h

				Action:

				Correct the properties:
				    1. Set delayqueue.sweeper.interval to a value from 10ms to 1m
				    2. Set delayqueue.queues.orders.visibility-timeout to a value from 1s to 12h
				""");
	}

	@ConfigurationProperties("other")
	record Other(int number) {
	}

	@Configuration(proxyBeanMethods = false)
	@EnableConfigurationProperties(Other.class)
	static class OtherProperties {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

}
