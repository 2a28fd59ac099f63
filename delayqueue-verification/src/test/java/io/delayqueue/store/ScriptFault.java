package io.delayqueue.store;

import java.util.List;

/**
 * A fault in the scripts, which {@link StoppedSequences} or {@link StoppedScenarios} must
 * notice. Most of them break the order of two writes, so only a script that stops between
 * them shows the fault.
 */
enum ScriptFault {

	// Schedule

	SCHEDULE_KEEPS_STALE_ENTRY("schedule does not remove a left-over entry",
			new ScriptEdit("part/remains", "  if message.entry then", "  if false then")),

	SCHEDULE_KEEPS_STALE_DEATH("schedule does not remove a left-over dead letter",
			ScriptEdit.without("part/remains", "  redis.call('ZREM', keys.dead, id)\n")),

	SCHEDULE_KEEPS_STALE_EXPIRY("schedule does not remove a left-over expiry",
			ScriptEdit.without("part/remains", "  redis.call('ZREM', keys.expiries, id)\n")),

	SCHEDULE_KEEPS_OBSOLETE_EXPIRY("schedule does not remove the expiry of its own stopped run",
			new ScriptEdit("part/remains", "if not message.expiry then", "if false then")),

	SCHEDULE_REMOVES_STALE_EXPIRY_LAST("schedule removes a left-over expiry after the entry that shows it",
			ScriptEdit.moved("part/remains", "  redis.call('ZREM', keys.expiries, id)\n", "  if group then")),

	GENERATED_IDS_IGNORE_ENTRIES("a repeat looks for no entry of a generated id of a group",
			new ScriptEdit("schedule", "record_of[n] or entry_of and entry_of[n]", "record_of[n]")),

	SCHEDULE_KEEPS_STALE_FAILURES("schedule does not remove left-over counters",
			ScriptEdit.without("part/remains", "  redis.call('HDEL', keys.failures, id)\n")),

	SCHEDULE_KEEPS_STALE_MEMBERS("schedule does not remove the left-overs of its id in the group",
			new ScriptEdit("part/remains", "  if group then", "  if false then")),

	SCHEDULE_NEW_WRITES_RECORD_FIRST("schedule-new writes the record before the score",
			ScriptEdit.moved("schedule-new", "redis.call('HSET', messages, unpack(records))\n",
					"local added = redis.call('ZADD'")),

	SCHEDULE_WRITES_RECORD_FIRST("schedule writes the record before the score",
			new ScriptEdit("schedule", "    if redis.call('ZADD', scheduled, unpack(batch.scheduled)) == #ids then\n",
					"    redis.call('HSET', messages, unpack(batch.messages))\n"
							+ "    if redis.call('ZADD', scheduled, unpack(batch.scheduled)) == #ids then\n")),

	DECIDED_RECORD_FIRST("schedule writes the record before the score, after a decision", new ScriptEdit(
			"part/write_decided",
			"    if redis.call('ZADD', keys.scheduled, unpack(batch.scheduled)) < batch.count then\n",
			"    redis.call('HSET', keys.messages, unpack(batch.messages))\n"
					+ "    if redis.call('ZADD', keys.scheduled, unpack(batch.scheduled)) < batch.count then\n")),

	RECORD_BEFORE_GROUP("schedule writes the record before the group",
			ScriptEdit.moved("part/new_messages", "  redis.call('HSET', messages, unpack(batch.messages))\n",
					"  if #batch.groups > 0 then")),

	RECORD_BEFORE_EXPIRY("schedule writes the record before the expiry", ScriptEdit.moved("part/new_messages", """
			  if #batch.expiries > 0 then
			    redis.call('ZADD', expiries, unpack(batch.expiries))
			  end
			""", "end\n\n-- Returns the expiry")),

	REPEAT_STORES_AGAIN("schedule does not know its own message again",
			new ScriptEdit("part/decide", "  if token == message.token then", "  if false then")),

	// Replace and reschedule

	REPLACE_MOVES_EARLIER_FIRST("replace sets an earlier due time before the record",
			new ScriptEdit("part/replace", "  if later and not stays then", "  if not stays then")),

	REPLACE_WRITES_RECORD_BEFORE_FENCE("replace writes the record before it removes the fence of the old entry",
			ScriptEdit.moved("part/replace", "  redis.call('HSET', keys.messages, id, message.record)\n",
					"  if not stays then\n    if message.entry")),

