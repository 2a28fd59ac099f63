package io.delayqueue.sample;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

/**
 * The sample is what a user would write: of the library it knows the API alone.
 */
@AnalyzeClasses(packages = "io.delayqueue.sample", importOptions = ImportOption.DoNotIncludeTests.class)
class SampleRulesTests {

	private static final String API = "io.delayqueue";

	@ArchTest
	static final ArchRule onlyTheApiIsKnown = noClasses().should()
		.dependOnClassesThat(DescribedPredicate.describe("are of the library but not of its API", (type) -> isOurs(type)
				&& !type.getPackageName().equals(API) && !isIn(type, ".sample") && !isIn(type, ".test.redis")));

	/** So that the rule above cannot hold for want of anything to look at. */
	@ArchTest
	static final ArchRule theApiIsUsed = classes().that()
		.haveSimpleName("OrderTimeouts")
		.should()
		.dependOnClassesThat()
		.resideInAPackage(API);

	/** A Redis of its own is what the sample starts where none is configured. */
	@ArchTest
	static final ArchRule onlyTheRoomOfRedisStartsOne = noClasses().that()
		.resideOutsideOfPackage("io.delayqueue.sample.redis")
		.should()
		.dependOnClassesThat()
		.resideInAPackage("io.delayqueue.test.redis");

	/** Each feature can be read, and taken, by itself. */
	@ArchTest
	static final ArchRule featuresDoNotKnowEachOther = slices().matching("io.delayqueue.sample.(*)..")
		.should()
		.notDependOnEachOther()
		.ignoreDependency(DescribedPredicate.alwaysTrue(), resideInAnyPackage("..sample.web..", "..sample.redis.."));

	private static boolean isOurs(JavaClass type) {
		return type.getPackageName().equals(API) || isIn(type, "");
	}

	private static boolean isIn(JavaClass type, String room) {
		return (type.getPackageName() + ".").startsWith(API + room + ".");
	}

}
