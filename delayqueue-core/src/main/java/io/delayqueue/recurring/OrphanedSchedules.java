package io.delayqueue.recurring;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

import io.delayqueue.UnknownRecordException;
import io.delayqueue.store.Declarations;
import io.delayqueue.store.Declarations.All;
import io.delayqueue.store.Declarations.Declaration;
import io.delayqueue.store.Declarations.Name;
import io.delayqueue.store.RecurringCalls.Stop;
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

	private static final Log logger = LogFactory.getLog(DeclaredSchedules.class);

	/**
	 * Suspends each recurring schedule that a former member has declared and that no
	 * listed member declares, and removes the declarations of the former members.
	 * @param application the name of the application
	 * @param all the declarations of all members
	 * @param living the declarations of the application's listed members
	 */
	void suspend(String application, All all, List<Declaration> living) {
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
		orphans.removeIf((name) -> !suspend(application, name));
		if (!gone.isEmpty()) {
			// Resume schedules that were just suspended, if a process that has started
			// meanwhile declares them
			this.declarations.read()
				.declarations()
				.stream()
				.filter((one) -> one.application().equals(application) && !gone.contains(one.member()))
				.flatMap((one) -> one.schedules().stream())
				.filter(orphans::contains)
				.distinct()
				.forEach((name) -> this.definitions.resume(name.queue(), name.key(), false));
			gone.addAll(all.unused());
			this.declarations.remove(gone);
		}
	}

	/**
	 * Suspends a recurring schedule. A schedule that cannot be read is not suspended,
	 * because it has no further occurrences anyway.
	 */
	private boolean suspend(String application, Name name) {
		try {
			suspendReadable(application, name);
			return true;
		}
		catch (UnknownRecordException unreadable) {
			logger.warn("No process of application '" + application + "' declares recurring schedule '" + name.key()
					+ "' of queue '" + name.queue() + "'. The schedule cannot be suspended: "
					+ Objects.requireNonNull(unreadable.getCause()).getMessage());
			return false;
		}
	}

	private void suspendReadable(String application, Name name) {
		this.definitions.find(name.queue(), name.key(), false)
			.map((located) -> located.found().definition())
			.filter((due) -> application.equals(due.record().fields().application())
					&& due.record().state().suspendedMillis() == 0)
			.ifPresent((due) -> {
				String generation = due.record().state().generation();
				if (this.definitions.stop(name.queue(), name.key(), generation, Stop.SUSPEND)) {
					logger.info("Recurring schedule '" + name.key() + "' of queue '" + name.queue()
							+ "' is suspended: no process of application '" + application + "' declares it");
				}
			});
	}

}