	REPLACE_WRITES_EXPIRY_FIRST("replace sets the expiry before the record", ScriptEdit.moved("part/replace", """
			  if message.expiry then
			    redis.call('ZADD', keys.expiries, string.format('%.1f', message.expiry), id)
			  end
			""", "  redis.call('HSET', keys.messages, id, message.record)\n")),

	REPLACE_REMOVES_OLD_EXPIRY_LAST("replace removes the old expiry after the record",
			ScriptEdit.moved("part/replace", "  redis.call('ZREM', keys.expiries, id)\n", "  if not later then\n")),

	REPLACE_KEEPS_ENTRY("replace does not remove the fence of the old entry",
			ScriptEdit.without("part/replace", "      redis.call('HDEL', keys.entries, id)\n")),

	REPLACE_SCHEDULES_LAST("replace removes the old entry before it sets a later due time",
			ScriptEdit.moved("part/replace", """
					  if later and not stays then
					    redis.call('ZADD', keys.scheduled, score, id)
					  end
					""", "  redis.call('HSET', keys.messages, id, message.record)\n")),

	REPLACE_WRITES_GROUP_FIRST("replace leaves its old place in the group before it sets the score",
			ScriptEdit.moved("part/replace", """
					  if group then
					    move_in_group(keys, id, group, message.member, score)
					  end
					""", "  if later and not stays then")),

	REPLACE_LEAVES_NO_TOMBSTONE("replace leaves no tombstone",
			new ScriptEdit("part/replace",
					"token_ends(message.was_token, call.now, call.ends), '\\0' .. message.was_token,\n", "")),

	REPLACE_WRITES_TOMBSTONE_LAST("replace overwrites the record before it leaves the tombstone",
			ScriptEdit.moved("part/replace", "  redis.call('HSET', keys.messages, id, message.record)\n",
					"  redis.call('ZADD', keys.done")),

	REPEATED_REPLACE_WRITES_NOTHING("a repeated replace trusts its own record and skips the writes after it",
			ScriptEdit.without("part/decide", "    resume(keys, call, message, due)\n")),

	POSTPONED_STAYS_READY("a ready message stays ready although it is postponed",
			new ScriptEdit("part/replace", " and message.due <= call.now\n", "\n")),

	POSTPONED_READY_KEEPS_ITS_TURN(
			"postpone keeps the turn of a ready message before messages that are due earlier now",
			ScriptEdit.without("part/replace", "\n    and not (group and is_passed(keys, message))")),

	POSTPONED_READY_FREES_SLOT("postpone frees the slot of a message that stays ready",
			ScriptEdit.moved("part/replace", """
					    if group then
					      local was_next = message.score and tonumber(message.score) <= call.now
					      call.unparked = call.unparked + free_slot(keys, id, group, was_next)
					    end
					""", "  if not stays then\n    if message.entry")),

	RESCHEDULE_MOVES_EXPIRY_LAST("reschedule moves the expiry to later after the record",
			new ScriptEdit("reschedule", "if expiry and due >= was_due then", "if false then"),
			new ScriptEdit("reschedule", "if expiry and due < was_due then", "if expiry then")),

	RESCHEDULE_MOVES_EXPIRY_FIRST("reschedule moves the expiry to earlier before the record",
			new ScriptEdit("reschedule", "if expiry and due >= was_due then", "if expiry then")),

	RESCHEDULE_MOVES_EARLIER_FIRST("reschedule sets an earlier due time before the record",
			new ScriptEdit("reschedule", "local later = not was_score or due >= tonumber(was_score)",
					"local later = true")),

	RESCHEDULE_MOVES_LATER_LAST("reschedule removes the entry before it sets the score",
			ScriptEdit.moved("reschedule", "if later then\n  redis.call('ZADD', scheduled, score, id)\nend\n",
					"if group then\n  local text")),

	RESCHEDULE_MOVES_PENDING("reschedule moves a pending message",
			new ScriptEdit("reschedule", "  elseif lease then\n", "  elseif false then\n")),

	RESCHEDULE_HAS_NO_MEMORY("a repeated reschedule does not know that its first run has moved the message",
			ScriptEdit.without("reschedule", "redis.call('ZADD', done, token_ends(token, now, ends), memory)\n")),

	RESCHEDULE_REMEMBERS_FIRST("reschedule stores its answer before it moves the message",
			ScriptEdit.moved("reschedule", "redis.call('ZADD', done, token_ends(token, now, ends), memory)\n",
					"local later = not was_score")),

