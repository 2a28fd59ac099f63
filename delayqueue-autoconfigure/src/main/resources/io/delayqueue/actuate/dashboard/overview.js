/* All queues: first the problems, then a line for each queue. */

function tile(name, value, level, more, route) {
	const inside = [h('span', {}, name), h('strong', {}, value), h('small', {}, more || ' ')];
	return route ? h('a', { class: `tile ${level || ''}`, href: route }, inside)
		: h('div', { class: `tile ${level || ''}` }, inside);
}

function dueAt(iso) {
	return Date.parse(iso) > now() ? relative(iso) : 'now';
}

function attention(queues, outbox) {
	const order = ['bad', 'warn', 'info'];
	const lines = queues.flatMap((queue) => conditions(queue).map((condition) => ({ queue, condition })))
		.filter(({ condition }) => condition.word !== 'throttled')
		.sort((one, other) => order.indexOf(one.condition.level) - order.indexOf(other.condition.level)
			|| other.queue.oldestOverdueMillis - one.queue.oldestOverdueMillis || other.queue.dead - one.queue.dead);
	const rows = outbox && failedRows(outbox);
	if (lines.length === 0 && !rows) {
		return h('p', { class: 'calm' }, chip('ok', 'all well'),
			' Nothing is late, no queue has dead letters, no queue is paused or held.');
	}
	const line = ({ queue, condition }) => h('li', { 'data-key': `${condition.word} ${queue.name}` },
		chip(condition.level, condition.word), link(queueRoute(queue.name, ...(condition.dead ? ['dead'] : [])), queue.name),
		h('span', {}, condition.description));
	return h('section', { class: 'attention', 'aria-label': 'Problems', 'data-key': 'attention' }, h('ul', {}, rows, lines.slice(0, 6).map(line)),
		lines.length > 6 && h('details', {}, h('summary', {}, `and ${count(lines.length - 6)} more`),
			h('ul', {}, lines.slice(6).map(line))));
}

function number(value, level) {
	return h('span', { class: value === 0 ? 'zero' : level || '' }, count(value));
}

function status(queue) {
	const found = conditions(queue);
	const busy = queue.scheduled + queue.ready + queue.pending > 0;
	return found.length > 0 ? found.map((condition) => chip(condition.level, condition.word, condition.description))
		: chip('ok', busy ? 'on time' : 'empty');
}

function throughput(name) {
	const past = history(name);
	return past.metered ? sparkline('Handled', past.handled, (value) => `${rate(value)}/s`)
		: sparkline('Waiting; this process does not handle the queue', past.waiting, (value) => `${count(value)} waiting`, 'dim');
}

function lateness(name) {
	const past = history(name);
	return past.metered ? sparkline('Lateness', past.lateness, duration)
		: h('span', { class: 'none', title: 'This process does not handle the queue, or has no meters' }, '–');
}

const COLUMNS = [
	{ name: 'Queue', by: (queue) => queue.name, class: 'name', cell: (queue) => link(queueRoute(queue.name), queue.name) },
	{ name: 'Status', class: 'status', cell: status },
	{ name: 'Waiting', by: (queue) => -queue.scheduled, class: 'number', title: 'Scheduled, due or not',
		cell: (queue) => number(queue.scheduled) },
	{ name: 'Overdue', by: (queue) => -queue.overdue, class: 'number', title: 'Due and not swept yet',
		cell: (queue) => number(queue.overdue, overdueLevel(queue)) },
	{ name: 'Ready', by: (queue) => -queue.ready, class: 'number', title: 'Due and not delivered to a consumer yet',
		cell: (queue) => number(queue.ready) },
	{ name: 'In flight', by: (queue) => -queue.pending, class: 'number', title: 'Delivered to a consumer of any process',
		cell: (queue) => number(queue.pending) },
	{ name: 'Dead', by: (queue) => -queue.dead, class: 'number', title: 'Dead letters',
		cell: (queue) => queue.dead > 0 ? link(queueRoute(queue.name, 'dead'), count(queue.dead), { class: 'warn' })
			: number(0) },
	{ name: 'Next due', by: (queue) => queue.nextDue ? Date.parse(queue.nextDue) : Infinity, class: 'when',
		cell: (queue) => time(queue.nextDue) },
	{ name: 'Throughput', class: 'line', title: 'Messages handled by this process; if it does not handle the queue, waiting messages', cell: (queue) => throughput(queue.name) },
	{ name: 'Lateness', class: 'line', title: 'On average, in this process', cell: (queue) => lateness(queue.name) }
];

/** The columns; if a group is chosen, a queue links to its messages of the group. */
function columns(group) {
	const name = (queue) => link(queueRoute(queue.name, 'groups', encodeURIComponent(group)), queue.name);
	return group ? COLUMNS.map((column) => column.name === 'Queue' ? { ...column, cell: name } : column) : COLUMNS;
}

function head(column, state) {
	return column.by ? button(column.name, () => {
		state.sort = column.name;
		draw();
	}, { class: 'sort', title: column.title || `Sort by ${column.name}` }) : column.name;
}

