/* Shows and refreshes the current view, and handles keys. */

const REFRESH = 5 * SECOND;
const main = document.getElementById('main');
const banner = document.getElementById('banner');
const pulse = document.getElementById('pulse');

let current = null;
let turn = 0;
let timer;

/** Shows the current data. */
function draw() {
	const { view, data, problem, at } = current;
	document.title = `${view === overview ? '' : `${view.title(current)} – `}Delay queues`;
	morph(document.getElementById('path'), [path(current)]);
	banner.hidden = !problem;
	if (problem) {
		morph(banner, [h('strong', {}, problem.message), h('span', {}, problem.similar.length > 0 ? ['Did you mean ',
			problem.similar.map((name, at) => [at > 0 && ' or ', link(queueRoute(name), name)]), '?'] : problem.advice || ''),
			at && h('span', {}, ` Below is the data of ${at.toLocaleTimeString()}.`)].filter(Boolean));
	}
	main.classList.toggle('stale', Boolean(problem && data));
	pulse.className = `pulse ${problem ? 'bad' : 'ok'}`;
	pulse.title = problem ? problem.message : 'Live: refreshed every 5 seconds';
	pulse.textContent = problem ? 'not live' : 'live';
	morph(main, data ? view.render(current).filter(Boolean)
		: problem ? [hiddenHeading(view.title(current))] : [hiddenHeading(view.title(current)), h('div', { class: 'empty', 'aria-busy': 'true' }, 'Reading ...')]);
	main.setAttribute('aria-busy', String(!data && !problem));
}

/** Reads the view again, and schedules the next refresh: the slower the answer, the later. */
async function refresh() {
	if (!current) {
		return;
	}
	const mine = ++turn;
	const loading = current;
	const began = performance.now();
	clearTimeout(timer);
	pulse.classList.add('busy');
	try {
		const data = await loading.view.load(loading);
		if (mine !== turn) {
			return;
		}
		Object.assign(loading, { data, problem: null, at: new Date() });
		draw();
	}
	catch (problem) {
		if (mine !== turn) {
			return;
		}
		if (problem instanceof Problem) {
			loading.problem = problem;
		}
		else {
			loading.data = null;
			loading.problem = new Problem(-1, 'This page has failed', `${problem}. Reload it; if that does not help, report it.`);
		}
		draw();
	}
	schedule(performance.now() - began);
}

function schedule(took) {
	const refused = current.problem && [401, 403].includes(current.problem.status);
	clearTimeout(timer);
	if (document.visibilityState === 'visible') {
		timer = setTimeout(refresh, Math.max(refused ? 6 * REFRESH : REFRESH, 4 * took));
	}
}

function open() {
	if (dialog.open) {
		dialog.close();
	}
	current = routed();
	main.classList.remove('stale');
	main.replaceChildren();
	scrollTo(0, 0);
	if (!current) {
		turn++;
		clearTimeout(timer);
		banner.hidden = true;
		document.title = 'Delay queues';
		document.getElementById('path').replaceChildren();
		main.replaceChildren(hiddenHeading('Unknown address'), empty('There is nothing here', link('#/', 'To all queues')));
		main.setAttribute('aria-busy', 'false');
		return;
	}
	draw();
	main.focus();
	refresh();
}

const KEYS = {
	'/': () => {
		const filter = document.getElementById('filter');
		if (filter) {
			filter.focus();
		}
	},
	g: () => {
		location.hash = '#/';
	},
	r: refresh,
	'?': help
};

function pressed(event) {
	const field = event.target.closest('input, select, textarea, dialog');
	if (event.key === 'Escape' && field && field.id === 'filter') {
		if (field.nodeName === 'INPUT' && field.value) {
			field.value = '';
			field.dispatchEvent(new Event('input', { bubbles: true }));
		}
		field.blur();
	}
	const does = KEYS[event.key];
	if (does && !field && !event.ctrlKey && !event.metaKey && !event.altKey) {
		event.preventDefault();
		does();
	}
}

function start() {
	document.getElementById('refresh').onclick = refresh;
	document.getElementById('help').onclick = help;
	if (!config.endpoint || framed) {
		pulse.hidden = true;
		main.append(hiddenHeading('Delay queues'), framed ? empty('This page does not work in a frame',
			h('a', { href: location.href, target: '_blank', rel: 'noopener' }, 'Open it in a window'))
			: empty('The endpoint delayqueue is not exposed', 'This page shows the data of that endpoint. ' + exposeAdvice(),
				h('code', {}, 'management.endpoints.web.exposure.include=health,delayqueue,delayqueuedashboard')));
		return;
	}
	if (!mayOperate) {
		document.getElementById('access').append(chip('info', 'read only',
			'To operate queues set management.endpoint.delayqueue.access to unrestricted'));
	}
	addEventListener('hashchange', open);
	addEventListener('keydown', pressed);
	document.addEventListener('visibilitychange', () => {
		clearTimeout(timer);
		if (document.visibilityState === 'visible') {
			refresh();
		}
	});
	open();
}

start();
