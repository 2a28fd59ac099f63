/* The history of a queue: how its messages have ended. */

const endedView = {

	title: ({ queue }) => `History of ${queue}`,

	state: () => ({ pages: [''] }),

	load({ queue, state }) {
		return read([queue, 'history'], { limit: LETTERS, from: state.pages[state.pages.length - 1] });
	},

	render({ queue, state, data }) {
		const columns = [
			{ name: 'Message', class: 'name', cell: (one) => link(messageRoute(queue, one.id, one.group), one.id) },
			data.messages.some((one) => one.group) && { name: 'Group', cell: (one) => one.group },
			{ name: 'End', cell: (one) => chip(ENDS[one.how].level, ENDS[one.how].word, ENDS[one.how].description) },
			{ name: 'When', class: 'when', cell: (one) => time(one.at) },
			{ name: 'Attempts', class: 'number', cell: (one) => number(one.attempts) },
			{ name: 'Took', class: 'number', title: 'How long the handler of the last attempt ran',
				cell: (one) => one.tookMillis === undefined ? h('span', { class: 'none' }, '–') : duration(one.tookMillis) },
			{ name: 'Last failure', class: 'why', cell: (one) => failure(one.lastFailure) },
			{ name: 'Process', class: 'name', cell: (one) => one.where }
		].filter(Boolean);
		return [
			h('div', { class: 'head' }, h('h1', {}, 'History of ', link(queueRoute(queue), queue))),
			h('section', { class: 'card', 'aria-label': 'History', 'data-key': 'history' },
				data.messages.length > 0 ? table('History', columns,
					data.messages.map((one) => ({ key: `${keyOf(one)} ${one.how} ${one.at}`, of: one })))
					: empty('No end of a message is known', 'Either none has ended, or the queue keeps no history.'),
				pager(state, data.next, data.messages.length))
		];
	}

};