	MOVE_IN_GROUP_FIRST("a moved message loses its old member of the group before the new one is written",
			ScriptEdit.moved("part/move", "    redis.call('HSET', keys.grouped, id, due .. '\\0' .. group.name)\n",
					"    redis.call('ZREM', keys.groups, was_member)\n")),

	// Cancel, purge, discard and the tombstones

	CANCEL_LEAVES_NO_MARK("cancel does not mark a possible left-over",
			new ScriptEdit("cancel", "  if group or expiry then\n", "  if false then\n")),

	CANCEL_KEEPS_ENTRY("cancel leaves the fence", ScriptEdit.without("cancel", "  redis.call('HDEL', entries, id)\n")),

	CANCEL_CLEARS_ENTRY_FIRST("cancel removes the fence before the record",
			new ScriptEdit("cancel", "  redis.call('HDEL', messages, id)\n",
					"  redis.call('HDEL', entries, id)\n  redis.call('HDEL', messages, id)\n")),

	CANCEL_CLEARS_SCORE_FIRST("cancel removes the score before the record",
			new ScriptEdit("cancel", "  redis.call('HDEL', messages, id)\n",
					"  redis.call('ZREM', scheduled, id)\n  redis.call('HDEL', messages, id)\n")),

	CANCEL_LEAVES_GROUP_FIRST("cancel leaves the group before it removes the record",
			new ScriptEdit("cancel", "  redis.call('HDEL', messages, id)\n",
					"  if group then leave_group(keys, id, group) end\n  redis.call('HDEL', messages, id)\n")),

	CANCEL_LEAVES_NO_TOMBSTONE("cancel leaves no tombstone",
			new ScriptEdit("cancel",
					"token_ends(string.sub(tombstone, 2), now, end_of_window), tombstone, token_ends(token",
					"token_ends(token")),

	CANCEL_WRITES_TOMBSTONE_LAST("cancel removes the record before it leaves the tombstone",
			ScriptEdit.moved("cancel", "  redis.call('HDEL', messages, id)\n",
					"  redis.call('ZADD', done, token_ends(string.sub(tombstone")),

	CANCEL_HAS_NO_MEMORY("a repeated cancel has no stored answer of its first run",
			new ScriptEdit("cancel", "tombstone, token_ends(token, now, end_of_window),\n    answer .. '\\0' .. token)",
					"tombstone)")),

	CANCEL_TRUSTS_ITS_MEMORY("a repeated cancel does not check that its first run removed the record",
			new ScriptEdit("cancel", "if answers[n] and not (record and redis.call('ZSCORE', done, tombstone)) then",
					"if answers[n] then")),

	CANCEL_LEAVES_NO_REMAINS("cancel removes no left-overs of a removed message",
			new ScriptEdit("cancel", "redis.call('ZREM', expiries, id)\nlocal unparked = 0\nif group then",
					"local unparked = 0\nif false then")),

	TOMBSTONE_ENDS_AT_ONCE("the window of a tombstone ends while its call may still be repeated",
			new ScriptEdit("cancel", "string.format('%.0f', now + window)", "string.format('%.0f', now)")),

	PURGE_REMOVES_SCORE_FIRST("purge removes the scores before the records",
			ScriptEdit.moved("purge", "  redis.call('ZREM', scheduled, unpack(gone))\n",
					"  redis.call('HDEL', messages, unpack(gone))\n")),

	PURGE_LEAVES_NO_MARK("purge does not mark possible left-overs",
			new ScriptEdit("purge", "  for _, id in ipairs(marked) do\n", "  for _, id in ipairs({}) do\n")),

	PURGE_REMEMBERS_LAST("purge stores its counts and tombstones after it has removed the records",
			ScriptEdit.moved("purge", """
					if #tombstones > 0 and not counted then
					  remember(memory, words, {processed, waited, held, died}, tombstones)
					end
					""", "if #current > 0 then\n")),

	PURGE_TAKES_THE_DEAD("purge removes dead letters too",
			new ScriptEdit("purge", "local goes = dead_too or", "local goes = true or")),

	DISCARD_LEAVES_NO_TOMBSTONE("discard leaves no tombstone",
			new ScriptEdit("discard", "remember(memory, words, {removed}, tombstones)",
					"remember(memory, words, {removed}, {})")),

