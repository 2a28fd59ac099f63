package io.delayqueue;

import java.util.Set;
import java.util.stream.Collectors;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTag;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import org.junit.platform.commons.annotation.Testable;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Fixtures are in a package {@code fixture} below the package of their tests, unless they
 * need package-private types.
 */
@ArchTag("slow")
@AnalyzeClasses(packages = "io.delayqueue", importOptions = ImportOption.OnlyIncludeTests.class)
class FixtureRulesTests {

	private static final String FIXTURE = ".fixture";

	private static final String FIXTURES = "io.delayqueue.*" + FIXTURE + "..";

	private static final DescribedPredicate<JavaClass> ARE_TESTS = DescribedPredicate.describe("are tests",
			FixtureRulesTests::isTest);

	/**
	 * Fixtures in the package of their tests: base classes, which share fields and a life
	 * cycle with the tests; fixtures that use package-private types of production code;
	 * and the screenshots of the documents, which run separately.
	 */
	private static final Set<String> BESIDE_TESTS = Set.of("io.delayqueue.journey.BatchJourney",
			"io.delayqueue.journey.OperatedQueue", "io.delayqueue.listener.SurroundedListeners",
			"io.delayqueue.actuate.TestProcess", "io.delayqueue.observe.TestStock",
			"io.delayqueue.actuate.DashboardScreenshots");

	@ArchTest
	static final ArchRule fixturesContainNoTests = noMethods().that()
		.areDeclaredInClassesThat()
		.resideInAPackage(FIXTURES)
		.should()
		.beMetaAnnotatedWith(Testable.class);

	@ArchTest
	static final ArchRule fixturesAreNotNamedAsTests = noClasses().that()
		.resideInAPackage(FIXTURES)
		.should()
		.haveSimpleNameEndingWith("Tests");

	@ArchTest
	static final ArchRule fixturesDependOnNoTests = noClasses().that()
		.resideInAPackage(FIXTURES)
		.should()
		.dependOnClassesThat(ARE_TESTS);

	@ArchTest
	static void packagesWithAFixturePackageContainOnlyTests(JavaClasses classes) {
		Set<String> tested = classes.stream()
			.map(JavaClass::getPackageName)
			.filter((name) -> name.endsWith(FIXTURE))
			.map((name) -> name.substring(0, name.length() - FIXTURE.length()))
			.collect(Collectors.toSet());
		assertThat(tested).contains("io.delayqueue.fault", "io.delayqueue.journey");
		assertThat(classes.stream()
			.filter((type) -> type.isTopLevelClass() && tested.contains(type.getPackageName()))
			.filter((type) -> !isTest(type) && !type.getSimpleName().equals("package-info"))
			.map(JavaClass::getName)).as("fixtures beside the tests").containsExactlyInAnyOrderElementsOf(BESIDE_TESTS);
	}

	private static boolean isTest(JavaClass type) {
		String name = type.getName();
		int nested = name.indexOf('$');
		return ((nested < 0) ? name : name.substring(0, nested)).endsWith("Tests");
	}

}
