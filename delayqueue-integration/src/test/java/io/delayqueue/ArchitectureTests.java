package io.delayqueue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import io.delayqueue.queue.GeneratedIds;
import io.delayqueue.queue.ProcessName;
import io.delayqueue.queue.RandomBits;
import io.delayqueue.record.CallToken;
import org.jspecify.annotations.NullMarked;

import org.springframework.context.annotation.Bean;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The dependencies between packages, as ARCHITECTURE.md describes them.
 */
@AnalyzeClasses(packages = "io.delayqueue", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTests {

	private static final String ROOT = "io.delayqueue";

	private static final String API = "";

	/** What every actor may use. */
	private static final Set<String> FOUNDATION = Set.of(API, "admin", "event", "queue", "redis", "record", "lifecycle",
			"store", "observe");

	private static final Set<String> FLEET = Stream.concat(FOUNDATION.stream(), Stream.of("fleet"))
		.collect(Collectors.toSet());

	private static final Map<String, Set<String>> ALLOWED = Map.ofEntries(Map.entry(API, Set.of()),
			Map.entry("admin", Set.of(API)), Map.entry("event", Set.of(API, "admin")), Map.entry("queue", Set.of(API)),
			Map.entry("redis", Set.of()), Map.entry("record", Set.of(API, "queue")),
			Map.entry("lifecycle", Set.of(API, "queue", "redis")),
			Map.entry("store", Set.of(API, "admin", "queue", "redis", "record")),
			Map.entry("server", Set.of(API, "queue", "redis", "store")),
			Map.entry("observe", Set.of(API, "admin", "event", "queue", "redis", "store")),
			Map.entry("schedule", FLEET), Map.entry("operate", FLEET), Map.entry("fleet", FOUNDATION),
			Map.entry("delivery", FLEET),
			Map.entry("recurring", Stream.concat(FLEET.stream(), Stream.of("schedule")).collect(Collectors.toSet())),
			Map.entry("maintain", FLEET), Map.entry("listener", Set.of(API, "queue", "observe", "delivery")),
			Map.entry("engine",
					Set.of(API, "admin", "queue", "redis", "lifecycle", "store", "observe", "schedule", "fleet",
							"operate", "delivery", "maintain", "recurring")),
			Map.entry("actuate", Set.of(API, "admin", "event", "queue", "redis", "record", "lifecycle", "store",
					"server", "observe", "operate", "listener", "fleet")));

	private static final DescribedPredicate<JavaClass> ARE_AUTO_CONFIGURATIONS = DescribedPredicate
		.describe("are auto-configurations or nested in one", (type) -> type.getName().contains("AutoConfiguration"));

	@ArchTest
	static final ArchRule packagesAreFreeOfCycles = slices().matching("io.delayqueue.(*)..").should().beFreeOfCycles();

	@ArchTest
	static final ArchRule everyPackageIsNullMarked = classes()
		.should(new ArchCondition<>("be in a @NullMarked package") {

			@Override
			public void check(JavaClass item, ConditionEvents events) {
				if (!item.getPackage().isAnnotatedWith(NullMarked.class)) {
					events.add(SimpleConditionEvent.violated(item, item.getPackageName() + " is not @NullMarked"));
				}
			}

		});

	@ArchTest
	static final ArchRule onlyRedisStoreAndServerUseRedisClients = noClasses().that()
		.resideOutsideOfPackages("io.delayqueue.redis", "io.delayqueue.store", "io.delayqueue.server",
				"io.delayqueue.engine", "io.delayqueue.autoconfigure", "io.delayqueue.test..")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("org.springframework.data.redis..", "redis.clients..", "io.lettuce..");

	@ArchTest
	static final ArchRule autoConfigurationsArePublicAndFinal = classes().that(ARE_AUTO_CONFIGURATIONS)
		.and()
		.areTopLevelClasses()
		.should()
		.bePublic()
		.andShould()
		.haveModifier(JavaModifier.FINAL);

	/** Lambdas are synthetic. */
	@ArchTest
	static final ArchRule autoConfigurationsContainOnlyBeanMethods = methods().that()
		.areDeclaredInClassesThat(ARE_AUTO_CONFIGURATIONS)
		.and()
		.doNotHaveModifier(JavaModifier.SYNTHETIC)
		.should()
		.beAnnotatedWith(Bean.class)
		.andShould()
		.bePackagePrivate();

	@ArchTest
	static final ArchRule autoConfigurationsHaveNoState = fields().that()
		.areDeclaredInClassesThat(ARE_AUTO_CONFIGURATIONS)
		.should()
		.beStatic()
		.andShould()
		.beFinal();

	/** The only sleep is between two tries of a call, in the caller's thread. */
	@ArchTest
	static final ArchRule onlyCallRetrySleeps = noClasses().that()
		.doNotHaveFullyQualifiedName("io.delayqueue.redis.CallRetry")
		.should()
		.accessTargetWhere(isOneOf("sleep", Thread.class, TimeUnit.class));

	/**
	 * Time comes from Redis. The clock of the machine is used only in generated ids, from
	 * which no time is computed, and in the check at the start, which receives it as an
	 * argument.
	 */
	@ArchTest
	static final ArchRule theClockOfTheMachineIsNotRead = noClasses().that()
		.doNotHaveFullyQualifiedName("io.delayqueue.schedule.Requests")
		.and()
		.doNotHaveFullyQualifiedName("io.delayqueue.autoconfigure.DelayQueueAutoConfiguration")
		.should()
		.accessTargetWhere(isOneOf("currentTimeMillis|now|system.*", System.class, Instant.class, Clock.class,
				InstantSource.class, LocalDateTime.class, OffsetDateTime.class, ZonedDateTime.class))
		.orShould()
		.callConstructor(Date.class);

	@ArchTest
	static void everyPackageHasARule(JavaClasses classes) {
		assertThat(classes.stream()
			.map(JavaClass::getPackageName)
			.filter((name) -> !name.startsWith(ROOT + ".test"))
			.distinct())
			.as("packages with a rule")
			.containsExactlyInAnyOrderElementsOf(Stream.concat(ALLOWED.keySet().stream(), Stream.of("autoconfigure"))
				.map(ArchitectureTests::packageOf)
				.toList());
	}

	@ArchTest
	static final ArchRule namesUniqueToAProcessUseFreshRandomBits = classes().that()
		.belongToAnyOf(GeneratedIds.class, ProcessName.class, CallToken.class)
		.should()
		.dependOnClassesThat()
		.belongToAnyOf(RandomBits.class)
		.andShould()
		.onlyDependOnClassesThat()
		.areNotAssignableTo(Random.class)
		.andShould()
		.onlyDependOnClassesThat()
		.areNotAssignableTo(UUID.class);

	@ArchTest
	static void eachPackageHasOnlyItsAllowedDependencies(JavaClasses classes) {
		ALLOWED.forEach((name, dependencies) -> {
			List<String> allowed = dependencies.stream().map(ArchitectureTests::packageOf).toList();
			DescribedPredicate<JavaClass> forbidden = DescribedPredicate.describe("forbidden dependencies",
					(type) -> type.getPackageName().startsWith(ROOT)
							&& !type.getPackageName().startsWith(ROOT + ".test")
							&& !type.getPackageName().equals(packageOf(name))
							&& !allowed.contains(type.getPackageName()));
			noClasses().that(resideInAPackage(packageOf(name))).should().dependOnClassesThat(forbidden).check(classes);
		});
	}

	/** Documents and reports refer to a test by its simple name. */
	@ArchTest
	static void noTwoTestClassesShareAName(JavaClasses classes) throws IOException {
		try (Stream<Path> modules = Files.list(Path.of(".."))) {
			assertThat(modules.map((module) -> module.resolve(Path.of("src", "test", "java")))
				.filter(Files::isDirectory)
				.flatMap(ArchitectureTests::namesOfTests)).hasSizeGreaterThan(300).doesNotHaveDuplicates();
		}
	}

	private static Stream<String> namesOfTests(Path sources) {
		try (Stream<Path> files = Files.walk(sources)) {
			return files.map((file) -> file.getFileName().toString())
				.filter((name) -> name.endsWith("Tests.java"))
				.toList()
				.stream();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static DescribedPredicate<JavaAccess<?>> isOneOf(String methods, Class<?>... owners) {
		return DescribedPredicate.describe("the target is a method " + methods + " of " + Arrays.toString(owners),
				(access) -> access.getTarget().getName().matches(methods)
						&& Arrays.stream(owners).anyMatch(access.getTargetOwner()::isEquivalentTo));
	}

	private static String packageOf(String name) {
		return name.isEmpty() ? ROOT : ROOT + "." + name;
	}

}
