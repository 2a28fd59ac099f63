/* What all views are made of: times, links, buttons, cards, tables, lines and bars. */

function time(iso) {
	return iso ? h('time', { datetime: iso, title: iso }, relative(iso)) : h('span', { class: 'none' }, '–');
}

function chip(level, word, title) {
	return h('span', { class: `chip ${level}`, title }, word);
}

function link(route, text, attributes) {
	return h('a', { href: route, ...attributes }, text);
}

function button(text, onclick, attributes) {
	return h('button', { type: 'button', onclick, ...attributes }, text);
}

let working = false;

/** A button that does something; while it is done nothing else can be. What goes wrong is told. */
function deed(text, work, attributes) {
	return button(text, async () => {
		if (working) {
			return;
		}
		working = true;
		draw();
		try {
			await work();
		}
		catch (problem) {
			say('bad', problem.message, problem.advice);
		}
		working = false;
		refresh();
	}, { 'aria-disabled': working && 'true', ...attributes });
}

function card(title, attributes, ...children) {
	return h('section', { ...attributes, class: `card ${(attributes && attributes.class) || ''}`, 'aria-label': title,
		'data-key': title },
		h('h2', {}, title), children);
}

function empty(title, ...lines) {
	return h('div', { class: 'empty' }, h('strong', {}, title), lines.map((line) => h('p', {}, line)));
}

/** A table; each column has a name and makes a cell of a row. */
function table(label, columns, rows) {
	return h('div', { class: 'scroll' }, h('table', { 'aria-label': label, class: label.toLowerCase().replace(/ .*/, '') },
		h('thead', {}, h('tr', {}, columns.map((column) => h('th', { scope: 'col', class: column.class,
			title: column.title, 'aria-sort': column.sorted }, column.head || column.name)))),
		h('tbody', {}, rows.map((row) => h('tr', { 'data-key': row.key }, columns.map((column) =>
			h('td', { class: column.class, 'data-label': column.name }, column.cell(row.of))))))));
}

/** Goes from page to page; the endpoint says where the next one begins. */
function pager(state, next, shown) {
	const pages = state.pages;
	const turn = (change) => () => {
		change();
		refresh();
	};
	return (pages.length > 1 || next) && h('nav', { class: 'pager', 'aria-label': 'Pages' },
		button('Previous', turn(() => pages.pop()), { disabled: pages.length < 2 }),
		h('span', {}, `Page ${count(pages.length)}, ${counted(shown, 'line')}`),
		button('Next', turn(() => pages.push(next)), { disabled: !next }));
}

/** A line through values, the latest one at the right; what is not known is left out. */
function sparkline(label, values, say, level) {
	const known = values.filter((value) => value !== null);
	const most = Math.max(...known, 0);
	const last = known.length > 0 ? known[known.length - 1] : null;
	const step = 100 / Math.max(values.length - 1, 1);
	const points = values.map((value, at) => value === null ? null
		: `${(at * step).toFixed(1)},${(22 - 20 * (most > 0 ? value / most : 0)).toFixed(1)}`).filter(Boolean);
	const says = last === null ? `${label}: nothing measured yet` : `${label}: ${say(last)} now, at most ${say(most)}`;
	return h('span', { class: `spark ${most > 0 ? level || '' : 'flat'}`, title: says },
		svg('svg', { viewBox: '0 0 100 24', preserveAspectRatio: 'none', role: 'img', 'aria-label': says },
			points.length > 1 && svg('polyline', { points: points.join(' ') })),
		h('b', {}, last === null ? '–' : say(last)));
}

/** A number with its share of the most. */
function bar(name, number, most, level, title) {
	return h('li', { title }, h('span', {}, name), svg('svg', { class: `bar ${level || ''}`, 'aria-hidden': 'true' },
		svg('rect', { height: '100%', rx: 3, width: `${most > 0 && number > 0 ? Math.max(100 * number / most, 1) : 0}%` })),
		h('b', {}, count(number)));
}