	DISCARD_HAS_NO_MEMORY("a repeated discard has no stored answer of its first run",
			new ScriptEdit("discard", "remember(memory, words, {removed}, tombstones)",
					"redis.call('ZADD', done, unpack(tombstones))")),

	DISCARD_TRUSTS_ITS_MEMORY("a repeated discard does not check that its first run removed the record",
			new ScriptEdit("discard",
					"    elseif not record or not counted or redis.call('ZSCORE', done, tombstone) then",
					"    elseif not record or not counted then")),

	DISCARD_REMOVES_DEATH_FIRST("discard removes a message from the dead letters before its record",
			ScriptEdit.moved("part/remove_dead", "  redis.call('ZREM', keys.dead, unpack(ids))\n",
					"  redis.call('HDEL', keys.messages, unpack(ids))\n")),

	DISCARD_REMEMBERS_LAST("discard stores its count and the tombstones after it has removed the records",
			ScriptEdit.moved("discard", """
					if not counted and removed > 0 then
					  remember(memory, words, {removed}, tombstones)
					end
					""", "return {'discarded', removed}")),

	REDRIVE_HAS_NO_MEMORY("a repeated redrive has no stored answer of its first run",
			ScriptEdit.without("redrive", "  remember(memory, words, {redriven}, {})\n")),

	REDRIVE_REMEMBERS_FIRST("redrive stores its answer before the message is scheduled",
			ScriptEdit.moved("redrive",
					"""
							if redriven > 0 then
							  -- Stores the count before it removes the messages from dead: if the run stops before, a repeat finds the same messages in dead.
							  remember(memory, words, {redriven}, {})
							end
							""",
					"if #due_ids > 0 then\n")),

	REDRIVE_REMOVES_FIRST("redrive removes a message from the dead letters before it schedules it",
			ScriptEdit.moved("redrive", "if #gone > 0 then\n  redis.call('ZREM', dead, unpack(gone))\nend\n",
					"if #due_ids > 0 then\n")),

	REDRIVE_KEEPS_FAILURES("redrive keeps the failures",
			ScriptEdit.without("redrive", "  redis.call('HDEL', failures, unpack(gone))\n")),

	REDRIVE_TAKES_NO_SLOT("redrive takes no slot",
			ScriptEdit.without("redrive", "  redis.call('ZADD', groups, unpack(members))\n")),

	REDRIVE_DOES_NOT_COUNT("redrive does not check the quota",
			new ScriptEdit("redrive", "if quota > 0 and count_of[name] >= quota and not moved then", "if false then")),

	// Sweep and read

	SWEEP_REMOVES_FIRST("sweep removes messages from the due times first",
			ScriptEdit.moved("sweep", "    redis.call('ZREM', scheduled, unpack(ids))\n",
					"    add_entries(keys, ids)\n")),

	GROUP_SWEEP_REMOVES_FIRST("sweep removes messages from the due times first, beside groups",
			ScriptEdit.moved("part/write_sweep", """
					  if #run.ids > 0 then
					    redis.call('ZREM', keys.scheduled, unpack(run.ids))
					  end
					""", "  if #run.ids > 0 then\n    add_entries")),

	SWEEP_REMOVES_BEFORE_FENCE("sweep removes messages from the due times after the entry and before the fence",
			ScriptEdit.moved("sweep", "    redis.call('ZREM', scheduled, unpack(ids))\n",
					"    add_entries(keys, ids)\n"),
			new ScriptEdit("sweep", "    redis.call('ZREM', scheduled, unpack(ids))\n",
					"    redis.call('XADD', ready, '*', 'id', ids[1])\n    redis.call('ZREM', scheduled, unpack(ids))\n")),

	READ_UNCHECKED("a read delivers the record to an old entry",
			new ScriptEdit("part/read", "local own = current[n] == delivered[n]", "local own = true"),
			new ScriptEdit("part/read", "bytes < enough and current[n] == delivered[n] then", "bytes < enough then")),

	READ_BEGINS_AT_THE_END("a new consumer group begins at the end of the stream",
			new ScriptEdit("part/read", "'consumers', '0', 'MKSTREAM'", "'consumers', '$', 'MKSTREAM'")),

	// Settle

	NO_FENCE_IN_ACKNOWLEDGE("acknowledge does not check the fence",
			new ScriptEdit("acknowledge", "if current[n] == delivered[n] then", "if true then")),

	NO_FENCE_IN_SETTLE("a settlement does not check the fence",
			new ScriptEdit("settle", "if current[n] ~= delivered[n] then", "if false then")),

