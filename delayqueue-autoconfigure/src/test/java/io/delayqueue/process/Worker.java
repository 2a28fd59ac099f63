package io.delayqueue.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;

import io.delayqueue.listener.DelayedListenerRegistry;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.process.Journal.Writer;
import org.aopalliance.intercept.MethodInterceptor;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.target.EmptyTargetSource;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;

/**
 * An application with listeners, to be run as a process of its own.
 */
@Configuration(proxyBeanMethods = false)
@LibraryOnly
@EnableTransactionManagement(proxyTargetClass = true)
@Import({ WorkerListeners.class, TransactionalListener.class })
class Worker {

	private static final int FIFTY = 50;

	/**
	 * Starts the application, and carries out commands line by line: {@code go <name>}
	 * lets a held handler return; {@code start}, {@code stop}, {@code pause} and
	 * {@code resume} with the id of a listener do that. Without anyone who could tell it
	 * something it ends.
	 */
	public static void main(String[] arguments) throws IOException {
		Writer journal = Writer.to(Path.of(arguments[0]), arguments[1]);
		ConfigurableApplicationContext context = new SpringApplicationBuilder(Worker.class).web(WebApplicationType.NONE)
			.initializers((starting) -> starting.getBeanFactory().registerSingleton("journal", journal))
			.run(Arrays.copyOfRange(arguments, 2, arguments.length));
		journal.add(WorkerProcess.READY, "-", 0, ProcessHandle.current().pid());
		DelayedListenerRegistry listeners = context.getBean(DelayedListenerRegistry.class);
		BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		for (String order = orders.readLine(); order != null; order = orders.readLine()) {
			String[] words = order.split(" ");
			switch (words[0]) {
				case "go" -> context.getBean(Gates.class).open(words[1]);
				case "start" -> listeners.start(words[1]);
				case "stop" -> listeners.stop(words[1]);
				case "pause" -> listeners.pause(words[1]);
				case "resume" -> listeners.resume(words[1]);
				default -> throw new IllegalArgumentException(order);
			}
			journal.add("did", words[1], 0, words[0]);
		}
		Runtime.getRuntime().halt(1);
	}

	@Bean
	Gates gates() {
		return new Gates();
	}

	/** As many threads as that, whatever the listener's concurrency. */
	@Bean(destroyMethod = "shutdownNow")
	Executor fifty() {
		return Executors.newFixedThreadPool(FIFTY);
	}

	@Bean
	PlatformTransactionManager transactions(Writer journal) {
		return new JournalTransactions(journal);
	}

	/**
	 * Says in the journal what this observer is told, and kills the process when it is
	 * one certain thing: {@code delivered} comes between the read and the handler,
	 * {@code handled} between the handler's return and the acknowledgement.
	 */
	@Bean
	QueueObserver deadly(Writer journal, @Value("${worker.halts-when:never}") String event) {
		ProxyFactory factory = new ProxyFactory(QueueObserver.class, EmptyTargetSource.INSTANCE);
		factory.addAdvice((MethodInterceptor) (call) -> {
			String told = call.getMethod().getName();
			journal.add(told, String.valueOf(call.getArguments()[0]), 0, "-");
			if (told.equals(event)) {
				Runtime.getRuntime().halt(1);
			}
			return null;
		});
		return (QueueObserver) factory.getProxy();
	}

}
