package io.delayqueue.outbox;

import java.time.Clock;
import java.time.Instant;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

/**
 * The dependencies between the packages of the outbox and those of the core, as
 * ARCHITECTURE.md describes them.
 */
@AnalyzeClasses(packages = "io.delayqueue.outbox", importOptions = ImportOption.DoNotIncludeTests.class)
class OutboxArchitectureTests {

	@ArchTest
	static final ArchRule theApiUsesOnlyTheApi = only("io.delayqueue.outbox", "io.delayqueue");

	@ArchTest
	static final ArchRule theTableUsesPreparedCalls = only("io.delayqueue.outbox.jdbc", "io.delayqueue",
			"io.delayqueue.outbox", "io.delayqueue.queue", "io.delayqueue.record", "io.delayqueue.lifecycle",
			"io.delayqueue.store", "io.delayqueue.schedule", "io.delayqueue.engine");

	@ArchTest
	static final ArchRule theAutoConfigurationUsesTheEngine = only("io.delayqueue.outbox.autoconfigure",
			"io.delayqueue.outbox", "io.delayqueue.outbox.jdbc", "io.delayqueue.engine", "io.delayqueue.autoconfigure");

	@ArchTest
	static final ArchRule noClassUsesARedisClient = noClasses().should()
		.dependOnClassesThat()
		.resideInAnyPackage("org.springframework.data.redis..", "redis.clients..", "io.lettuce..");

	/** Time is that of the database. */
	@ArchTest
	static final ArchRule theClockOfTheMachineIsNotRead = noClasses().should()
		.callMethod(System.class, "currentTimeMillis")
		.orShould()
		.callMethod(Instant.class, "now")
		.orShould()
		.callMethod(Clock.class, "systemUTC");

	private static ArchRule only(String name, String... allowed) {
		return noClasses().that()
			.resideInAPackage(name)
			.should()
			.dependOnClassesThat(resideInAPackage("io.delayqueue..").and(not(resideInAPackage(name)))
				.and(not(resideInAnyPackage(allowed))));
	}

}
