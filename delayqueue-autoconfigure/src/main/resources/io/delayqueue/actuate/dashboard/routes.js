/* The addresses of the views. */

function queueRoute(name, ...rest) {
	return ['#/queues', encodeURIComponent(name), ...rest].join('/');
}

/** Identifies a message in a list: messages of several groups may have the same id. */
function keyOf({ epoch, partition, id, group }) {
	return [epoch, partition, id, group || ''].map(encodeURIComponent).join(':');
}

/** The address of a message of a group, or without a group of any message with the id. */
function messageRoute(queue, id, group) {
	return queueRoute(queue, 'messages', ...[id, group].filter(Boolean).map(encodeURIComponent));
}

/** The view of the current address, with new state. */
function routed() {
	let segments;
	try {
		segments = location.hash.replace(/^#\/?/, '').split('/').filter(Boolean).map(decodeURIComponent);
	}
	catch (broken) {
		segments = ['?'];
	}
	const [root, queue, part, id, group, more] = segments;
	const names = segments.length === 0 ? { view: overview }
		: root === 'recurring' && queue === undefined ? { view: recurringView }
		: root !== 'queues' || !queue || more !== undefined ? null
			: part === undefined ? { view: queueView, queue }
				: part === 'groups' && id !== undefined && group === undefined ? { view: queueView, queue, chosen: id }
				: part === 'dead' && id === undefined ? { view: deadView, queue }
				: part === 'history' && id === undefined ? { view: endedView, queue }
				: part === 'recurring' && id === undefined ? { view: recurringView, queue }
					: part === 'messages' && id !== undefined ? { view: messageView, queue, id, group } : null;
	return names && { ...names, state: names.view.state(names), data: null, problem: null, at: null };
}

function path({ queue, view, id }) {
	const crumb = (route, text, last) => h('li', {}, last ? h('span', { 'aria-current': 'page' }, text) : link(route, text));
	return h('ol', {}, queue && crumb(queueRoute(queue), queue, view === queueView),
		view === deadView && crumb('', 'dead letters', true),
		view === endedView && crumb('', 'history', true), view === recurringView && crumb('', 'recurring', true), id !== undefined && crumb('', id, true));
}
