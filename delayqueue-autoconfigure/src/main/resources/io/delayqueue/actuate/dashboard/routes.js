/* Which address each view has, and which view is at an address. */

function queueRoute(name, ...rest) {
	return ['#/queues', encodeURIComponent(name), ...rest].join('/');
}

function messageRoute(queue, id) {
	return queueRoute(queue, 'messages', encodeURIComponent(id));
}

/** The view that the address names; what it shows and what was chosen there live as long as it is shown. */
function routed() {
	let segments;
	try {
		segments = location.hash.replace(/^#\/?/, '').split('/').filter(Boolean).map(decodeURIComponent);
	}
	catch (broken) {
		segments = ['?'];
	}
	const [room, queue, part, id, more] = segments;
	const names = segments.length === 0 ? { view: overview }
		: room !== 'queues' || !queue || more !== undefined ? null
			: part === undefined ? { view: queueView, queue }
				: part === 'dead' && id === undefined ? { view: deadView, queue }
					: part === 'messages' && id !== undefined ? { view: messageView, queue, id } : null;
	return names && { ...names, state: names.view.state(), data: null, problem: null, at: null };
}

function path({ queue, view, id }) {
	const crumb = (route, text, last) => h('li', {}, last ? h('span', { 'aria-current': 'page' }, text) : link(route, text));
	return h('ol', {}, queue && crumb(queueRoute(queue), queue, view === queueView),
		view === deadView && crumb('', 'dead letters', true), id !== undefined && crumb('', id, true));
}
