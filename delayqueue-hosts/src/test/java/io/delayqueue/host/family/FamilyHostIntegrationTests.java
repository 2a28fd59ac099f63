package io.delayqueue.host.family;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;

import javax.sql.DataSource;

import io.delayqueue.host.HostComparison;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.TransactionManager;

class FamilyHostIntegrationTests {

	@Test
	void aChildSeesTheSameBeansAsBefore() throws ReflectiveOperationException {
		HostComparison.assertUnchanged(Parent.class, "spring.main.web-application-type=none");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Parent {

		@Bean
		Callable<String> work(ConfigurableApplicationContext parent) {
			return () -> {
				try (ConfigurableApplicationContext child = new SpringApplicationBuilder(Child.class).parent(parent)
					.web(WebApplicationType.NONE)
					.run()) {
					Map<String, List<String>> seen = new TreeMap<>();
					for (Class<?> type : List.of(DataSource.class, Executor.class, JsonMapper.class,
							TransactionManager.class, Tea.class)) {
						seen.put(type.getSimpleName(),
								List.of(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(child, type)));
					}
					return seen.toString();
				}
			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Child {

		@Bean
		Tea tea() {
			return new Tea();
		}

	}

	static class Tea {

	}

}
