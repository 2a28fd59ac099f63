package io.delayqueue.observe;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Notifies all observers of a process one after the other, and catches the exceptions of
 * each observer: an exception affects neither the other observers nor the message. The
 * first exception of each observer is logged as a warning, later exceptions at debug
 * level. Safe for use by several threads if the observers are safe for such use.
 */
public final class QueueObservers {

	private static final Log logger = LogFactory.getLog(QueueObservers.class);

	private QueueObservers() {
	}

	/**
	 * Returns an observer that passes each notification to all given observers.
	 * @param observers the observers, in the order of notification
	 * @return the observer; its methods throw no exceptions
	 */
	public static QueueObserver of(Collection<? extends QueueObserver> observers) {
		List<Guarded> all = observers.stream().map(Guarded::new).toList();
		return (QueueObserver) Proxy.newProxyInstance(QueueObserver.class.getClassLoader(),
				new Class<?>[] { QueueObserver.class }, (proxy, event, arguments) -> {
					if (event.getDeclaringClass() == Object.class) {
						return event.invoke(all, arguments);
					}
					all.forEach((observer) -> observer.notify(event, arguments));
					return null;
				});
	}

	private static final class Guarded {

		private final QueueObserver observer;

		private final AtomicBoolean warned = new AtomicBoolean();

		Guarded(QueueObserver observer) {
			this.observer = observer;
		}

		void notify(Method event, Object[] arguments) {
			try {
				event.invoke(this.observer, arguments);
			}
			catch (InvocationTargetException failure) {
				log(event, failure.getTargetException());
			}
			catch (IllegalAccessException | RuntimeException | Error failure) {
				log(event, failure);
			}
		}

		private void log(Method event, Throwable failure) {
			String what = "The notification '" + event.getName() + "' failed in observer "
					+ this.observer.getClass().getName();
			if (this.warned.compareAndSet(false, true)) {
				logger.warn(what + ": its counts will be too low. Message delivery continues; further failures of"
						+ " this observer are logged at debug level", failure);
			}
			else {
				logger.debug(what, failure);
			}
		}

	}

}
