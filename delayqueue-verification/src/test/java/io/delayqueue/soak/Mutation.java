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
 * Faults in scripts that the soak must detect. Each replaces some scripts of the workers
 * with copies that differ in one point.
 */
enum Mutation {

	/** Nothing is broken. */
	NONE(Load.ALL, Map.of()),

	/**
	 * Deliveries do not enter the pending list (as with NOACK): the messages of a killed
	 * worker are in the stream but never delivered again. It never drains.
	 */
	NO_PENDING_LIST(Load.USUAL, Map.of(Fault.KILL_WORKER, 1),
			new Edit("part/read", "'COUNT', most, 'STREAMS'", "'COUNT', most, 'NOACK', 'STREAMS'")),

	/**
	 * Consumers that are silent for a visibility timeout are deleted without a check for
	 * pending entries: these entries are gone, and the messages of a killed worker never
	 * drain.
	 */
	CONSUMERS_DELETED_WITH_PENDING_ENTRIES(Load.USUAL, Map.of(Fault.KILL_WORKER, 1),
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
	 * The group begins at the end of the stream instead of its beginning. The group
	 * exists before the first sweep, so the fault appears only when the group is created
	 * again: here, in one of ten sweeps. The entries that this sweep has just added are
	 * skipped, and never drain.
	 */
	GROUP_BEGINS_AT_THE_END(Load.USUAL, Map.of(Fault.CLIENT_KILL, 1),
			new Edit("sweep", "    redis.call('ZREM', scheduled, unpack(ids))\n", """
					    redis.call('ZREM', scheduled, unpack(ids))
					    if micros % 10 == 0 then
					      redis.pcall('XGROUP', 'SETID', ready, 'consumers', '$')
					    end
					""")),

	/**
	 * A sweep is two calls instead of one script: remove due messages, then add them to
	 * the stream. Over a network where a call takes 5 ms, many workers are killed in
	 * between, and the removed messages have no location any more: only their record is
	 * left.
	 */
	SEPARATE_STEPS(Load.USUAL, Map.of(Fault.KILL_WORKER, 2, Fault.CLIENT_KILL, 1),
			new Edit("sweep", "part/add_entries", "  redis.call('HSET', keys.entries, unpack(current))\n", ""),
			new Edit("sweep", "part/add_entries",
					"    current[2 * n + 2] = redis.call('XADD', keys.ready, '*', 'id', id)\n", ""),
			new Edit("sweep", "#ids, math.max(", "#ids, table.concat(ids, ' '), math.max(")),

	/** Grants ignore the tokens of the queue. */
	RATE_IS_IGNORED(Load.LIMITED, Map.of(Fault.CLIENT_KILL, 1),
			new Edit("grant", "tokens >= enough and not gives_way and math.min(wanted, tokens, free)",
					"not gives_way and math.min(wanted, free)")),

	/** Grants ignore the permits of the queue. */
	PERMITS_ARE_IGNORED(Load.LIMITED, Map.of(Fault.CLIENT_KILL, 1),
			new Edit("grant", "most > 0 and math.max(0, most - all) or wanted", "wanted")),

	/** Sweeps and reads ignore the holds of groups. */
	HOLDS_OF_GROUPS_ARE_IGNORED(Load.LIMITED, Map.of(Fault.HOLD, 1),
			new Edit("part/held_groups", "held[names[n]] = end_of_hold(hold, now)", "held[names[n]] = nil")),

	/** A pause leaves the occurrence that is stored ahead. */
	PAUSED_SCHEDULES_FIRE(Load.RECURRING, Map.of(Fault.CLIENT_KILL, 1),
			new Edit("change-recurring", "  if last_id then\n", "  if false then\n")),

	/** An advance goes on to the instant after the next one. */
	INSTANTS_ARE_PASSED_OVER(Load.RECURRING, Map.of(Fault.CLIENT_KILL, 1),
			new Edit("advance-recurring", "for n = 0, count - 1 do", "for n = 0, count - 1 - time[2] % 2 do")),

	/** One of ten ends is not written. */
	ENDS_ARE_LOST(Load.RECURRING, Map.of(Fault.CLIENT_KILL, 1),
			new Edit("acknowledge", "write_recorded({history = history, ends = ends}, recorded, time)",
					"if time[2] % 10 > 0 then write_recorded({history = history, ends = ends}, recorded, time) end")),

	/**
	 * Handlers may run for an hour: whatever waits for a hanging handler, such as its own
	 * message, waits for ever.
	 */
	NOTHING_IS_ABANDONED(Load.HANGING, Map.of(Fault.KILL_WORKER, 1)),

	/**
	 * Silent messages are reclaimed at once, also when Redis has refused to renew leases
	 * until just now: messages of running handlers run again.
	 */
	RECLAIM_DOES_NOT_WAIT(Load.USUAL, Map.of(Fault.REFUSE_WRITES, 1),
			new Edit("reclaim", "if limit == 0 then\n  return reply\nend\n", ""),
			new Edit("reclaim", "math.max(limit, 1)", "200")),

	/**
	 * Every settlement of a partition reads its dead letters: while Redis refuses them no
	 * message is acknowledged.
	 */
	SETTLEMENTS_WAIT_FOR_EACH_OTHER(Load.USUAL, Map.of(Fault.REFUSE_DEAD_LETTERS, 1),
			new Edit("acknowledge", "require_types('zset', done,",
					"require_types('zset', (string.gsub(done, ':done$', ':dead')), 'zset', done,")),

	/**
	 * A settlement counts for any delivery. The soak detects that a worker which resumes
	 * after a long freeze acknowledges a message that has been delivered to another
	 * worker since. A certain detection needs slow handlers, and workers that resume just
	 * when their messages run elsewhere.
	 */
	NO_FENCE(Load.FEW_AND_SLOW, Map.of(Fault.FREEZE_WORKER_UNTIL_REDELIVERED, 1),
			new Edit("acknowledge", "if current[n] == delivered[n] then", "if true then"),
			new Edit("settle", "if current[n] ~= delivered[n] then", "if false then")),

	/**
	 * Cancelling a message that is not pending returns the right answer without removing
	 * it: it is delivered when it is due.
	 */
	CANCEL_FORGETS(Load.USUAL, Map.of(Fault.CLIENT_KILL, 1), new Edit("cancel", "if #ended > 0 then\n", """
			if record and not lease and not death then
			  return {'cancelled', 0}
			end
			if #ended > 0 then
			""")),

	/**
	 * A reschedule returns the right answer and leaves the message at its old due time.
	 */
	RESCHEDULE_KEEPS_THE_OLD_SCORE(Load.USUAL, Map.of(Fault.CLIENT_KILL, 1),
			new Edit("reschedule", "local unparked = 0\nlocal score", """
					do
					  return answer('rescheduled')
					end
					local unparked = 0
					local score""")),

	/**
	 * A purge, or the cancellation of a group, takes the next occurrence of a schedule:
	 * its instant never comes.
	 */
	PURGE_TAKES_THE_NEXT_OCCURRENCE(Load.RECURRING, Map.of(Fault.SCRIPT_FLUSH, 1),
			new Edit("purge", "  goes = goes and not (record and is_next_occurrence(id, record))\n", "")),

	/**
	 * The bucket of a rate holds two tokens, whatever its burst: a small part of the rate
	 * is delivered.
	 */
	BUCKET_HOLDS_TWO_TOKENS(Load.LIMITED, Map.of(Fault.SCRIPT_FLUSH, 1),
			new Edit("grant", "return interval, span, least, (span - least) / interval + 1",
					"return interval, span, least, math.min(2, (span - least) / interval + 1)"));

	private final Load load;

	private final Map<Fault, Integer> faults;

	private final List<Edit> edits;

	Mutation(Load load, Map<Fault, Integer> faults, Edit... edits) {
		this.load = load;
		this.faults = Map.copyOf(faults);
		this.edits = List.of(edits);
	}

	/**
	 * One change of a script.
	 *
	 * @param script the name of the script
	 * @param file the name of the file with the line to change: the script or one of its
	 * parts
	 */
	private record Edit(String script, String file, String from, String to) {

		Edit(String script, String from, String to) {
			this(script, script, from, to);
		}

		String in(String text) {
			if (!text.contains(this.from)) {
				throw new IllegalStateException(this.file + " does not contain: " + this.from);
			}
			return text.replace(this.from, this.to);
		}

	}

	/**
	 * The load.
	 *
	 * @param rate messages a second
	 * @param handlingMillis the longest time that a handler takes
	 * @param hanging number of messages of 10,000 whose handler hangs
	 * @param limited whether there is a second queue, with limits
	 * @param recurring whether there is a third queue, with recurring schedules
	 */
	record Load(int rate, int handlingMillis, int hanging, boolean limited, boolean recurring) {

		static final Load ALL = new Load(250, 20, 12, true, true);

		static final Load USUAL = new Load(250, 20, 0, false, false);

		static final Load HANGING = new Load(250, 20, 12, false, false);

		static final Load FEW_AND_SLOW = new Load(60, 500, 0, false, false);

		static final Load LIMITED = new Load(50, 20, 0, true, false);

		static final Load RECURRING = new Load(50, 20, 0, false, true);

	}

	/** The load that reveals the fault. */
	Load load() {
		return this.load;
	}

	/** The kinds of soak faults that reveal the mutation; empty for all kinds. */
	Map<Fault, Integer> faults() {
		return this.faults;
	}

	/**
	 * Whether only {@link AnswerChecker} can detect the fault, because nothing is lost in
	 * the end.
	 */
	boolean isDetectedInAnswersOnly() {
		return this == CANCEL_FORGETS || this == RESCHEDULE_KEEPS_THE_OLD_SCORE;
	}

	/** The broken copy of a script. */
	String broken(String script) {
		String broken = script;
		for (Edit edit : this.edits) {
			if (WatchedScripts.summaryOf(edit.script()).equals(WatchedScripts.summary(script))) {
				broken = edit.in(broken);
			}
		}
		return broken;
	}

	/** Writes the changed scripts under their classpath names. */
	List<Path> scripts(Path directory) {
		if (this.edits.isEmpty()) {
			return List.of();
		}
		try {
			for (Edit edit : this.edits) {
				String name = "io/delayqueue/store/" + edit.file() + ".lua";
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
