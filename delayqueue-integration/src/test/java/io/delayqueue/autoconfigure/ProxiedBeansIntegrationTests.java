package io.delayqueue.autoconfigure;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.RecurringOperations;
import io.delayqueue.actuate.fixture.WebApplication;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.test.redis.SharedRedis;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.Advisor;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.autoproxy.DefaultAdvisorAutoProxyCreator;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The beans of the library in an application whose aspects match all beans.
 */
@Tag("slow")
class ProxiedBeansIntegrationTests {

	@ParameterizedTest
	@ValueSource(strings = { "server.shutdown=immediate", WebApplication.REACTIVE })
	void anAspectThatMatchesAllBeansBreaksNothing(String property) {
		try (WebApplication application = WebApplication.start(SharedRedis.get().uri(), Aspects.class, property)) {
			ApplicationContext context = application.bean(Aspects.class).context;
			assertThat(beansOfTheLibrary(context)).hasSizeGreaterThan(25)
				.allSatisfy((name) -> assertThat(context.getBean(name)).as(name)
					.satisfiesAnyOf((bean) -> assertThat(bean).isInstanceOf(AopInfrastructureBean.class),
							(bean) -> assertThat(AopUtils.isAopProxy(bean)).isTrue()));
			application.bean(DelayQueueOperations.class).schedule("advised", "a", Duration.ZERO);
			await().until(() -> application.bean(Aspects.class).handled.contains("a"));
			assertThat(application.get("/actuator/delayqueue/advised").json().get("name").asString())
				.isEqualTo("advised");
			assertThat(application.get("/actuator/delayqueuedashboard").status()).isEqualTo(200);
			assertThat(application.get("/actuator/health").json().get("components").get("delayqueue").get("status"))
				.hasToString("\"UP\"");
			assertThat(application.bean(DelayQueueAdmin.class).status("advised").queue()).isEqualTo("advised");
			assertThat(application.bean(RecurringOperations.class).get("advised", "none")).isEmpty();
			assertThat(Aspects.called).contains("schedule", "health", "queue", "status", "get");
		}
	}

	/** The names of all beans of the library, with those that Spring defines for it. */
	private static List<String> beansOfTheLibrary(ApplicationContext context) {
		return Arrays.stream(context.getBeanDefinitionNames()).filter((name) -> {
			Class<?> declared = AopUtils.getTargetClass(context.getBean(name));
			return declared.getName().startsWith("io.delayqueue.") && !declared.getName().contains("Tests")
					&& !declared.getName().contains(".fixture.");
		}).toList();
	}

	@Configuration(proxyBeanMethods = false)
	static class Aspects {

		static final Set<String> called = ConcurrentHashMap.newKeySet();

		final Set<String> handled = ConcurrentHashMap.newKeySet();

		final ApplicationContext context;

		Aspects(ApplicationContext context) {
			this.context = context;
		}

		@DelayedListener(queue = "advised")
		void handle(String payload) {
			this.handled.add(payload);
		}

		@Bean
		static DefaultAdvisorAutoProxyCreator proxies() {
			DefaultAdvisorAutoProxyCreator creator = new DefaultAdvisorAutoProxyCreator();
			creator.setProxyTargetClass(true);
			return creator;
		}

		@Bean
		static Advisor aroundEverything() {
			StaticMethodMatcherPointcut everything = new StaticMethodMatcherPointcut() {

				@Override
				public boolean matches(Method method, Class<?> type) {
					return type.getName().startsWith("io.delayqueue.") && type != Aspects.class;
				}

			};
			return new DefaultPointcutAdvisor(everything, (MethodInterceptor) (call) -> {
				called.add(call.getMethod().getName());
				return call.proceed();
			});
		}

	}

}
