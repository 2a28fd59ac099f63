package io.delayqueue.queue;

import org.jspecify.annotations.Nullable;

import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Creates daemon threads with the context class loader of the thread that created this
 * factory. Without this, a thread that starts during a request would keep the class
 * loader of the request.
 */
public final class DaemonThreads extends CustomizableThreadFactory {

	private static final long serialVersionUID = 1L;

	private final transient @Nullable ClassLoader classLoader = Thread.currentThread().getContextClassLoader();

	/**
	 * Creates a factory.
	 * @param prefix the prefix of the names of the threads
	 */
	public DaemonThreads(String prefix) {
		super(prefix);
		setDaemon(true);
	}

	@Override
	public Thread createThread(Runnable runnable) {
		Thread thread = super.createThread(runnable);
		thread.setContextClassLoader(this.classLoader);
		return thread;
	}

}
