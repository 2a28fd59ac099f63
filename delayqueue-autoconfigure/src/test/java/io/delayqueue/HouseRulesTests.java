package io.delayqueue;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;

import com.tngtech.archunit.base.DescribedPredicate;
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
import io.delayqueue.queue.RandomBits;
import org.jspecify.annotations.NullMarked;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

/**
 * The house as ARCHITECTURE.md draws it: which room may know which.
 */
@AnalyzeClasses(packages = "io.delayqueue", importOptions = ImportOption.DoNotIncludeTests.class)
class HouseRulesTests {

	private static final String ROOT = "io.delayqueue";

	private static final String API = "";

	private static final Set<String> FOUNDATION = Set.of(API, "queue", "lifecycle", "store", "observe");

	private static final Map<String, Set<String>> MAY_KNOW = Map.ofEntries(Map.entry(API, Set.of()),
			Map.entry("queue", Set.of(API)), Map.entry("lifecycle", Set.of()), Map.entry("store", Set.of(API, "queue")),
			Map.entry("observe", Set.of(API, "queue", "store")), Map.entry("schedule", FOUNDATION),
			Map.entry("operate", FOUNDATION), Map.entry("sweep", FOUNDATION), Map.entry("delivery", FOUNDATION),
			Map.entry("maintain", Set.of("queue", "lifecycle", "store", "observe")),
			Map.entry("listener", Set.of(API, "queue", "observe", "delivery")),
			Map.entry("actuate", Set.of(API, "queue", "lifecycle", "store", "observe", "operate", "listener")));

	@ArchTest
	static final ArchRule roomsAreFreeOfCycles = slices().matching("io.delayqueue.(*)..").should().beFreeOfCycles();

	@ArchTest
	static final ArchRule everyRoomIsNullMarked = classes()
		.should(new ArchCondition<>("live in a @NullMarked package") {

			@Override
			public void check(JavaClass item, ConditionEvents events) {
				if (!item.getPackage().isAnnotatedWith(NullMarked.class)) {
					events.add(SimpleConditionEvent.violated(item, item.getPackageName() + " is not @NullMarked"));
				}
			}

		});

	@ArchTest
	static final ArchRule onlyTheStoreSpeaksRedis = noClasses().that()
		.resideOutsideOfPackages("io.delayqueue.store", "io.delayqueue.autoconfigure")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("org.springframework.data.redis..", "redis.clients..", "io.lettuce..");

	@ArchTest
	static final ArchRule autoConfigurationsAreWiringOnly = classes().that()
		.haveSimpleNameEndingWith("AutoConfiguration")
		.should()
		.bePublic()
		.andShould()
		.haveModifier(JavaModifier.FINAL);

	@ArchTest
	static final ArchRule nobodySleeps = noClasses().should()
		.callMethod(Thread.class, "sleep", long.class)
		.orShould()
		.callMethod(System.class, "currentTimeMillis");

	@ArchTest
	static final ArchRule namesThatNoTwoProcessesShareDifferInClonesOfAProcess = classes().that()
		.haveNameMatching("io\\.delayqueue\\.(queue\\.GeneratedIds|store\\.CallToken|delivery\\.ConsumerName)")
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
	static void eachRoomKnowsOnlyWhatItMay(JavaClasses house) {
		MAY_KNOW.forEach((room, known) -> {
			List<String> allowed = known.stream().map(HouseRulesTests::packageOf).toList();
			DescribedPredicate<JavaClass> foreignRoom = DescribedPredicate.describe("a room that it may not know",
					(type) -> type.getPackageName().startsWith(ROOT)
							&& !type.getPackageName().startsWith(ROOT + ".test")
							&& !type.getPackageName().equals(packageOf(room))
							&& !allowed.contains(type.getPackageName()));
			noClasses().that(resideInAPackage(packageOf(room)))
				.should()
				.dependOnClassesThat(foreignRoom)
				.allowEmptyShould(true)
				.check(house);
		});
	}

	private static String packageOf(String room) {
		return room.isEmpty() ? ROOT : ROOT + "." + room;
	}

}
