package io.delayqueue.recurring;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import io.delayqueue.UnknownRecordException;
import io.delayqueue.recurring.Definitions.Located;
import io.delayqueue.store.Declarations;
import io.delayqueue.store.Declarations.All;
import io.delayqueue.store.Declarations.Declaration;
import io.delayqueue.store.Declarations.Name;
import io.delayqueue.store.DueDefinition;
import io.delayqueue.store.RecurringCalls.Changed;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Suspends the recurring schedules of an application that no listed member (process that
 * consumes queues) declares any more.
 *
 * @param declarations the declarations of all members
 * @param definitions the stored schedules
 */
record OrphanedSchedules(Declarations declarations, Definitions definitions) {

	private static final Log logger = LogFactory.getLog(OrphanedSchedules.class);

	/** The time for which a process may act on what it has read about other processes. */
	private static final long VALID_MILLIS = TimeUnit.SECONDS.toMillis(2);

	/**
	 * Suspends each recurring schedule that a former member has declared and that no
	 * listed member declares, and removes the declarations of the former members.
	 * @param application the name of the application
	 * @param all the declarations of all members
	 */
	void suspend(String application, All all) {
		List<Declaration> living = all.living(application);
		Set<String> alive = living.stream().map(Declaration::member).collect(Collectors.toSet());
		List<String> gone = new ArrayList<>();
		Set<Name> orphans = new HashSet<>();
		all.declarations()
			.stream()
			.filter((one) -> one.application().equals(application) && !alive.contains(one.member()))
			.forEach((one) -> {
				gone.add(one.member());
				orphans.addAll(one.schedules());
			});
		living.forEach((one) -> orphans.removeAll(one.schedules()));
		Set<Name> suspended = new HashSet<>();
		for (Name name : orphans) {
			Changed changed = suspend(application, name);
			if (changed == Changed.LATE) {
				// This process was frozen: it reads the declarations again
				return;
			}
			if (changed == Changed.DONE) {
				suspended.add(name);
			}
		}
		if (!gone.isEmpty()) {
			// Resume schedules that were just suspended, if a process that has started
			// meanwhile declares them
			this.declarations.read()
				.declarations()
				.stream()
				.filter((one) -> one.application().equals(application) && !gone.contains(one.member()))
				.flatMap((one) -> one.schedules().stream())
				.filter(suspended::contains)
				.distinct()
				.forEach((name) -> this.definitions.resume(name.queue(), name.key(), false));
			gone.addAll(all.unused());
			this.declarations.remove(gone);
		}
	}

	/**
	 * Suspends a recurring schedule, unless a listed member declares it. A schedule that
	 * cannot be read is not suspended, because it has no further occurrences anyway.
	 * @return {@link Changed#LATE} if this process was frozen, and must try again
	 */
	Changed suspend(String application, Name name) {
		try {
			return suspendReadable(application, name);
		}
		catch (UnknownRecordException unreadable) {
			logger.warn("No process of application '" + application + "' declares recurring schedule '" + name.key()
					+ "' of queue '" + name.queue() + "'. The schedule cannot be suspended: "
					+ Objects.requireNonNull(unreadable.getCause()).getMessage());
			return Changed.NONE;
		}
	}

	private Changed suspendReadable(String application, Name name) {
		Located located = this.definitions.find(name.queue(), name.key(), false).orElse(null);
		DueDefinition due = (located != null) ? located.found().definition() : null;
		if (located == null || due == null || !application.equals(due.record().fields().application())
				|| due.record().state().suspendedMillis() != 0) {
			return Changed.NONE;
		}
		// Read the declarations after the time of the partition, because this process may
		// have been frozen since it read them
		if (this.declarations.read().living(application).stream().anyMatch((one) -> one.schedules().contains(name))) {
			return Changed.NONE;
		}
		Changed changed = this.definitions.suspend(name.queue(), due,
				located.found().nowMicros() / 1000 + VALID_MILLIS);
		if (changed == Changed.DONE) {
			logger.info("Recurring schedule '" + name.key() + "' of queue '" + name.queue()
					+ "' is suspended: no process of application '" + application + "' declares it");
		}
		return changed;
	}

}
