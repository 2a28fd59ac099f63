/* One queue: its counts, upcoming due times, consumers and messages. */

function horizon(queue) {
	const { horizon: at } = queue;
	const steps = [['Overdue', at.overdue, overdueLevel(queue)], ['In a minute', at.withinMinute],
		['In 10 min', at.within10Minutes - at.withinMinute], ['In an hour', at.withinHour - at.within10Minutes],
		['In a day', at.withinDay - at.withinHour], ['Later', at.later]];
	const most = Math.max(...steps.map(([, number]) => number));
	return card('Upcoming', { class: 'horizon' }, most > 0
		? h('ul', { class: 'bars' }, steps.map(([name, number, level]) => bar(name, number, most, level)))
		: queue.parked > 0 ? empty('All are parked', 'They are due, and wait because their group is at its limit or held.') : empty('Nothing is scheduled'));
}

function measured(queue) {
	const past = history(queue.name);
	const line = (name, shown) => h('li', {}, h('span', {}, name), shown);
	return card('Live measurements', { class: 'lines' }, h('ul', {},
		line('Waiting', sparkline('Waiting', past.waiting, count)),
		line('Due, not in flight', sparkline('Due, not in flight', past.overdue, count)),
		past.metered && line('Handled/s, this process', sparkline('Handled each second', past.handled, rate)),
		past.metered && line('Failed/s, this process', sparkline('Failed each second', past.failed, rate,
			past.failed.some(Boolean) ? 'bad' : '')),
		past.metered && line('Lateness, this process', sparkline('Lateness', past.lateness, duration))),
	past.metered ? past.worst > 0 && h('p', { class: 'note' }, `Maximum lateness of the last minutes: ${duration(past.worst)}.`) : h('p', { class: 'note' }, 'The process that serves this page does not handle the queue, or has no meters.'));
}

function workers(queue) {
	const listeners = queue.listeners || [];
	const known = queue.consumerDetails.map((one) => one.name);
	// Before Redis 7.2 a member is no consumer of the consumer group until its first message
	const consumers = [...queue.consumerDetails, ...queue.memberNames.filter((name) => !known.includes(name))
		.map((name) => ({ name, inFlight: 0 }))];
	return card('Listeners and consumers', {},
		listeners.length > 0 ? table('Listeners of this process', [
			{ name: 'Listener', class: 'name', cell: (one) => one.id },
			{ name: 'Status', cell: (one) => one.paused ? chip('warn', 'paused') : one.running ? chip('ok', 'running')
				: chip('bad', 'stopped') },
			{ name: 'In flight', class: 'number', cell: (one) => `${count(one.inFlight)} of ${count(one.concurrency)}` }
		], listeners.map((one) => ({ key: one.id, of: one })))
			: h('p', { class: 'note' }, 'The process that serves this page has no listener for it.'),
		consumers.length > 0 ? table('Consumers of all processes', [
			{ name: 'Process', class: 'name', cell: (one) => one.name },
			{ name: 'Status', cell: (one) => queue.memberNames.includes(one.name) ? chip('ok', 'member')
				: chip('info', 'no member', 'It has ended, or it does not sweep') },
			{ name: 'In flight', class: 'number', cell: (one) => count(one.inFlight) },
			{ name: 'Silent for', class: 'number', title: 'Time since it last received a message or tried to read one',
				cell: (one) => one.silentMillis === undefined ? h('span', { class: 'none' }, '–') : duration(one.silentMillis) }
		], consumers.map((one) => ({ key: one.name, of: one })))
			: queue.members === 0 && empty('No consumer', 'Start an application with @DelayedListener for this queue.'));
}

/** What is held: by which handler or operator, why and until when. */
function holds(queue) {
	return card('Holds', { class: 'holds' }, table('Holds', [
		{ name: 'Held', class: 'name', cell: (one) => one.group === null ? 'the whole queue' : `group ${one.group}` },
		{ name: 'Until', class: 'when', cell: (one) => time(one.until) },
		{ name: 'By', cell: (one) => h('span', { title: one.process }, one.by === 'HANDLER' ? 'a handler' : 'an operator') },
		{ name: 'Process', class: 'name', cell: (one) => one.process },
		{ name: 'Why', class: 'why', cell: (one) => one.why || '–' },
		mayOperate && { name: '', cell: (one) => one.group !== null
			&& actionButton('Release', () => release(queue.name, one.group), { class: 'quiet' }) }
	].filter(Boolean), queue.holds.map((one) => ({ key: one.group === null ? 'queue' : `group ${one.group}`, of: one }))));
}

