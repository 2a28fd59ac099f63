package io.delayqueue.autoconfigure;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.PayloadConverter;
import io.delayqueue.admin.DelayQueueAdmin;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.propagation.Propagator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The auto-configured beans that an application may replace back off if it defines its
 * own; the other ones are few.
 */
@Tag("slow")
class OwnBeansTests {

	private static final WebApplicationContextRunner runner = new WebApplicationContextRunner()
		.withPropertyValues("spring.data.redis.client-type=jedis", "spring.data.redis.port=1",
				"management.endpoints.web.exposure.include=*")
		.withConfiguration(AutoConfigurations.of(autoConfigurations()))
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, MetricsAutoConfiguration.class,
				SimpleMetricsExportAutoConfiguration.class, HealthContributorRegistryAutoConfiguration.class,
				ObservationAutoConfiguration.class))
		.withBean(Tracer.class, () -> Tracer.NOOP)
		.withBean(Propagator.class, () -> Propagator.NOOP);

	/** Beans replaced by name, because other beans of their type have different tasks. */
	private static final Map<String, String> BY_NAME = Map.of("delayqueueHealthIndicator", "delayqueueHealthIndicator");

	/** Beans that do not exist in a servlet application on Java 17. */
	private static final Set<String> OTHER_ENVIRONMENTS = Set.of("delayQueueDashboardReactiveHeaders");

	private static final Map<String, Object> defaults = new HashMap<>();

	@BeforeAll
	static void recordDefaults() {
		runner.run((context) -> {
			assertThat(context).hasNotFailed();
			beans().map(Method::getName).forEach((name) -> defaults.put(name, context.getBean(name)));
		});
	}

	@AfterAll
	static void clearDefaults() {
		defaults.clear();
	}

	/** All bean methods, whether or not their conditions match here. */
	static Stream<Method> beans() {
		return Arrays.stream(autoConfigurations())
			.flatMap((type) -> Stream.concat(Stream.of(type), Arrays.stream(type.getDeclaredClasses())))
			.flatMap((type) -> Arrays.stream(type.getDeclaredMethods()))
			.filter((method) -> method.isAnnotationPresent(Bean.class))
			.filter((method) -> method.isAnnotationPresent(ConditionalOnMissingBean.class))
			.filter((method) -> !OTHER_ENVIRONMENTS.contains(method.getName()));
	}

	@ParameterizedTest
	@MethodSource("beans")
	void beanOfTheSameTypeReplacesTheDefault(Method bean) {
		String name = BY_NAME.getOrDefault(bean.getName(), "own");
		Object own = defaults.get(bean.getName());
		assertThat(own).isNotNull();
		// Reuses the default instance: only its type and the origin of its definition
		// matter
		runner.withInitializer((context) -> define((GenericApplicationContext) context, name, bean, own))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(definedByLibrary(context.getBeanFactory(), bean.getReturnType())).isEmpty();
				assertThat(context.getBean(name)).isSameAs(own);
			});
	}

	@ParameterizedTest
	@ValueSource(classes = { DelayQueueOperations.class, DelayQueueAdmin.class, PayloadConverter.class })
	<T> void anyImplementationReplacesTheDefault(Class<T> type) {
		T own = type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type },
				(proxy, method, arguments) -> method.getName().equals("toString") ? "own" : null));
		runner.withBean("own", type, () -> own).run((context) -> {
			assertThat(context).hasNotFailed().hasSingleBean(type);
			assertThat(context.getBean(type)).hasToString("own");
		});
	}

	@Test
	void theApplicationGetsFewBeans() {
		runner.run((context) -> assertThat(Arrays.stream(context.getBeanDefinitionNames())
			.filter((name) -> isOfLibrary(context.getBeanFactory().getBeanDefinition(name))))
			.hasSizeLessThanOrEqualTo(34));
	}

	private static void define(GenericApplicationContext context, String name, Method bean, Object instance) {
		RootBeanDefinition definition = new RootBeanDefinition();
		definition.setTargetType(bean.getReturnType());
		definition.setBeanClass(bean.getReturnType());
		definition.setInstanceSupplier(() -> instance);
		definition.setAutowireMode(AbstractBeanDefinition.AUTOWIRE_NO);
		definition.setDefaultCandidate(bean.getAnnotation(Bean.class).defaultCandidate());
		context.registerBeanDefinition(name, definition);
	}

	private static List<String> definedByLibrary(ConfigurableListableBeanFactory factory, Class<?> type) {
		return Arrays.stream(factory.getBeanNamesForType(type, true, false))
			.filter((name) -> isOfLibrary(factory.getBeanDefinition(name)))
			.toList();
	}

	private static boolean isOfLibrary(BeanDefinition definition) {
		String factory = definition.getFactoryBeanName();
		String described = String.valueOf(definition.getResourceDescription()) + factory;
		return definition.getFactoryMethodName() != null && Arrays.stream(autoConfigurations())
			.anyMatch((type) -> described.contains(ClassUtils.getShortName(type)));
	}

	private static Class<?>[] autoConfigurations() {
		return StreamSupport
			.stream(ImportCandidates.load(AutoConfiguration.class, OwnBeansTests.class.getClassLoader()).spliterator(),
					false)
			.filter((name) -> name.startsWith("io.delayqueue."))
			.map((name) -> ClassUtils.resolveClassName(name, null))
			.toArray(Class<?>[]::new);
	}

}
