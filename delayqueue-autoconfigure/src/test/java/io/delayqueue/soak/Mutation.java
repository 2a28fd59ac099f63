package io.delayqueue.soak;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import org.springframework.core.io.ClassPathResource;

/**
 * What can be broken on purpose, to see that the soak notices. Each hides some of the
 * scripts from the workers behind copies that differ in one point.
 */
enum Mutation {

	/** Nothing is broken. */
	NONE(Load.HANGING, Map.of()),

	/**
	 * Deliveries do not enter the pending list (as with NOACK): what a killed worker held
	 * is in the stream, but nobody is ever given it again. It never drains.
	 */
	NO_PENDING_LIST(Load.USUAL, Map.of(Fault.KILL_WORKER, 1),
			new Edit("read", "'COUNT', most, 'STREAMS'", "'COUNT', most, 'NOACK', 'STREAMS'")),

	/**
	 * Consumers that are silent for a visibility timeout are deleted without looking
	 * whether they hold something: their pending entries are gone, and what a killed
	 * worker held never drains.
	 */
	CONSUMERS_DELETED_WITH_WHAT_THEY_HOLD(Load.USUAL, Map.of(Fault.KILL_WORKER, 1),
			new Edit("reclaim", "local silent = redis.pcall(", """
					local consumers = redis.pcall('XINFO', 'CONSUMERS', ready, 'consumers')
					if not consumers.err then
					  for _, consumer in ipairs(consumers) do
					    if consumer[6] > tonumber(timeout) then
					      redis.call('XGROUP', 'DELCONSUMER', ready, 'consumers', consumer[2])
					    end
					  end
					end
					local silent = redis.pcall(""")),

	/**
	 * The group begins at the end of the stream instead of its beginning. It is created
	 * before anything is swept, so that this shows only when it is created anew: here, in
	 * one of ten sweeps. What that sweep has just added is skipped, and never drains.
	 */
	GROUP_BEGINS_AT_THE_END(Load.USUAL, Map.of(Fault.CLIENT_KILL, 1),
			new Edit("sweep", "  redis.call('ZREM', scheduled, unpack(ids))\n", """
					  redis.call('ZREM', scheduled, unpack(ids))
					  if time[2] % 10 == 0 then
					    redis.pcall('XGROUP', 'SETID', ready, 'consumers', '$')
					  end
					""")),

	/**
	 * A sweep is two calls instead of one script: take what is due, then put it into the
	 * stream. Over a network where a call takes 5 ms, many workers are killed in between,
	 * and what they had taken is in no place any more: only its record is left.
	 */
	SEPARATE_STEPS(Load.USUAL, Map.of(Fault.KILL_WORKER, 2, Fault.CLIENT_KILL, 1),
			new Edit("sweep", "  redis.call('HSET', entries, unpack(current))\n", ""),
			new Edit("sweep", "    current[2 * n] = redis.call('XADD', ready, '*', 'id', id)\n", ""),
			new Edit("sweep", "return {#ids, lag", "return {#ids, table.concat(ids, ' '), lag")),

	/**
	 * Handlers may run for an hour: whatever waits for one that hangs, such as a suspect
	 * that is to run alone, waits for ever, and so does its own message.
	 */
	NOTHING_IS_ABANDONED(Load.HANGING, Map.of(Fault.KILL_WORKER, 1)),

	/**
	 * What is silent is taken back at once, also when Redis has refused to renew leases
	 * until just now: what living handlers have runs again.
	 */
	RECLAIM_DOES_NOT_WAIT(Load.USUAL, Map.of(Fault.REFUSE_WRITES, 1),
			new Edit("reclaim", "if limit == 0 then\n  return reply\nend\n", ""),
			new Edit("reclaim", "math.max(limit, 1)", "200")),

	/**
	 * Whatever a partition settles looks at its dead letters: while Redis refuses one of
	 * them nothing is acknowledged.
	 */
	SETTLEMENTS_WAIT_FOR_EACH_OTHER(Load.USUAL, Map.of(Fault.REFUSE_DEAD_LETTERS, 1),
			new Edit("acknowledge", "redis.call('ZCARD', done)",
					"redis.call('ZCARD', (string.gsub(done, ':done$', ':dead')))")),

