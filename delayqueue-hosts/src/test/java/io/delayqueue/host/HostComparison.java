package io.delayqueue.host;

import java.io.File;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Pattern;

import io.delayqueue.test.redis.SharedRedis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compares what a host does, and its beans, without the starter on the class path and
 * with it.
 */
public final class HostComparison {

	/** What only the starter brings to the class path of this module. */
	private static final Pattern OF_THE_STARTER = Pattern.compile("/(delayqueue-(core|autoconfigure|starter|test-redis)"
			+ "|spring-boot(-starter)?-(data-redis|actuator|health|micrometer|netty|reactor)[a-z-]*"
			+ "|spring-data-(redis|keyvalue)|lettuce-core|redis-authx-core|jedis|spring-messaging|spring-oxm"
			+ "|micrometer-(core|jakarta9)|reactor-core|netty-[a-z-]+)(-\\d[^/]*)?(/|\\.jar|$)");

	/**
	 * The origins of the beans that the starter adds: the library itself, the connection
	 * to Redis, and the actuator.
	 */
	private static final Pattern ADDED = Pattern.compile("^data-redis\\.|io[./]delayqueue[./](?!host)"
			+ "|org[./]springframework[./](boot[./])?data[./](redis|keyvalue)[./]"
			+ "|org[./]springframework[./]boot[./](actuate|health|micrometer|netty|reactor)[./]"
			+ "|org[./]springframework[./]boot[./].*(?i:actuate|health|metrics|observation)");

	private static final URLClassLoader WITHOUT = new URLClassLoader(
			Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
				.filter((entry) -> !OF_THE_STARTER.matcher(entry.replace(File.separatorChar, '/')).find())
				.map(HostComparison::url)
				.toArray(URL[]::new),
			ClassLoader.getPlatformClassLoader());

	private HostComparison() {
	}

	/**
	 * Checks that the starter changes neither what a host does nor one of its beans, and
	 * adds only beans of its own.
	 * @param application the application, as {@link HostRun#describe} takes it
	 * @param properties the settings of the host
	 * @throws ReflectiveOperationException if the host does not start
	 */
	public static void assertUnchanged(Class<?> application, String... properties) throws ReflectiveOperationException {
		Map<String, Map<String, String>> without = describe(WITHOUT, application, List.of(properties));
		List<String> more = new ArrayList<>(List.of(properties));
		more.add("spring.data.redis.url=" + SharedRedis.get().uri());
		more.add("delayqueue.key-prefix=host-" + UUID.randomUUID());
		Map<String, Map<String, String>> with = describe(HostComparison.class.getClassLoader(), application, more);

		assertThat(with.get("work")).isEqualTo(without.get("work"));
		assertThat(with.get("beans")).containsAllEntriesOf(without.get("beans")).containsKey("delayQueueTemplate");
		Map<String, String> added = new TreeMap<>(with.get("origins"));
		added.keySet().removeAll(without.get("origins").keySet());
		added.entrySet().removeIf((bean) -> ADDED.matcher(bean.getKey() + " " + bean.getValue()).find());
		assertThat(added).isEmpty();
	}

	@SuppressWarnings("unchecked")
	private static Map<String, Map<String, String>> describe(ClassLoader loader, Class<?> application,
			List<String> properties) throws ReflectiveOperationException {
		Thread thread = Thread.currentThread();
		ClassLoader before = thread.getContextClassLoader();
		thread.setContextClassLoader(loader);
		try {
			String[] arguments = properties.stream().map((property) -> "--" + property).toArray(String[]::new);
			return (Map<String, Map<String, String>>) loader.loadClass(HostRun.class.getName())
				.getMethod("describe", Class.class, String[].class)
				.invoke(null, loader.loadClass(application.getName()), arguments);
		}
		finally {
			thread.setContextClassLoader(before);
		}
	}

	private static URL url(String entry) {
		try {
			return Path.of(entry).toUri().toURL();
		}
		catch (MalformedURLException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