function members({ members: all, member: own }) {
	return h('details', { class: 'card', 'data-key': 'members' },
		h('summary', {}, counted(all.length, 'member')), all.length > 0 ? table('Members', [
			{ name: 'Member', class: 'name', title: 'A process that consumes queues',
				cell: (one) => [one.name, one.name === own && h('small', {}, ' serves this page')] },
			{ name: 'Member for', class: 'when', cell: (one) => age(one.since) },
			{ name: 'Queues', cell: (one) => h('span', { title: one.queues.join(', ') },
				one.queues.length <= 5 ? one.queues.join(', ') : counted(one.queues.length, 'queue')) },
			{ name: 'Partitions owned', class: 'number', title: 'Partitions that it reclaims, audits and repairs',
				cell: (one) => number(one.partitionsOwned) }
		], all.map((one) => ({ key: one.name, of: one })))
			: empty('No member', 'No process consumes a queue, or the list of members cannot be read.'));
}

const overview = {

	title: () => 'All queues',

	state: () => ({ pages: [''], filter: '', group: '', sort: 'Queue' }),

	async load({ state }) {
		const [page, figures, outbox] = await Promise.all([
			read([], { from: state.pages[state.pages.length - 1], group: state.group, limit: 1000 }),
			readFigures(), readOutbox()]);
		sample(page.queues, figures);
		return { ...page, outbox };
	},

	render({ state, data }) {
		const { queues } = data;
		if (queues.length === 0 && state.pages.length === 1 && !state.group) {
			return [hiddenHeading('All queues'), data.outbox && failedRows(data.outbox) && attention([], data.outbox), empty('No queue yet', 'A queue appears here when the first message is scheduled to it:',
				h('code', {}, 'delayQueue.schedule("order-timeout", new OrderTimeout(orderId), Duration.ofMinutes(15));')),
			data.outbox && outboxPart(data.outbox)];
		}
		const sum = (part) => queues.reduce((total, queue) => total + queue[part], 0);
		const late = queues.filter((queue) => !waitsBecause(queue));
		const oldest = Math.max(0, ...late.map((queue) => queue.oldestOverdueMillis));
		const waiting = sum('overdue') - late.reduce((total, queue) => total + queue.overdue, 0);
		const levels = queues.map(overdueLevel);
		const due = late.map((queue) => queue.nextDue).filter(Boolean).sort();
		const shown = queues.filter((queue) => queue.name.toLowerCase().includes(state.filter.toLowerCase()));
		const isPart = data.next || state.pages.length > 1;
		const { by } = COLUMNS.find((column) => column.name === state.sort);
		const value = (queue) => by(queue);
		const sorted = shown.map((queue) => ({ queue, value: value(queue) }))
			.sort((one, other) => one.value < other.value ? -1 : one.value > other.value ? 1 : 0);
		return [
			hiddenHeading('All queues'),
			h('section', { class: 'tiles', 'aria-label': 'All queues together' },
				tile('Waiting', count(sum('scheduled')), '', due[0] ? `next due ${dueAt(due[0])}` : ' '),
				tile('Overdue', count(sum('overdue')), levels.includes('bad') ? 'bad' : levels.includes('warn') ? 'warn' : '',
					[oldest > 0 && `oldest for ${duration(oldest)}`, waiting > 0 && `${count(waiting)} not late`]
						.filter(Boolean).join(', ') || 'nothing is late'),
				tile('In flight', count(sum('pending')), '', `${count(sum('ready'))} ready`),
				tile('Dead letters', count(sum('dead')), sum('dead') > 0 ? 'warn' : '',
					`in ${counted(queues.filter((queue) => queue.dead > 0).length, 'queue')}`)),
			isPart && h('p', { class: 'note' }, 'These numbers and problems are those of the queues on this page.'),
			attention(queues, data.outbox),
			h('section', { class: 'card', 'aria-label': 'Queues', 'data-key': 'queues' },
				h('div', { class: 'bar-of-tools' }, h('div', { class: 'head' }, h('h2', {}, counted(queues.length, 'queue')), link('#/recurring', 'Recurring'),
					mayOperate && sum('dead') > 0 && actionButton('Redrive…', redriveEverywhere, { id: 'redrive-everywhere',
						title: 'Redrives dead letters of all queues' })),
					h('input', { type: 'search', id: 'group', placeholder: 'Filter by group', 'aria-label': 'Show the queues that have messages of this group',
						autocomplete: 'off', spellcheck: 'false', onchange: (event) => {
							Object.assign(state, { group: event.target.value.trim(), pages: [''] });
							refresh();
						} }),
					h('input', { type: 'search', id: 'filter', placeholder: 'Filter  /', 'aria-label': 'Filter by name',
						autocomplete: 'off', spellcheck: 'false', oninput: (event) => {
							state.filter = event.target.value;
							draw();
						} })),
				sorted.length > 0 ? table('Queues', columns(state.group).map((column) => ({ ...column, head: head(column, state),
					sorted: column.name === state.sort ? (column.name === 'Queue' ? 'ascending' : 'descending') : undefined })),
				sorted.map(({ queue }) => ({ key: queue.name, of: queue })))
					: state.group ? empty('No queue on this page has messages of this group', 'Groups are case-sensitive.')
						: empty('No queue name contains this text', 'Esc clears the filter.'),
				pager(state, data.next, queues.length)),
			data.outbox && outboxPart(data.outbox),
			members(data),
			h('p', { class: 'note' }, 'Throughput and lateness are measured in the process that serves this page, since the page'
				+ ' was opened. All other values are the same in every process.')
		];
	}

};