/** The limits over all processes; the time is an ISO 8601 duration such as PT1S. */
function limits({ messages, per, burst, stored, maxInFlight }) {
	return h('p', { class: 'note limits' }, 'Limits of all processes together: ',
		[messages && `${count(messages)} messages in ${per.slice(2).toLowerCase()}, at most ${count(burst)} at once${stored ? ', set by an operator' : ''}`,
			maxInFlight > 0 && `${count(maxInFlight)} in flight`].filter(Boolean).join('; '), '.');
}

function memberName(name) {
	return name || h('span', { class: 'none' }, '–');
}

/** The partition counts of a queue whose count was changed while messages were waiting. */
function epochs(queue) {
	return table('Partition counts', [
		{ name: 'Epoch', class: 'number', cell: (one) => count(one.number) },
		{ name: 'Partitions', class: 'number', cell: (one) => count(one.partitions) },
		{ name: 'Status', cell: (one) => ({ current: 'gets new messages', older: 'ends when it is empty',
			announced: 'gets new messages in a moment' }[one.state]) },
		{ name: 'Messages', class: 'number', cell: (one) => number(one.messages) },
		{ name: 'Dead', class: 'number', cell: (one) => number(one.dead) },
		{ name: 'Last due', class: 'when', cell: (one) => time(one.lastDue) }
	], queue.epochs.map((one) => ({ key: String(one.number), of: one })));
}

function partitions(queue) {
	const several = queue.epochs.length > 1;
	return h('details', { class: 'card', 'data-key': 'partitions' },
		h('summary', {}, counted(queue.partitions.length, 'partition')), several && epochs(queue), table('Partitions', [
			several && { name: 'Epoch', class: 'number', cell: (one) => count(one.epoch) },
			{ name: 'Partition', class: 'number', cell: (one) => count(one.number) },
			...['scheduled', 'overdue', 'ready', 'pending', 'dead'].map((part) => ({ class: 'number',
				name: { scheduled: 'Waiting', pending: 'In flight' }[part] || part[0].toUpperCase() + part.slice(1),
				cell: (one) => number(one[part]) })),
			{ name: 'Owner', title: 'The member that reclaims, audits and repairs it',
				cell: (one) => memberName(one.owner) },
			{ name: 'Standby', title: 'The member that becomes the owner when the owner is no member any more',
				cell: (one) => memberName(one.standby) }
		].filter(Boolean), queue.partitions.map((one) => ({ key: `${one.epoch}:${one.number}`, of: one }))));
}

/** The scheduled messages without and with a failed attempt, by the parameter of the endpoint. */
const WAITING = { false: 'First attempts', true: 'Retries' };

