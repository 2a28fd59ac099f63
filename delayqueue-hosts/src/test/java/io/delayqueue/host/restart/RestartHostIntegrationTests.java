package io.delayqueue.host.restart;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.UUID;

import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Restarts in one process, with a new class loader for the classes of the application, as
 * the developer tools of Spring Boot restart.
 */
@Timeout(120)
class RestartHostIntegrationTests {

	private final String[] arguments = { "--spring.main.web-application-type=none",
			"--spring.data.redis.url=" + SharedRedis.get().uri(), "--delayqueue.key-prefix=host-" + UUID.randomUUID() };

	@Test
	void aMessageFromBeforeTheRestartIsHandledByTheNewClasses() throws ReflectiveOperationException {
		ClassLoader before = new Restart();

		assertThat(run(before, "leave")).isEqualTo("Order[article=cake, price=null]");
		assertThat(run(new Restart(), "take")).isEqualTo("Order[article=tea, price=7]");

		await().untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
			.noneMatch((thread) -> thread.getContextClassLoader() == before));
	}

	private Object run(ClassLoader loader, String method) throws ReflectiveOperationException {
		Thread thread = Thread.currentThread();
		ClassLoader own = thread.getContextClassLoader();
		thread.setContextClassLoader(loader);
		try {
			return loader.loadClass("io.delayqueue.host.restart.Shop")
				.getMethod(method, String[].class)
				.invoke(null, (Object) this.arguments);
		}
		finally {
			thread.setContextClassLoader(own);
		}
	}

	/** Loads the classes of the application itself, and all others as before. */
	private static final class Restart extends URLClassLoader {

		Restart() {
			super(new URL[] { Shop.class.getProtectionDomain().getCodeSource().getLocation() },
					Shop.class.getClassLoader());
		}

		@Override
		protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
			synchronized (getClassLoadingLock(name)) {
				Class<?> loaded = findLoadedClass(name);
				if (loaded == null && name.startsWith("io.delayqueue.host.restart.Shop")) {
					return findClass(name);
				}
				return (loaded != null) ? loaded : super.loadClass(name, resolve);
			}
		}

	}

}
