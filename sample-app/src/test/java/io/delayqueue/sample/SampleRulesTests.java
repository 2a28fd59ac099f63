package io.delayqueue.sample;

import java.util.Set;

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
 * The sample is an example of a user's application: it depends only on the API of the
 * library.
 */
@AnalyzeClasses(packages = "io.delayqueue.sample", importOptions = ImportOption.DoNotIncludeTests.class)
class SampleRulesTests {

	private static final String ROOT = "io.delayqueue";

	private static final Set<String> API = Set.of(ROOT, ROOT + ".admin", ROOT + ".event", ROOT + ".outbox");

	@ArchTest
	static final ArchRule onlyTheApiIsKnown = noClasses().should()
		.dependOnClassesThat(DescribedPredicate.describe("belong to the library but not to its API",
				(type) -> isOfLibrary(type) && !API.contains(type.getPackageName()) && !isIn(type, ".sample")
						&& !isIn(type, ".test.redis")));

	/** Checks that the rule above is not applied to an empty set of classes. */
	@ArchTest
	static final ArchRule theApiIsUsed = classes().that()
		.haveSimpleName("OrderTimeouts")
		.should()
		.dependOnClassesThat()
		.resideInAPackage(ROOT);

	/** Only the package {@code redis} starts a server. */
	@ArchTest
	static final ArchRule onlyTheRedisPackageStartsAServer = noClasses().that()
		.resideOutsideOfPackage("io.delayqueue.sample.redis")
		.should()
		.dependOnClassesThat()
		.resideInAPackage("io.delayqueue.test.redis");

	/** The features do not depend on each other. */
	@ArchTest
	static final ArchRule featuresDoNotDependOnEachOther = slices().matching("io.delayqueue.sample.(*)..")
		.should()
		.notDependOnEachOther()
		.ignoreDependency(DescribedPredicate.alwaysTrue(), resideInAnyPackage("..sample.web..", "..sample.redis.."));

	private static boolean isOfLibrary(JavaClass type) {
		return type.getPackageName().equals(ROOT) || isIn(type, "");
	}

	private static boolean isIn(JavaClass type, String packageName) {
		return (type.getPackageName() + ".").startsWith(ROOT + packageName + ".");
	}

}