	ACKNOWLEDGE_CLEARS_ENTRY_FIRST("acknowledge removes the fence before the record",
			ScriptEdit.moved("acknowledge", "  redis.call('HDEL', entries, unpack(own))\n",
					"  redis.call('HDEL', messages, unpack(own))\n")),

	ACKNOWLEDGE_LEAVES_STREAM_FIRST("acknowledge removes the entry before the record",
			ScriptEdit.moved("acknowledge", "remove_entries(delivered, oldest)\n",
					"if #own > 0 then\n  redis.call('HDEL', messages")),

	ACKNOWLEDGE_FINISHES_BEFORE_DONE("acknowledge removes the record before it stores the id in done",
			ScriptEdit.moved("acknowledge",
					"if #finished > 0 then\n  redis.call('ZADD', done, unpack(finished))\nend\n",
					"remove_entries(delivered, oldest)\n")),

	ACKNOWLEDGE_LEAVES_NO_TOMBSTONE("acknowledge leaves no tombstone", ScriptEdit.without("acknowledge",
			"      finished[m + 3], finished[m + 4] = token_ends(token, now, recognised_until), '\\0' .. token\n")),

	SETTLEMENT_KEEPS_SLOT("a finished message keeps its slot of the limit",
			ScriptEdit.without("acknowledge", "    redis.call('ZREM', keys.active, unpack(slots))\n")),

	REPEATED_RETRY_COUNTS("a repeated retry counts its failure again",
			new ScriptEdit("settle", "if last ~= delivered[n] and (kind == 'retry' or kind == 'dead') then",
					"if kind == 'retry' or kind == 'dead' then")),

	RETRY_CLEARS_ENTRY_FIRST("retry and release remove the fence before the new score is set",
			ScriptEdit.moved("settle", "if #due_ids > 0 then\n  redis.call('ZADD', scheduled, unpack(due_ids))\nend\n",
					"redis.call('XDEL', ready, unpack(delivered))\n")),

	RETRY_COUNTS_LAST("retry writes the new score before it counts the failure",
			ScriptEdit.moved("settle", "if #counts > 0 then\n  redis.call('HSET', failures, unpack(counts))\nend\n",
					"if #gone > 0 then\n  redis.call('HDEL', failures")),

	DEATH_IS_WRITTEN_LAST("a dead letter loses its entry before it is dead",
			ScriptEdit.moved("settle", "if #died > 0 then\n  redis.call('ZADD', dead, unpack(died))\nend\n",
					"redis.call('XDEL', ready, unpack(delivered))\n")),

	SETTLE_ACKNOWLEDGES_FIRST("settle: XACK before XDEL",
			ScriptEdit.moved("settle", "redis.call('XACK', ready, 'consumers', unpack(delivered))\n",
					"redis.call('XDEL', ready, unpack(delivered))\n")),

	ACKNOWLEDGE_ACKNOWLEDGES_FIRST("acknowledge: XACK before XDEL",
			ScriptEdit.moved("acknowledge", "redis.call('XACK', ready, 'consumers', unpack(delivered))\n",
					"remove_entries(delivered, oldest)\n")),

	RECLAIM_ACKNOWLEDGES_FIRST("reclaim: XACK before XDEL",
			ScriptEdit.moved("reclaim", "  redis.call('XACK', ready, 'consumers', entry)\n", "  if found then\n")),

	CANCEL_ACKNOWLEDGES_FIRST("cancel: XACK before XDEL",
			ScriptEdit.moved("cancel", "    redis.call('XACK', ready, 'consumers', entry)\n",
					"    redis.call('XDEL', ready, entry)\n")),

	RECLAIM_CLEARS_ENTRY_FIRST("reclaim removes the fence before the new score is set",
			ScriptEdit.moved("reclaim", "      redis.call('HDEL', entries, id)\n",
					"      local group = groups_of(keys, {id})[1]\n      local settle")),

	// Groups

	DROP_BEFORE_RECORD("the oldest is dropped before the record that needs its slot is written",
			ScriptEdit.moved("part/write_decided", """
					  for _, oldest in ipairs(call.dropped) do
					    if not oldest.n then
					      drop(keys, call, oldest)
					    end
					  end
					""", "  if batch.count > 0 then\n")),

