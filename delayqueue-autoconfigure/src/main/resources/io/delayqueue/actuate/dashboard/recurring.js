/* The recurring schedules of a queue, or of all queues. */

/** The instants in words if they are known, and the cron expression with its time zone. */
function instants(one) {
	return one.cron ? [one.words && h('span', {}, one.words), h('small', {}, h('code', {}, one.cron), ` ${one.zone}`)]
		: `every ${one.every.slice(2).toLowerCase()}`;
}

function upcoming({ upcoming: [next, ...more] }) {
	return !next ? h('span', { class: 'none' }, '–') : more.length === 0 ? time(next)
		: h('details', {}, h('summary', {}, time(next)), h('ol', {}, more.map((at) => h('li', {}, time(at)))));
}

/** What has become of the last occurrence. */
function lastOutcome({ queue, group, lastOccurrence: last }) {
	if (!last) {
		return h('span', { class: 'none' }, '–');
	}
	const { state, end, attempts, lastFailure: failed } = last;
	const outcome = end ? ENDS[end.how] : !state ? { level: 'info', word: 'ended', description: 'Its queue keeps no history' }
		: state === 'SCHEDULED' && attempts > 0 ? { level: 'warn', word: 'waits for a retry', description: counted(attempts, 'failed attempt') }
			: { level: STATES[state].level, word: STATES[state].name.toLowerCase(), description: `It ${STATES[state].description}` };
	return [link(messageRoute(queue, last.id, group), chip(outcome.level, outcome.word, failed ? `${outcome.description}: ${failed.message}` : outcome.description)),
		' ', time(last.instant)];
}

function scheduleStatus(one) {
	return one.pausedSince ? chip('warn', 'paused', `for ${duration(since(one.pausedSince))}`)
		: one.suspendedSince ? chip('warn', 'suspended', `No process of ${one.application} has declared it for ${duration(since(one.suspendedSince))}`)
			: one.lateMillis >= MINUTE ? chip('bad', 'late', `Its next occurrence should have been stored ${duration(one.lateMillis)} ago`)
				: one.upcoming.length === 0 ? chip('info', 'over', 'No instant follows') : chip('ok', 'active');
}

async function runNow(queue, key) {
	await ask({ title: `Run ${key} now?`, confirm: 'Run now',
		lines: [`Queue ${queue} gets one more occurrence, due now, whether or not the last one has ended. The other occurrences do not change.`],
		work: () => operateSchedule(queue, key, 'run-recurring', 'has one more occurrence, due now') });
}

async function operateSchedule(queue, key, action, done) {
	await operate(queue, action, { key });
	notify('ok', `Recurring schedule ${key} ${done}.`);
}

function scheduleOperations({ queue, key, pausedSince }) {
	return h('span', { class: 'buttons' }, pausedSince
		? actionButton('Resume', () => operateSchedule(queue, key, 'resume-recurring', 'is resumed'), { class: 'quiet' })
		: actionButton('Pause', () => operateSchedule(queue, key, 'pause-recurring', 'is paused'), { class: 'quiet' }),
	actionButton('Run now…', () => runNow(queue, key), { class: 'quiet' }));
}

const recurringView = {

	title: ({ queue }) => queue ? `Recurring schedules of ${queue}` : 'Recurring schedules',

	state: () => ({ pages: [''] }),

	load({ queue, state }) {
		return read([queue || '*', 'recurring'], { limit: LETTERS, from: state.pages[state.pages.length - 1] });
	},

	render({ queue, state, data }) {
		const columns = [
			!queue && { name: 'Queue', class: 'name', cell: (one) => link(queueRoute(one.queue), one.queue) },
			{ name: 'Schedule', class: 'name', cell: (one) => one.key },
			{ name: 'Status', cell: scheduleStatus },
			{ name: 'Instants', class: 'instants', cell: instants },
			{ name: 'Last occurrence', class: 'when', cell: lastOutcome },
			{ name: 'Next', class: 'when', cell: upcoming },
			{ name: 'Missed', class: 'number', title: 'Instants whose occurrence could not be stored in time', cell: (one) => number(one.missedInstants) },
			{ name: 'Skipped', class: 'number', title: 'Instants without an occurrence, because the last one had not ended',
				cell: (one) => number(one.skippedInstants) },
			{ name: 'Declared by', cell: (one) => memberName(one.application) },
			mayOperate && { name: '', cell: scheduleOperations }
		].filter(Boolean);
		return [
			h('div', { class: 'head' }, h('h1', {}, queue ? ['Recurring schedules of ', link(queueRoute(queue), queue)] : 'Recurring schedules')),
			h('section', { class: 'card', 'aria-label': 'Recurring schedules', 'data-key': 'recurring' },
				data.schedules.length > 0 ? table('Recurring schedules', columns,
					data.schedules.map((one) => ({ key: `${one.queue} ${one.key}`, of: one })))
					: empty(queue ? 'The queue has no recurring schedule' : 'No queue has a recurring schedule'),
				pager(state, data.next, data.schedules.length))
		];
	}

};