	/**
	 * A settlement counts whatever delivery it belongs to. The soak sees that a worker
	 * which comes back from a long pause acknowledges what has been delivered to another
	 * one since. To be seen for certain it needs handlers that take long, and workers
	 * that come back just when their messages run elsewhere.
	 */
	NO_FENCE(Load.FEW_AND_SLOW, Map.of(Fault.FREEZE_WORKER_UNTIL_REDELIVERED, 1),
			new Edit("acknowledge", "if current[n] == delivered[n] then", "if true then"),
			new Edit("release", "if current[n] == delivered[n] then", "if true then"),
			new Edit("retry", "redis.call('HGET', entries, id) == entry", "true"),
			new Edit("dead-letter", "redis.call('HGET', entries, id) == entry", "true")),

	/**
	 * A cancel of what no consumer has answers as it should and forgets to take it away:
	 * it is delivered when it is due.
	 */
	CANCEL_FORGETS(Load.USUAL, Map.of(Fault.CLIENT_KILL, 1), new Edit("cancel", "if #ended > 0 then\n", """
			if record and not pending and not death then
			  return {'cancelled', 0}
			end
			if #ended > 0 then
			""")),

	/** A reschedule answers as it should and leaves the message at its old place. */
	RESCHEDULE_KEEPS_THE_OLD_PLACE(Load.USUAL, Map.of(Fault.CLIENT_KILL, 1),
			new Edit("reschedule", "local back = 0\n\nlocal score", """
					do
					  return answer('rescheduled')
					end
					local back = 0

					local score"""));

	private final Load load;

	private final Map<Fault, Integer> faults;

	private final List<Edit> edits;

	Mutation(Load load, Map<Fault, Integer> faults, Edit... edits) {
		this.load = load;
		this.faults = Map.copyOf(faults);
		this.edits = List.of(edits);
	}

	/** One change of a script. */
	private record Edit(String script, String from, String to) {

		String in(String text) {
			if (!text.contains(this.from)) {
				throw new IllegalStateException(this.script + " does not contain: " + this.from);
			}
			return text.replace(this.from, this.to);
		}

	}

	/**
	 * What there is to do.
	 *
	 * @param rate how many messages a second
	 * @param handlingMillis the longest time that a handler takes
	 * @param hanging of how many of 10,000 messages a handler hangs
	 */
	record Load(int rate, int handlingMillis, int hanging) {

		static final Load USUAL = new Load(250, 20, 0);

		static final Load HANGING = new Load(250, 20, 12);

		static final Load FEW_AND_SLOW = new Load(60, 500, 0);

	}

	/** The load that brings it to light. */
	Load load() {
		return this.load;
	}

	/** The faults that bring it to light, empty for all. */
	Map<Fault, Integer> faults() {
		return this.faults;
	}

	/** Whether only {@link AnswerChecker} can see it: nothing is lost in the end. */
	boolean isSeenInAnswersOnly() {
		return this == CANCEL_FORGETS || this == RESCHEDULE_KEEPS_THE_OLD_PLACE;
	}

	/** A script as it is broken. */
	String broken(String script) {
		String broken = script;
		for (Edit edit : this.edits) {
			if (WatchedScripts.summaryOf(edit.script()).equals(WatchedScripts.summary(script))) {
				broken = edit.in(broken);
			}
		}
		return broken;
	}

	/** Writes the changed scripts as they are to be found on the classpath. */
	List<Path> scripts(Path directory) {
		if (this.edits.isEmpty()) {
			return List.of();
		}
		try {
			for (Edit edit : this.edits) {
				String name = "io/delayqueue/store/" + edit.script() + ".lua";
				Path file = directory.resolve(name);
				Files.createDirectories(file.getParent());
				String before = Files.exists(file) ? Files.readString(file)
						: new ClassPathResource(name).getContentAsString(StandardCharsets.UTF_8);
				Files.writeString(file, edit.in(before));
			}
			return List.of(directory);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