	DROP_TAKES_ACTIVE("the oldest is dropped although a consumer has it",
			new ScriptEdit("part/quota", " and not group.entry_of[group.checked]\n", "\n"),
			new ScriptEdit("part/quota", " and not redis.call('ZSCORE', keys.active, name .. '\\0' .. id) then",
					" then")),

	DROP_LEAVES_GROUP_FIRST("a dropped message leaves its place before the record",
			ScriptEdit.moved("part/quota", "  redis.call('ZREM', keys.parked, oldest.member)\n",
					"  redis.call('HDEL', keys.messages, id)\n")),

	DROP_LEAVES_NO_TOMBSTONE("a drop leaves no tombstone",
			ScriptEdit.without("part/quota",
					"    redis.call('ZADD', keys.done, token_ends(token, call.now, call.ends), '\\0' .. token)\n")),

	QUOTA_IS_IGNORED("schedule does not check the quota",
			new ScriptEdit("part/quota", "  if group.count >= call.quota and drops == 0 then", "  if false then"),
			new ScriptEdit("schedule", "      is_plain = count_of[name] <= quota\n", "")),

	PARK_REMOVES_FIRST("sweep removes the messages that it parks from the due times first",
			ScriptEdit.moved("part/write_sweep", """
					  if #run.parking > 0 then
					    redis.call('ZREM', keys.scheduled, unpack(run.parking))
					  end
					""", "  if #run.parking > 0 then\n    redis.call('ZADD'")),

	UNPARK_REMOVES_FIRST("unpark removes a message from the parked ones before it schedules it",
			ScriptEdit.moved("part/unpark", "      redis.call('ZREM', keys.parked, member)\n",
					"      if redis.call('HGET', keys.grouped, id)")),

	SWEEP_DOES_NOT_UNPARK("sweep does not unpark messages",
			ScriptEdit.without("part/write_sweep", "  unpark_each(keys, run.to_unpark, run.batch)\n")),

	SWEEP_IGNORES_PARKED("sweep gives a slot to a message that is due later than a parked one",
			new ScriptEdit("part/choose", "  if run.any_parked and #redis", "  if false and #redis")),

	LIMIT_IS_IGNORED("sweep ignores the limit of a group",
			new ScriptEdit("part/choose", "if of_group.free <= 0 or is_overtaking", "if is_overtaking")),

	STRICT_RETRY_FREES_SLOT("a retry frees its slot in a strict group",
			new ScriptEdit("settle", "  elseif group and not keeps then", "  elseif group then")),

	RETRY_KEEPS_SLOT("a retry keeps its slot in a group that is not strict",
			new ScriptEdit("settle", "  elseif group and not keeps then", "  elseif false then")),

	DEAD_KEEPS_SLOT("a dead letter keeps its slot of the quota",
			new ScriptEdit("part/dead_slots", "  if not keeps_quota then", "  if false then")),

	REPAIR_LEAVES_REMAINS("repair leaves data without a record",
			new ScriptEdit("repair", "    elseif failed or fault.remove_group or fault.remove_expiry then",
					"    elseif false then")),

	// Holds

	READ_IGNORES_THE_HOLD("a read delivers messages of a held queue",
			new ScriptEdit("part/read", "  elseif held then\n", "  elseif false then\n")),

	READ_IGNORES_HELD_GROUPS("a read does not mark messages of a held group",
			new ScriptEdit("part/held_groups", "found[n] = name ~= '' and held[name]", "found[n] = false")),

	RELEASE_OF_ONE_ENDS_ALL("the release of a group removes the latest end of all holds",
			new ScriptEdit("end-holds", "if left == 0 and latest then", "if latest then"));

	private final String sentence;

	private final List<ScriptEdit> edits;

	ScriptFault(String sentence, ScriptEdit... edits) {
		this.sentence = sentence;
		this.edits = List.of(edits);
		// Fails if a script has no longer the text that an edit changes
		this.edits.forEach((edit) -> in(edit.file() + ".lua", ScriptText.ofPart(edit.file() + ".lua").text()));
	}

	boolean changes(StoreScript script) {
		return !ScriptText.of(script, this::in).equals(ScriptText.of(script));
	}

	/** The text of a file with this fault. */
	String in(String file, String text) {
		String edited = text;
		for (ScriptEdit edit : this.edits) {
			if (file.equals(edit.file() + ".lua")) {
				edited = edit.in(edited);
			}
		}
		return edited;
	}

	@Override
	public String toString() {
		return this.sentence;
	}

}
