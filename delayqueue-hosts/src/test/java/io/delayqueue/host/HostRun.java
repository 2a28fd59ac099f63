package io.delayqueue.host;

import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;

import org.apache.catalina.webresources.TomcatURLStreamHandlerFactory;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.util.ClassUtils;

/**
 * Starts a host, lets it work, and describes its beans. A class loader without the
 * starter loads this class too.
 */
public final class HostRun {

	private HostRun() {
	}

	/**
	 * Runs a host.
	 * @param application the class of an application with one {@link Callable} that does
	 * the work of the host and describes the result
	 * @param arguments the arguments of the application
	 * @return {@code work}: the result of the work; {@code beans}: the type of each bean;
	 * {@code origins}: where the definition of each bean comes from
	 * @throws Exception if the work fails
	 */
	public static Map<String, Map<String, String>> describe(Class<?> application, String[] arguments) throws Exception {
		// A process has one, not each class loader
		TomcatURLStreamHandlerFactory.disable();
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(application).run(arguments)) {
			Map<String, String> work = Map.of("result", String.valueOf(context.getBean(Callable.class).call()));
			Map<String, String> beans = new TreeMap<>();
			Map<String, String> origins = new TreeMap<>();
			for (String name : context.getBeanDefinitionNames()) {
				BeanDefinition definition = context.getBeanFactory().getMergedBeanDefinition(name);
				if (!definition.isAbstract()) {
					beans.put(name, type(context, name));
					origins.put(name, definition.getBeanClassName() + " " + definition.getFactoryBeanName() + " "
							+ definition.getResourceDescription());
				}
			}
			return Map.of("work", work, "beans", beans, "origins", origins);
		}
	}

	private static String type(ConfigurableApplicationContext context, String name) {
		Object bean = context.getBeanFactory().getSingleton(name);
		Class<?> type = (bean != null && !(bean instanceof FactoryBean)) ? bean.getClass() : context.getType(name);
		if (type == null) {
			return "";
		}
		String text = Proxy.isProxyClass(type)
				? Arrays.stream(type.getInterfaces()).map(Class::getName).sorted().toList().toString()
				: ClassUtils.getUserClass(type).getName().replaceAll("\\$\\$Lambda.*", " (lambda)");
		return (bean != null && AopUtils.isAopProxy(bean)) ? text + " (proxy)" : text;
	}

}
