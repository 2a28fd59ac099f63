package io.delayqueue.autoconfigure;

import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.Queues;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.context.ConfigDataApplicationContextInitializer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Unknown or misspelled names of properties and queues prevent the start.
 */
class PropertyNameFaultTests {

	@ParameterizedTest
	@CsvSource({ "delayqueue.key-prefx, delayqueue.key-prefix",
			"delayqueue.defaults.max-attempt, delayqueue.defaults.max-attempts",
			"delayqueue.queues.orders.maxAttemps, delayqueue.queues.orders.max-attempts",
			"delayqueue.queues[a.b].tmeout, delayqueue.queues[a.b].timeout",
			"delayqueue.queues.orders.back-off.frst, delayqueue.queues.orders.back-off.first",
			"delayqueue.queues.orders.grop.concurrency, delayqueue.queues.orders.group" })
	void theMostSimilarPropertyIsNamed(String written, String meant) {
		assertThat(Configured.faults(written + "=3")).singleElement()
			.satisfies((fault) -> assertThat(fault.fix()).contains("(is " + meant + " meant?)"));
	}

	@Test
	void noPropertyIsNamedIfNoneIsSimilar() {
		assertThat(Configured.faults("delayqueue.queues.orders.a.b=3", "delayqueue.queues.orders.colour=3")).hasSize(2)
			.allSatisfy((fault) -> assertThat(fault.fix()).doesNotContain("meant"));
	}

	@Test
	void invalidQueueNameIsReportedWithTheNamingRule() {
		assertThat(Configured.faults("delayqueue.queues.[order timeout].concurrency=3")).singleElement()
			.hasToString("a name under delayqueue.queues is 'order timeout' but must be 1 to 100 characters of"
					+ " [A-Za-z0-9._-], the first one a letter or a digit");
	}

	@ParameterizedTest
	@ValueSource(strings = { "delayqueue.key-prefx", "delayqueue.queues.orders.max-attemps",
			"delayqueue.queues.a.b.max-attempts", "delayqueue.defaults.groups.overrides.hot.weight",
			"delayqueue.queues.orders.group.overrides.hot.weight",
			"delayqueue.queues.orders.groups.overrides.hot.wieght",
			"delayqueue.queues.orders.groups.overrides.a.b.weight" })
	void unknownPropertyIsAFault(String property) {
		assertThat(Configured.faults(property + "=3")).singleElement().satisfies((fault) -> {
			assertThat(fault).hasToString(property + " is '3' but there is no such property");
			assertThat(fault.fix()).contains(property);
		});
	}

	@Test
	void fixOfUnknownPropertyWithDotMentionsBrackets() {
		assertThat(Configured.faults("delayqueue.queues.orders.groups.overrides.a.b.weight=3")).singleElement()
			.satisfies((fault) -> assertThat(fault.fix())
				.contains("write a queue name or group key that contains a dot in brackets"));
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "delayqueue.queues.a/b.concurrency", "delayqueue.queues.orders.groups.overrides.game:1.weight",
					"delayqueue.queues.orders.groups.overrides.用户.weight",
					"delayqueue.queues.orders.groups.overrides.a b.weight",
					"delayqueue.queues.orders.groups.overrides.a/b.wieght",
					"delayqueue.queues.orders.groups.overrides.[a/b]/c.weight" })
	void propertyNameWithDroppedCharactersIsAFault(String property) {
		assertThat(Configured.faults(property + "=3")).singleElement().satisfies((fault) -> {
			assertThat(fault).hasToString(
					property + " is '3' but characters other than letters, digits, - and _ are dropped from its name");
			assertThat(fault.fix()).contains("in brackets", property);
		});
	}

	@Test
	void propertyNameWithDroppedCharactersInFileIsAFault() {
		Configured.RUNNER.withInitializer(new ConfigDataApplicationContextInitializer())
			.withPropertyValues("spring.config.location=classpath:io/delayqueue/autoconfigure/cut-names.yaml")
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.hasMessageContaining("delayqueue.queues.orders.groups.overrides.game:1.weight is '3' but characters"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "order_timeout", "orderTimeout", "[order.timeout]" })
	void queueNameWithDotIsBoundIfWrittenInBrackets(String name) {
		Configured.RUNNER.withPropertyValues("delayqueue.queues." + name + ".max-attempts=3").run((context) -> {
			QueueSettings settings = context.getBean(Queues.class).settings(name.replaceAll("[\\[\\]]", ""));
			assertThat(settings.retry().maxAttempts()).isEqualTo(3);
		});
	}

}
