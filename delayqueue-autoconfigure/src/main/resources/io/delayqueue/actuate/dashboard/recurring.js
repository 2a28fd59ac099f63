/* The recurring schedules of a queue. */

function instants(one) {
	return one.cron ? `${one.cron} ${one.zone}` : `every ${one.every.slice(2).toLowerCase()}`;
}

function scheduleStatus(one) {
	return one.pausedSince ? chip('warn', 'paused', `for ${duration(since(one.pausedSince))}`)
		: one.suspendedSince ? chip('warn', 'suspended', `No process of ${one.application} has declared it for ${duration(since(one.suspendedSince))}`)
			: one.lateMillis >= MINUTE ? chip('bad', 'late', `Its next occurrence should have been stored ${duration(one.lateMillis)} ago`)
				: one.upcoming.length === 0 ? chip('info', 'over', 'No instant follows') : chip('ok', 'active');
}

async function operateSchedule(queue, key, action, done) {
	await operate(queue, action, { key });
	notify('ok', `Recurring schedule ${key} ${done}.`);
}

function scheduleOperations(queue, { key, pausedSince }) {
	return h('span', { class: 'buttons' }, pausedSince
		? actionButton('Resume', () => operateSchedule(queue, key, 'resume-recurring', 'is resumed'), { class: 'quiet' })
		: actionButton('Pause', () => operateSchedule(queue, key, 'pause-recurring', 'is paused'), { class: 'quiet' }),
	actionButton('Run now', () => operateSchedule(queue, key, 'run-recurring', 'has one more occurrence, due now'), { class: 'quiet' }));
}

const recurringView = {

	title: ({ queue }) => `Recurring schedules of ${queue}`,

	state: () => ({ pages: [''] }),

	load({ queue, state }) {
		return read([queue, 'recurring'], { limit: LETTERS, from: state.pages[state.pages.length - 1] });
	},

	render({ queue, state, data }) {
		const columns = [
			{ name: 'Schedule', class: 'name', cell: (one) => one.key },
			{ name: 'Status', cell: scheduleStatus },
			{ name: 'Instants', class: 'name', cell: instants },
			{ name: 'Next', class: 'when', cell: (one) => h('span', { title: one.upcoming.map(absolute).join('\n') },
				one.upcoming.length > 0 ? time(one.upcoming[0]) : '–') },
			{ name: 'Missed', class: 'number', cell: (one) => number(one.missedInstants) },
			{ name: 'Skipped', class: 'number', cell: (one) => number(one.skippedInstants) },
			{ name: 'Declared by', class: 'name', cell: (one) => memberName(one.application) },
			mayOperate && { name: '', cell: (one) => scheduleOperations(queue, one) }
		].filter(Boolean);
		return [
			h('div', { class: 'head' }, h('h1', {}, 'Recurring schedules of ', link(queueRoute(queue), queue))),
			h('section', { class: 'card', 'aria-label': 'Recurring schedules', 'data-key': 'recurring' },
				data.schedules.length > 0 ? table('Recurring schedules', columns,
					data.schedules.map((one) => ({ key: one.key, of: one })))
					: empty('The queue has no recurring schedule'),
				pager(state, data.next, data.schedules.length))
		];
	}

};
