/* Formats numbers, times and states. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The ages from which overdue messages count as slow, and as late. */
const SLOW = 30 * SECOND;
const LATE = 5 * MINUTE;

const plain = new Intl.NumberFormat('en');
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

function count(number) {
	return Math.abs(number) < 1_000_000 ? plain.format(number) : compact.format(number);
}

function counted(number, one, many) {
	return `${count(number)} ${number === 1 ? one : many || `${one}s`}`;
}

function rate(perSecond) {
	return perSecond === 0 ? '0' : perSecond < 0.095 ? perSecond.toFixed(2)
		: perSecond < 9.95 ? perSecond.toFixed(1) : count(Math.round(perSecond));
}

/** A duration in its largest unit, and in the next one while there are few of the first. */
function duration(millis) {
	const ms = Math.max(0, millis);
	if (ms < SECOND) {
		return `${Math.round(ms)}\u00a0ms`;
	}
	if (ms < 10 * SECOND) {
		return `${(ms / SECOND).toFixed(1).replace('.0', '')}\u00a0s`;
	}
	const units = [[DAY, 'd'], [HOUR, 'h'], [MINUTE, 'min'], [SECOND, 's']];
	const first = units.findIndex(([size]) => ms >= size);
	const [size, name] = units[first];
	const whole = Math.floor(ms / size);
	const rest = first < units.length - 1 ? Math.floor((ms % size) / units[first + 1][0]) : 0;
	return `${plain.format(whole)}\u00a0${name}` + (rest > 0 && whole < 10 ? ` ${rest}\u00a0${units[first + 1][1]}` : '');
}

/** An instant relative to now. */
function relative(iso) {
	const ahead = Date.parse(iso) - now();
	if (Math.abs(ahead) < SECOND) {
		return 'now';
	}
	const rounded = Math.abs(ahead) < 10 * SECOND ? Math.round(Math.abs(ahead) / SECOND) * SECOND : Math.abs(ahead);
	return ahead > 0 ? `in ${duration(rounded)}` : `${duration(rounded)} ago`;
}

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const clock = new Intl.DateTimeFormat('sv', { dateStyle: 'short', timeStyle: 'medium' });
const shortClock = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });

/** An instant by the user's clock, with the time zone. */
function absolute(iso) {
	return `${clock.format(Date.parse(iso))} ${zone}`;
}

function since(iso) {
	return now() - Date.parse(iso);
}

const STATES = {
	SCHEDULED: { name: 'Scheduled', level: 'info', description: 'waits for its due time' },
	PARKED: { name: 'Parked', level: 'info', description: 'is due and waits because its group is at its limit or held' },
	READY: { name: 'Ready', level: 'ok', description: 'is due and not delivered to a consumer yet' },
	PENDING: { name: 'In flight', level: 'ok', description: 'is with a consumer' },
	DEAD: { name: 'Dead', level: 'bad', description: 'is a dead letter; it is not handled until it is redriven' },
	FINISHED: { name: 'Finished', level: 'info', description: 'has ended' }
};

/** How messages end. */
const ENDS = {
	ACKNOWLEDGED: { level: 'ok', word: 'handled', description: 'Its handler handled it' },
	DEAD_LETTERED: { level: 'bad', word: 'dead-lettered', description: 'It was dead-lettered' },
	CANCELLED: { level: 'info', word: 'cancelled', description: 'It was cancelled' },
	EXPIRED: { level: 'warn', word: 'expired', description: 'It expired and was dropped' },
	DROPPED: { level: 'warn', word: 'dropped', description: 'It was dropped, because its group was at its quota' },
	PURGED: { level: 'warn', word: 'purged', description: 'An operator purged it with its queue' },
	DISCARDED: { level: 'warn', word: 'discarded', description: 'An operator discarded this dead letter' },
	MOVED: { level: 'warn', word: 'moved', description: 'This dead letter was moved to the dead-letter queue' }
};

const REASONS = {
	HANDLER_FAILED: 'its handler failed in every attempt',
	TIMED_OUT: 'its handler ran for longer than its timeout',
	NEVER_RETRIED: 'its handler failed with an exception that is never retried',
	UNREADABLE: 'its payload cannot be read',
	DEFERRED_TOO_OFTEN: 'its handler deferred it too often',
	EXPIRED: 'it expired before it was handled',
	CRASHED: 'its consumer stopped renewing the lease too often'
};

/** The last part of a class name. */
function shortName(type) {
	return type.slice(type.lastIndexOf('.') + 1);
}

/** Why due messages of a queue wait although they are not late; null if there is no such cause. */
function waitsBecause(queue) {
	return queue.paused ? 'paused' : queue.held ? 'held' : queue.throttled ? 'throttled' : null;
}

/** Whether messages are due that no process consumes; if the members are unknown, the number of members is undefined. */
function isForsaken(queue) {
	return queue.members === 0 && queue.overdue + queue.ready > 0 && !waitsBecause(queue);
}

/** How late the overdue messages of a queue are. */
function overdueLevel(queue) {
	return waitsBecause(queue) || queue.overdue === 0 ? '' : isForsaken(queue) || queue.oldestOverdueMillis >= LATE ? 'bad'
		: queue.oldestOverdueMillis >= SLOW ? 'warn' : '';
}

/** The problems of a queue, the worst first. */
function conditions(queue) {
	const found = [];
	const due = queue.overdue + queue.ready;
	const age = duration(queue.oldestOverdueMillis);
	if (isForsaken(queue)) {
		found.push({ level: 'bad', word: 'no consumer', description: `${counted(due, 'message')} ${due === 1 ? 'is' : 'are'} due`
			+ (queue.overdue > 0 ? `, the oldest for ${age}` : '') });
	}
	else if (overdueLevel(queue)) {
		found.push({ level: overdueLevel(queue), word: overdueLevel(queue) === 'bad' ? 'late' : 'slow',
			description: `${counted(queue.overdue, 'message')} overdue, the oldest for ${age}` });
	}
	const failing = failures(queue.name);
	if (failing) {
		found.push({ level: 'warn', word: 'failing', description: `${failing} of the latest attempts in this process have failed` });
	}
	if (queue.dead > 0) {
		found.push({ level: 'warn', word: 'dead letters', description: `${counted(queue.dead, 'message')} dead-lettered`,
			dead: true });
	}
	if (queue.paused) {
		const long = queue.pausedSince ? `for ${duration(since(queue.pausedSince))}, ` : '';
		found.push({ level: 'warn', word: 'paused', description: long + (due > 0
			? `${counted(due, 'message')} ${due === 1 ? 'is' : 'are'} due` : 'nothing is due') });
	}
	if (queue.held) {
		found.push({ level: 'warn', word: 'held', description: `until ${relative(queue.heldUntil)}, ` + (due > 0
			? `${counted(due, 'message')} ${due === 1 ? 'is' : 'are'} due` : 'nothing is due') });
	}
	if (queue.throttled) {
		found.push({ level: 'info', word: 'throttled', description: `${counted(queue.overdue, 'message')} ${queue.overdue === 1
			? 'waits' : 'wait'} because of its limits, the oldest for ${age}` });
	}
	if (queue.heldGroups > 0) {
		found.push({ level: 'info', word: 'groups held', description: `${counted(queue.heldGroups, 'group')} held` });
	}
	if (queue.drainingSince) {
		found.push({ level: 'info', word: 'draining',
			description: `it accepts no new messages, for ${duration(since(queue.drainingSince))}` });
	}
	const order = ['bad', 'warn', 'info'];
	return found.sort((one, other) => order.indexOf(one.level) - order.indexOf(other.level));
}