function messages(queue, page, state) {
	const tabs = [['SCHEDULED', '', queue.scheduled - queue.parked], ['SCHEDULED', 'false'], ['SCHEDULED', 'true'], ['PARKED', '', queue.parked],
		['READY', '', queue.ready], ['PENDING', '', queue.pending]];
	const byGroup = page.state === undefined;
	const when = byGroup ? ['Next attempt, or dead since', 'nextAttemptAt'] : { SCHEDULED: ['Next attempt', 'nextAttemptAt'], PARKED: ['Due', 'dueAt'],
		READY: ['Ready', 'readyAt'], PENDING: ['Ready', 'readyAt'] }[page.state];
	const chosen = (change) => {
		Object.assign(state, change, { pages: [''] });
		refresh();
	};
	const columns = [
		{ name: 'Message', class: 'name', cell: (one) => link(messageRoute(queue.name, one.id, one.group), one.id) },
		page.messages.some((one) => one.group) && { name: 'Group', cell: (one) => one.group },
		{ name: when[0], class: 'when', cell: (one) => time(one[when[1]] || one.diedAt || one.dueAt) },
		byGroup && { name: 'State', cell: (one) => chip(STATES[one.state].level, STATES[one.state].name,
			`It ${STATES[one.state].description}`) },
		page.state === 'PENDING' && { name: 'Process', class: 'name', cell: (one) => one.consumer || '–' },
		page.state === 'PENDING' && { name: 'Silent for', class: 'number', cell: (one) => duration(one.idleMillis || 0) },
		{ name: 'Failed', class: 'number', cell: (one) => number(one.attempts) },
		{ name: 'Last failure', class: 'why', cell: (one) => failure(one.lastFailure) }
	].filter(Boolean);
	return card('Messages', { class: 'messages' },
		h('div', { class: 'bar-of-tools' },
			h('div', { class: 'tabs', role: 'group', 'aria-label': 'State' }, tabs.map(([name, retries, messages]) =>
				button(messages === undefined ? WAITING[retries] : `${STATES[name].name} ${count(messages)}`, () => {
					document.getElementById('group').value = '';
					chosen({ show: name, retries, group: '' });
				},
					{ 'aria-pressed': String(!state.group && name === state.show && retries === state.retries) }))),
			link(queueRoute(queue.name, 'history'), 'History'),
			link(queueRoute(queue.name, 'recurring'), 'Recurring'),
			h('input', { type: 'search', id: 'group', value: state.group, placeholder: 'Filter by group', 'aria-label': 'Show the messages of groups that begin with this text',
				autocomplete: 'off', spellcheck: 'false', onchange: (event) => chosen({ group: event.target.value.trim() }) }),
			h('form', { class: 'find', onsubmit: (event) => {
				event.preventDefault();
				const id = event.target.querySelector('input').value.trim();
				location.hash = id ? messageRoute(queue.name, id) : location.hash;
			} }, h('input', { type: 'search', id: 'filter', placeholder: 'Find by id  /', 'aria-label': 'Find a message by its id',
				autocomplete: 'off', spellcheck: 'false' }))),
		page.messages.length > 0 ? table('Messages', columns, page.messages.map((one) => ({ key: keyOf(one), of: one })))
			: byGroup ? empty('No message has a group that begins with this text', 'Groups are case-sensitive.')
				: page.next ? empty('None among the messages that were read', 'More messages follow on the next page.')
					: state.retries === 'true' ? empty('No message waits for a retry', 'A message whose attempt has failed waits here for the next one.')
						: empty(`No message is ${STATES[page.state].name.toLowerCase()}`, 'A message in this state ' + STATES[page.state].description + '.'),
		pager(state, page.next, page.messages.length));
}

function failure(last) {
	return last ? h('span', {}, h('b', {}, last.exception ? shortName(last.exception) : last.reason), ` ${last.message}`)
		: h('span', { class: 'none' }, '–');
}

const queueView = {

	title: ({ queue }) => queue,

	state: ({ chosen }) => ({ pages: [''], show: 'SCHEDULED', retries: '', group: chosen || '', over: 'hour' }),

	async load({ queue, state }) {
		const [one, page, figures, trend] = await Promise.all([read([queue]), read([queue, 'messages'],
			{ ...state.group ? { groupPrefix: state.group } : { state: state.show, retries: state.retries }, from: state.pages[state.pages.length - 1] }), readFigures(), readTrend(queue, state)]);
		sample([one], figures);
		return { one, page, trend };
	},

	render({ state, data: { one, page, trend } }) {
		const found = conditions(one);
		return [
			h('div', { class: 'head' }, h('h1', {}, one.name), status(one), mayOperate && pauseButton(one)),
			found.length > 0 && h('p', { class: 'calm' }, found.map(({ word, description }) => `${word}: ${description}`).join('; '), '.'),
			h('section', { class: 'tiles', 'aria-label': 'Counts' },
				tile('Waiting', count(one.scheduled), '', [one.parked > 0 && `${count(one.parked)} parked`, one.overdue > 0 ? `${count(one.scheduled - one.parked - one.overdue)} not due yet`
					: one.nextDue && `next due ${dueAt(one.nextDue)}`].filter(Boolean).join(', ') || 'nothing scheduled'),
				tile('Overdue', count(one.overdue), overdueLevel(one), one.overdue > 0
					? `${waitsBecause(one) ? `${waitsBecause(one)}, ` : ''}oldest for ${duration(one.oldestOverdueMillis)}` : one.parked > 0 ? 'without those that are parked' : 'nothing is late'),
				tile('Ready', count(one.ready), '', one.members === undefined ? '' : counted(one.members, 'member')),
				tile('In flight', count(one.pending), '', one.pending > 0
					? `silent for ${duration(one.oldestPendingIdleMillis)} at most` : 'nothing is handled'),
				tile('Dead letters', count(one.dead), one.dead > 0 ? 'warn' : '', one.dead > 0 ? 'show them' : 'none',
					queueRoute(one.name, 'dead'))),
			one.limits && limits(one.limits),
			one.holds.length > 0 && holds(one),
			h('div', { class: 'columns' }, horizon(one), measured(one)),
			trendPart(one, trend, state),
			messages(one, page, state),
			h('div', { class: 'columns' }, workers(one), operations(one)),
			partitions(one)
		];
	}

};
